-- The secret is in the answer and nowhere else: copy it now. Variants of naming: a, b, c.
select * from admin.create_oauth_client(
  tenant_id => '00000000-0000-4000-8000-000000000001',
  label     => 'CRM',
  scopes    => array['read:leads', 'write:leads'],
  variant   => 'a',
  user_id   => null
);
