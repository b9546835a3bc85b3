-- Administration through the API: persons.

create function private.check_person_limit() returns void
language plpgsql
set search_path = ''
as $$
declare
  max_per_hour constant integer := 20;
  recent timestamptz[];
begin
  perform pg_advisory_xact_lock(hashtextextended('persons' || app.tenant_id(), 0));
  select array_agg(c.at order by c.at desc) into recent from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.act in ('person.exported', 'person.erased') and c.via <> 'sql' and c.at > now() - interval '1 hour';
  if cardinality(recent) >= max_per_hour then
    perform app.raise_domain_error('person_limit', jsonb_build_object(
      'max', max_per_hour, 'seconds', ceil(extract(epoch from recent[max_per_hour] + interval '1 hour' - now()))));
  end if;
end
$$;

comment on function private.check_person_limit() is 'Rejects more than 20 exports and erasures of a tenant per hour.';

create function app.export_person(email text) returns jsonb
language sql security definer
set search_path = ''
as $$
  select private.check_person_limit();
  select admin.export_person(app.tenant_id(), email)
$$;

comment on function app.export_person(text) is 'Exports the data of a person in the tenant.';

create function app.erase_person(email text) returns jsonb
language sql security definer
set search_path = ''
as $$
  select private.check_person_limit();
  select admin.erase_person(app.tenant_id(), email)
$$;

comment on function app.erase_person(text) is 'Erases the data of a person in the tenant.';

grant execute on function app.export_person(text), app.erase_person(text) to manage;
