-- Leads of one person, newest first, and which were merged.
select id, name, email, phone, company, status, created_at from public.leads
where tenant_id = (select id from public.tenants where slug = 'acme') and lower(name) = lower('Ana Souza')
order by created_at desc;

select lead_id, merged_into, email, merged_at from public.merged_leads
where tenant_id = (select id from public.tenants where slug = 'acme')
order by merged_at desc;

-- Makes one a part of another, for good: the winner keeps what it has, and gets what it lacks and all that hangs on the loser.
-- select admin.merge_leads(
--   tenant_id => (select id from public.tenants where slug = 'acme'),
--   winner_id => '00000000-0000-0000-0000-000000000000', loser_id => '00000000-0000-0000-0000-000000000001'
-- );
