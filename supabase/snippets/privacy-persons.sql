-- Export all data of a tenant about a person, as JSON
select admin.export_person('acme', 'ana@acme.example');

-- Find an erasure by email address
select erased_at, erased_by, replacement, erased from admin.erasures
where tenant_id = (select id from public.tenants where slug = 'acme')
  and email_sha256 = encode(sha256(convert_to(lower('ana@acme.example'), 'UTF8')), 'hex')
order by erased_at desc;
