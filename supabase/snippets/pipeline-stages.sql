-- Pipeline stages in order, with the number of open deals
select position, name, probability, open_deals from admin.stages where tenant = 'acme' order by position;

-- Add a stage, unless it exists. As a named argument, "position" must be quoted
select admin.create_stage(tenant => 'acme', name => 'Contract sent', "position" => 5, probability => 90)
where not exists (select from admin.stages where tenant = 'acme' and name = 'Contract sent');
