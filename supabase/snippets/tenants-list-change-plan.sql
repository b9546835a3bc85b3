select id, name, slug, plan, time_zone, owner_email, created_at from public.tenants order by created_at desc;

-- update public.tenants set plan = 'professional' where slug = 'acme';
