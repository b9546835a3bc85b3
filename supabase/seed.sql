-- A demo tenant with a user, three missions with mapped codes and three collaborators. Create its API keys with
-- admin.create_api_key, so that the repository contains none.

do $$
declare
  demo constant uuid := '00000000-0000-4000-8000-000000000001';
  mission uuid;
begin
  -- A plan without limits on webhooks, because locally all webhooks share one host.
  insert into public.plans (name, requests_per_minute, max_invitation_mails_per_day) values ('demo', 2000, 2000)
  on conflict (name) do nothing;
  insert into public.tenants (id, name, slug, plan, owner_email)
  values (demo, 'Demo', 'demo', 'demo', 'owner@demo.example')
  on conflict (id) do nothing;
  if not found then
    return;
  end if;

  mission := admin.create_mission(demo, 'First contact', 10);
  perform admin.map_activity_code(demo, '001', mission);
  mission := admin.create_mission(demo, 'Visit', 25);
  perform admin.map_activity_code(demo, '002', mission);
  mission := admin.create_mission(demo, 'Sale closed', 100);
  perform admin.map_activity_code(demo, '003', mission);

  insert into public.users (tenant_id, name, email, role)
  values (demo, 'Ana Souza', 'ana@demo.example', 'sales_rep');

  insert into public.collaborators (tenant_id, external_id, name, email, team)
  values (demo, 'crm-1', 'Ana Souza',   'ana@demo.example',   'North'),
         (demo, 'crm-2', 'Bruno Lima',  'bruno@demo.example', 'North'),
         (demo, 'crm-3', 'Carla Dias',  'carla@demo.example', 'South');
end
$$;
