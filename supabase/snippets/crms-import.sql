-- Import all people and deals in silence: no points, webhooks, automations or emails
select admin.import_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive' and status = 'active';

-- Progress of all runs, the last one first
select a.crm, r.kind, r.status, r.phase, r.read, r.created, r.updated, r.linked, r.unchanged, r.skipped, r.failed, r.waiting_until, r.error
from admin.crm_runs r join admin.crm_accounts a on a.id = r.account_id
where a.tenant = 'acme' order by r.started_at desc nulls first limit 20;
