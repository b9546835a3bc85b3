-- Tenants, newest first
select id, name, slug, plan, requests_per_minute, max_users, time_zone, language, owner_email, created_at
from admin.tenants
order by created_at desc;

-- Change the plan, from the next request
select admin.set_plan('acme', 'professional');

-- Send the tenant's emails in Portuguese (en for English)
select admin.set_language('acme', 'pt-BR');
