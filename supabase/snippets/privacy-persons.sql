-- Everything that a tenant has about a person, as JSON:
select admin.export_person((select id from public.tenants where slug = 'acme'), 'ana@acme.example');

-- Empties name, e-mail, phone and free text wherever they stand, for good. Points, money and counts stay.
-- select admin.erase_person((select id from public.tenants where slug = 'acme'), 'ana@acme.example');

-- What was erased, when and by whom; this finds one by the e-mail.
select erased_at, erased_by, replacement, erased from admin.erasures
where tenant_id = (select id from public.tenants where slug = 'acme')
  and email_sha256 = encode(sha256(convert_to(lower('ana@acme.example'), 'UTF8')), 'hex')
order by erased_at desc;
