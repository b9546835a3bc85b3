-- Payments: exports of the ledger that are running, to limit them per tenant.

create table private.ledger_exports (
  tenant_id uuid        not null references public.tenants (id) on delete cascade,
  id        uuid        not null,
  until     timestamptz not null,
  primary key (tenant_id, id)
);

comment on table  private.ledger_exports is 'Running exports of ledgers, to limit them per tenant.';
comment on column private.ledger_exports.until is 'When the lease of the export ends, if the worker that runs it dies.';

alter table private.ledger_exports enable row level security;

create function app.claim_ledger_export(id uuid, at_most integer, lease_seconds integer) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('ledger-export:' || app.tenant_id(), 0));
  delete from private.ledger_exports e where e.tenant_id = app.tenant_id() and e.until <= now();
  if (select count(*) from private.ledger_exports e where e.tenant_id = app.tenant_id()) >= at_most then
    return false;
  end if;
  insert into private.ledger_exports (tenant_id, id, until)
  values (app.tenant_id(), claim_ledger_export.id, now() + make_interval(secs => lease_seconds));
  return true;
end
$$;

comment on function app.claim_ledger_export(uuid, integer, integer) is
  'Starts an export of the transaction''s tenant; false if at_most others are running.';

grant execute on function app.claim_ledger_export(uuid, integer, integer) to api;

create function app.renew_ledger_export(id uuid, lease_seconds integer) returns void
language sql security definer
set search_path = ''
as $$
  update private.ledger_exports e set until = now() + make_interval(secs => lease_seconds)
  where e.tenant_id = app.tenant_id() and e.id = renew_ledger_export.id
$$;

comment on function app.renew_ledger_export(uuid, integer) is 'Extends the lease of a running export of the transaction''s tenant.';

grant execute on function app.renew_ledger_export(uuid, integer) to api;

create function app.end_ledger_export(id uuid) returns void
language sql security definer
set search_path = ''
as $$
  delete from private.ledger_exports e where e.tenant_id = app.tenant_id() and e.id = end_ledger_export.id
$$;

comment on function app.end_ledger_export(uuid) is 'Ends an export of the transaction''s tenant.';

grant execute on function app.end_ledger_export(uuid) to api;
