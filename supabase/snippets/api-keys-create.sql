-- The result shows the key only once: copy it.
-- Scopes: default:sync (activity sync), payments:read, payments:write.
select * from admin.create_api_key(
  tenant_id         => (select id from public.tenants where slug = 'acme'),
  label             => 'CRM',
  scopes            => array['default:sync'],
  requests_per_hour => 1000,
  ip_allowlist      => '{}',            -- for example '{203.0.113.0/24}'; empty means any address
  expires_at        => null             -- for example now() + interval '1 year'
);
