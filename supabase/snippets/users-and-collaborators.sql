-- Users
select name, email, role, status, team, total_points, last_active_at from admin.users
where tenant_id = (select id from admin.tenants where slug = 'acme')
order by name;

-- Collaborators as the CRM sent them:
select external_id, name, email, team, role, total_points, updated_at from admin.collaborators
where tenant_id = (select id from admin.tenants where slug = 'acme')
order by name;
