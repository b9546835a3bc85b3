-- Records: versions. A record's version is its updated_at, which changes exactly when the row changes. A writer can
-- require that the record has not changed since it was read.

create function app.expect_version(source text, missing text, id uuid, versions timestamptz[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  present timestamptz;
begin
  -- A concurrent writer waits here and then sees the changes of the first one.
  execute format('select r.updated_at from public.%I r where r.tenant_id = app.tenant_id() and r.id = $1 for no key update', source)
    into present using id;
  if present is null and source = 'leads' then
    perform app.raise_lead_missing(id);
  elsif present is null then
    perform app.raise_domain_error(missing);
  elsif present <> all (versions) then
    raise exception 'the record has another version' using errcode = 'PL412';
  end if;
end
$$;

comment on function app.expect_version(text, text, uuid, timestamptz[]) is
  'Locks a record until the transaction ends; fails if it is missing (PL400) or has none of these versions (PL412, null means any).';

grant execute on function app.expect_version(text, text, uuid, timestamptz[]) to api;
