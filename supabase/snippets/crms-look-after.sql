-- Accounts with their state. failing: see the reason; waiting_until: the limit of the CRM is reached
select id, crm, status, reason, webhook_state, last_event_at, rejected_events, last_reconciled_at, waiting_until
from admin.crm_accounts where tenant = 'acme';

-- Read what changed since the last time now
select admin.reconcile_crm(id) from admin.crm_accounts where tenant = 'acme' and status = 'active';

-- Compare all ids now, to find deletions
select admin.compare_crm(id) from admin.crm_accounts where tenant = 'acme' and status = 'active';

-- The record in the CRM of a lead, by its email
select a.crm, l.crm_id, l.state, l.crm_updated_at
from admin.crm_links l join admin.crm_accounts a on a.id = l.account_id join public.leads on leads.id::text = l.placar_id
where a.tenant = 'acme' and l.kind = 'lead' and leads.email = 'ana@example.com';
