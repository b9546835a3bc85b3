-- When the event occurs and its data meets all conditions, the actions run in order.
select admin.create_automation(
  tenant_id  => (select id from public.tenants where slug = 'acme'),
  name       => 'Big deals get a call',
  event      => 'deal.created',
  conditions => '[{"field": "value", "op": "gt", "value": 10000}, {"field": "stage.name", "op": "ne", "value": "Negotiation"}]',
  actions    => '[{"type": "add_tag", "tag": "big"}, {"type": "create_activity", "activity_type": "call", "description": "Say hello"}]'
);

-- Deactivate or reactivate an automation: select admin.set_automation_active('<id>', false);
-- Automations
select id, name, event, active from admin.automations where tenant_id = (select id from public.tenants where slug = 'acme');

-- Runs of automations and their outcomes.
select created_at, automation, event, depth, matched, outcome, actions, error from admin.automation_runs
where tenant_id = (select id from public.tenants where slug = 'acme')
order by created_at desc
limit 100;
