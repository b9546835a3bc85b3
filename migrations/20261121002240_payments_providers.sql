-- Payments: notifications that providers sent, and what the sandbox provider remembers.
--
-- The sandbox is a provider of ours that works offline; its rows stand for another company's database, so nothing else reads
-- them.

-- Notifications -------------------------------------------------------------------------------------------------------

create table public.provider_events (
  provider    text        not null,
  event_id    text        not null,
  tenant_id   uuid        references public.tenants (id) on delete cascade,
  body        jsonb       not null,
  received_at timestamptz not null default now(),
  applied_at  timestamptz,
  checked_at  timestamptz,
  primary key (provider, event_id)
);

comment on table  public.provider_events is 'Notifications of providers, each kept once by the provider''s own event id.';
comment on column public.provider_events.tenant_id is 'Whose resource it is about; null until that is known.';
comment on column public.provider_events.body is 'As the provider sent it.';
comment on column public.provider_events.applied_at is
  'When it changed its resource, or was found to change nothing; null before.';
comment on column public.provider_events.checked_at is
  'When its resource was seen in the state that it reports, or a sweep found that it changes nothing; null before.';

create index provider_events_tenant_idx    on public.provider_events (tenant_id, received_at desc);
create index provider_events_early_idx     on public.provider_events ((body ->> 'reference')) where applied_at is null;
create index provider_events_unchecked_idx on public.provider_events (applied_at) where checked_at is null and applied_at is not null;

alter table public.provider_events enable row level security;
grant select on public.provider_events to api;
grant select, insert, update on public.provider_events to worker;

create policy "A tenant sees its own notifications" on public.provider_events
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Notifications are kept and applied" on public.provider_events
  for all to worker using (true) with check (true);

create function app.report_applies(kind text, status text, state_at timestamptz, reported text, at timestamptz) returns boolean
language plpgsql immutable security definer
set search_path = ''
as $$
begin
  return status <> 'creating'
     and coalesce(private.payment_transitions() -> kind -> status ? reported, false)
     and (state_at is null or state_at <= at or (kind = 'invoices' and reported = 'paid'))
     -- The sandbox takes no payment for what it canceled.
     and status <> 'canceled';
end
$$;

comment on function app.report_applies(text, text, timestamptz, text, timestamptz) is
  'Whether what the sandbox reports changes a row of this table (`kind`) in this state: not one that its life has no way for, nor one older than the last, but a payment counts however late it is told.';

grant execute on function app.report_applies(text, text, timestamptz, text, timestamptz) to worker;

-- When an invoice or payout has been created at its provider (payments_invoices, payments_payouts) --------------------

create function private.apply_early_notifications() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs (tenant_id, name, key, payload)
  select new.tenant_id, 'apply-notification', concat_ws(':', e.provider, e.event_id, 'opened'),
         jsonb_build_object('provider', e.provider, 'event_id', e.event_id)
  from public.provider_events e
  where e.body ->> 'reference' = new.id and e.applied_at is null
  on conflict (name, key) do nothing;
  return null;
end
$$;

comment on function private.apply_early_notifications() is
  'Trigger: notifications that came before their resource was ours are applied once it is.';

create trigger invoices_apply_early_notifications after update of status on public.invoices
  for each row when (old.status = 'creating') execute function private.apply_early_notifications();
create trigger payouts_apply_early_notifications after update of status on public.payouts
  for each row when (old.status = 'creating') execute function private.apply_early_notifications();

-- The sandbox ---------------------------------------------------------------------------------------------------------

create table private.sandbox_orders (
  kind        text        not null check (kind in ('charge', 'payout', 'tax_document')),
  reference   text        not null,
  provider_id text        not null,
  status      text        not null,
  amount      bigint,
  method      text,
  fee         bigint      not null default 0,
  answered    boolean     not null default false,
  changed_at  timestamptz not null default clock_timestamp(),
  primary key (kind, reference)
);

comment on table  private.sandbox_orders is 'What the sandbox provider was asked for, by our reference.';
comment on column private.sandbox_orders.answered is 'Whether the caller has had an answer; false after a time-out on purpose.';

create unique index sandbox_orders_provider_id_idx on private.sandbox_orders (provider_id);

alter table private.sandbox_orders enable row level security;

create function app.sandbox_accept(kind text, reference text, amount bigint, method text, status text, fee bigint)
returns table (provider_id text, status text, amount bigint, fee bigint, changed_at timestamptz, is_new boolean)
language sql security definer
set search_path = ''
as $$
  insert into private.sandbox_orders as o (kind, reference, provider_id, status, amount, method, fee)
  values (kind, reference, 'sbx_' || private.random_base62(16), status, amount, method, fee)
  on conflict on constraint sandbox_orders_pkey do update set answered = true
  returning o.provider_id, o.status, o.amount, o.fee, o.changed_at, not o.answered
$$;

comment on function app.sandbox_accept(text, text, bigint, text, text, bigint) is
  'The sandbox takes an order. One with the same reference is the same order, so nothing is done twice.';

grant execute on function app.sandbox_accept(text, text, bigint, text, text, bigint) to worker;

create function app.sandbox_find(kind text, reference text)
returns table (provider_id text, status text, amount bigint, fee bigint, changed_at timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select o.provider_id, o.status, o.amount, o.fee, o.changed_at from private.sandbox_orders o
  where o.kind = sandbox_find.kind and o.reference = sandbox_find.reference
$$;

comment on function app.sandbox_find(text, text) is 'What the sandbox knows of an order.';

grant execute on function app.sandbox_find(text, text) to worker;

create function app.sandbox_change(kind text, reference text, from_states text[], to_state text)
returns table (provider_id text, status text, amount bigint, fee bigint, changed_at timestamptz)
language sql security definer
set search_path = ''
as $$
  update private.sandbox_orders o set status = to_state, changed_at = clock_timestamp()
  where o.kind = sandbox_change.kind and o.reference = sandbox_change.reference and o.status = any (from_states)
  returning o.provider_id, o.status, o.amount, o.fee, o.changed_at
$$;

comment on function app.sandbox_change(text, text, text[], text) is
  'Moves an order of the sandbox from one of these states to another.';

grant execute on function app.sandbox_change(text, text, text[], text) to worker;

create function app.sandbox_has_checkout(provider_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.sandbox_orders o
    where o.provider_id = sandbox_has_checkout.provider_id and o.kind = 'charge' and o.method = 'card'
  )
$$;

comment on function app.sandbox_has_checkout(text) is 'Whether the sandbox has a card charge by this id of its own.';

grant execute on function app.sandbox_has_checkout(text) to worker;
