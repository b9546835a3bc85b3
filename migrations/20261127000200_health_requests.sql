-- Health: whether a request could write. The readiness check stores a lead as requests do and takes it back.

set local lock_timeout = '3s';

create function app.create_probe_tenant() returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.tenants (id, name, slug) values (app.tenant_id(), 'Write probe', 'write-probe-' || app.tenant_id());
end
$$;

comment on function app.create_probe_tenant() is 'Creates the transaction''s tenant, which the transaction cannot commit.';

create function private.reject_probe_tenant() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'The tenant of a write probe must not be stored' using errcode = 'integrity_constraint_violation';
end
$$;

comment on function private.reject_probe_tenant() is 'Rejects the tenant of a write probe when its transaction commits.';

create constraint trigger reject_probe_tenant after insert on public.tenants
  deferrable initially deferred
  for each row when (new.slug = 'write-probe-' || new.id) execute function private.reject_probe_tenant();

-- The caller's own privileges, defaults, generated columns, policies and triggers are what it tries.
create function app.probe_request() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.create_probe_tenant();
  insert into public.leads (tenant_id, name, email) values (app.tenant_id(), 'Write probe', 'write-probe@example.com');
  raise exception 'probed' using errcode = 'PL299';
end
$$;

comment on function app.probe_request() is
  'Stores a lead of a tenant that exists in this transaction only, with the caller''s privileges; always fails, with PL299 if the lead was stored.';

grant execute on function app.create_probe_tenant(), app.probe_request() to api;
