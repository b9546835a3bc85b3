-- Records: versions. A record's version is its updated_at, which every change of its row moves and nothing else does, so that
-- whoever changes it can demand that nobody else did meanwhile.

create function app.expect_version(source text, missing text, id uuid, versions timestamptz[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  present timestamptz;
begin
  -- Whoever comes second waits here, and then sees what the first one left.
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
  'Holds a record until the transaction ends, and ends that at once where the record is missing (PL400, for this reason), or has none of these versions (PL412). Null is any version.';

grant execute on function app.expect_version(text, text, uuid, timestamptz[]) to api;
