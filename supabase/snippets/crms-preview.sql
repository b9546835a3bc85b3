-- List what an import would do, without doing it. The account must be active
select admin.preview_crm(id) from admin.crm_accounts where tenant = 'acme' and crm = 'pipedrive' and status = 'active';

-- Progress of the last preview
select r.id, r.status, r.phase, r.read, r.created, r.updated, r.linked, r.skipped, r.error
from admin.crm_runs r join admin.crm_accounts a on a.id = r.account_id
where a.tenant = 'acme' and r.kind = 'preview' order by r.started_at desc nulls first limit 1;

-- Its rows: create, update, link or skip
select p.kind, p.action, p.reason, p.name, p.fields
from admin.crm_preview p join admin.crm_runs r on r.id = p.run_id join admin.crm_accounts a on a.id = r.account_id
where a.tenant = 'acme' order by r.started_at desc, p.kind, p.action limit 200;
