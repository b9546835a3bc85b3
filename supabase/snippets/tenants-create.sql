-- Returns the tenant's id. Plans: starter, professional, enterprise. Notices are sent to owner_email.
select admin.create_tenant(
  name        => 'Acme',
  slug        => 'acme',
  plan        => 'starter',
  time_zone   => 'America/Sao_Paulo',
  owner_email => 'owner@acme.example'
);
