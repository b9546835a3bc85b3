-- Stages of the pipeline, in order, and how many open deals are in each.
select position, name, probability, open_deals from admin.stages
where tenant_id = (select id from public.tenants where slug = 'acme')
order by position;

-- One more. "position" needs its quotes when it is given by name.
select admin.create_stage(
  tenant_id => (select id from public.tenants where slug = 'acme'), name => 'Contract sent', "position" => 5, probability => 90
);
