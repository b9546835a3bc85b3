-- Stop a run. What it has applied stays
select admin.cancel_crm_run(r.id)
from admin.crm_runs r join admin.crm_accounts a on a.id = r.account_id
where a.tenant = 'acme' and r.kind = 'import' and r.finished_at is null;
