-- Leads of one person, newest first, and merged leads.
select id, name, email, phone, company, status, created_at from public.leads
where tenant_id = (select id from public.tenants where slug = 'acme') and lower(name) = lower('Ana Souza')
order by created_at desc;

select lead_id, merged_into, email, merged_at from public.merged_leads
where tenant_id = (select id from public.tenants where slug = 'acme')
order by merged_at desc;

-- Permanently merge two leads: the winner keeps its values and gets missing ones, deals, activities and external ids from the loser.
-- select admin.merge_leads(
--   tenant_id => (select id from public.tenants where slug = 'acme'),
--   winner_id => '00000000-0000-0000-0000-000000000000', loser_id => '00000000-0000-0000-0000-000000000001'
-- );
