-- Leads of one person, newest first
select id, name, email, phone, company, status, created_at from public.leads
where tenant_id = (select id from public.tenants where slug = 'acme') and lower(name) = lower('Ana Souza')
order by created_at desc;

-- Permanently merge two leads: the winner keeps its values and gets missing ones, deals, activities and external ids of the loser
select admin.merge_leads(w.tenant_id, w.id, l.id)
from public.leads w
join public.leads l on l.tenant_id = w.tenant_id and l.email = 'ana.souza@old.example'
where w.tenant_id = (select id from public.tenants where slug = 'acme') and w.email = 'ana.souza@acme.example';

-- Merged leads
select lead_id, merged_into, email, merged_at from public.merged_leads
where tenant_id = (select id from public.tenants where slug = 'acme')
order by merged_at desc;
