-- Create an automation, unless it exists. When the event occurs and its data meets all conditions, the actions run in order
select admin.create_automation(
  tenant     => 'acme',
  name       => 'Big deals get a call',
  event      => 'deal.created',
  conditions => '[{"field": "value", "op": "gt", "value": 10000}, {"field": "stage.name", "op": "ne", "value": "Negotiation"}]',
  actions    => '[{"type": "add_tag", "tag": "big"}, {"type": "create_activity", "activity_type": "call", "description": "Say hello"}]'
)
where not exists (select from admin.automations where tenant = 'acme' and name = 'Big deals get a call');

-- Automations
select id, name, event, active from admin.automations where tenant = 'acme';

-- Deactivate an automation; true activates it again
select admin.set_automation_active(id, false) from admin.automations where tenant = 'acme' and name = 'No longer used';

-- Runs of automations and their outcomes
select created_at, automation, event, depth, matched, outcome, actions, error from admin.automation_runs
where tenant_id = (select id from public.tenants where slug = 'acme')
order by created_at desc
limit 100;
