-- What could not be carried over, by kind
select a.crm, d.kind, d.record, count(*)
from admin.crm_differences d join admin.crm_accounts a on a.id = d.account_id
where a.tenant = 'acme' and d.resolved_at is null group by 1, 2, 3 order by 1, 2, 3;

-- Each of them
select d.id, a.crm, d.kind, d.record, d.field, d.ours, d.theirs, d.crm_id, d.placar_id, d.found_at
from admin.crm_differences d join admin.crm_accounts a on a.id = d.account_id
where a.tenant = 'acme' and d.resolved_at is null order by d.found_at desc limit 100;

-- Take the CRM's values where fields changed only here. 'ours' instead writes ours in the CRM
select admin.resolve_crm_difference(d.id, 'theirs')
from admin.crm_differences d join admin.crm_accounts a on a.id = d.account_id
where a.tenant = 'acme' and d.kind = 'changed_here' and d.resolved_at is null;
