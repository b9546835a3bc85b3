-- Pipeline stages in order, with the number of open deals.
select position, name, probability, open_deals from admin.stages
where tenant_id = (select id from public.tenants where slug = 'acme')
order by position;

-- Add a stage. As a named argument, "position" must be quoted.
select admin.create_stage(
  tenant_id => (select id from public.tenants where slug = 'acme'), name => 'Contract sent', "position" => 5, probability => 90
);
