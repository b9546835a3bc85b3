-- The secret is in the answer and nowhere else: copy it now. Variants of naming: a, b, c.
select * from admin.create_oauth_client(
  tenant_id => (select id from public.tenants where slug = 'acme'),
  label     => 'CRM',
  scopes    => array['read:leads', 'write:leads'],
  variant   => 'a',
  user_id   => null
);
