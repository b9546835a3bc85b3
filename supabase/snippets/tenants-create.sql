-- Create a tenant, unless its slug exists, and return its id. Plans: starter, professional, enterprise. Notices are sent to owner_email
select admin.create_tenant(
  name        => 'Acme',
  slug        => 'acme',
  plan        => 'starter',
  time_zone   => 'America/Sao_Paulo',
  owner_email => 'owner@acme.example'
)
where not exists (select from public.tenants where slug = 'acme');
