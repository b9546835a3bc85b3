-- The result shows the secret only once: copy it. Naming variants: a, b, c.
select * from admin.create_oauth_client(
  tenant_id => (select id from public.tenants where slug = 'acme'),
  label     => 'CRM',
  scopes    => array['read:leads', 'write:leads'],
  variant   => 'a',
  user_id   => null
);
