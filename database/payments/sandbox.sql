-- Payments: state of the sandbox provider.
--
-- The sandbox is a built-in provider that works offline. Its rows simulate another company's database, so nothing else
-- reads them.

create table private.sandbox_orders (
  kind        text        not null check (kind in ('charge', 'payout', 'tax_document')),
  reference   text        not null,
  provider_id text        not null,
  status      text        not null,
  amount      bigint,
  method      text,
  fee         bigint      not null default 0,
  available_on date,
  reason      text,
  number      bigint,
  answered    boolean     not null default false,
  changed_at  timestamptz not null default clock_timestamp(),
  paid_amount bigint,
  paid_on date,
  primary key (kind, reference)
);

comment on table  private.sandbox_orders is 'Orders at the sandbox provider, by our reference.';
comment on column private.sandbox_orders.available_on is 'When the order''s money settles; null means on the day of payment.';
comment on column private.sandbox_orders.reason is 'Why the order failed.';
comment on column private.sandbox_orders.number is 'Number of an issued tax document.';
comment on column private.sandbox_orders.answered is 'Whether the caller received a response; false after a simulated timeout.';
comment on column private.sandbox_orders.paid_amount is 'What the payer paid; null means the amount.';
comment on column private.sandbox_orders.paid_on is 'The day on which the payer paid; null means the day of the change.';

create unique index sandbox_orders_provider_id_idx on private.sandbox_orders (provider_id);

alter table private.sandbox_orders enable row level security;

create function app.sandbox_accept(kind text, reference text, amount bigint, method text, status text, fee bigint, reason text)
returns table (sandbox_order jsonb, is_new boolean)
language sql security definer
set search_path = ''
as $$
  insert into private.sandbox_orders as o (kind, reference, provider_id, status, amount, method, fee, reason)
  values (kind, reference, 'sbx_' || private.random_base62(16), status, amount, method, fee, reason)
  on conflict on constraint sandbox_orders_pkey do update set answered = true
  returning to_jsonb(o), not o.answered
$$;

comment on function app.sandbox_accept(text, text, bigint, text, text, bigint, text) is
  'Creates an order in the sandbox, or returns the existing one with this reference.';

grant execute on function app.sandbox_accept(text, text, bigint, text, text, bigint, text) to worker;

create function app.sandbox_number(reference text) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  issued private.sandbox_orders;
begin
  select o.* into issued from private.sandbox_orders o
  where o.kind = 'tax_document' and o.reference = sandbox_number.reference
  for update;
  if issued.number is null and issued.status = 'issued' then
    issued.number := app.next_document_number(app.tenant_id(), 'NFSE');
    update private.sandbox_orders o set number = issued.number where o.kind = issued.kind and o.reference = issued.reference;
  end if;
  return issued.number;
end
$$;

comment on function app.sandbox_number(text) is
  'Number of an issued tax document; assigns the next one of the transaction''s tenant if it has none.';

grant execute on function app.sandbox_number(text) to worker;

create function app.sandbox_find(kind text, reference text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select to_jsonb(o) from private.sandbox_orders o
  where o.kind = sandbox_find.kind and o.reference = sandbox_find.reference
$$;

comment on function app.sandbox_find(text, text) is 'An order in the sandbox; null if it does not exist.';

grant execute on function app.sandbox_find(text, text) to worker;

create function app.sandbox_change(
  kind text, reference text, from_states text[], to_state text, at timestamptz, fee bigint, available_on date, reason text
) returns setof jsonb
language sql security definer
set search_path = ''
as $$
  update private.sandbox_orders o
  set status = to_state, changed_at = coalesce(at, clock_timestamp()), fee = coalesce(sandbox_change.fee, o.fee),
      available_on = coalesce(sandbox_change.available_on, o.available_on), reason = sandbox_change.reason
  where o.kind = sandbox_change.kind and o.reference = sandbox_change.reference and o.status = any (from_states)
    -- A payment counts even if it is reported late.
    and (at is null or at >= o.changed_at or (o.kind = 'charge' and to_state = 'paid'))
  returning to_jsonb(o)
$$;

comment on function app.sandbox_change(text, text, text[], text, timestamptz, bigint, date, text) is
  'Moves a sandbox order from one of these statuses to another, unless the change (at; null means now) is older than the last one.';

grant execute on function app.sandbox_change(text, text, text[], text, timestamptz, bigint, date, text) to worker;

create function app.sandbox_has_checkout(provider_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.sandbox_orders o
    where o.provider_id = sandbox_has_checkout.provider_id and o.kind = 'charge' and o.method = 'card'
  )
$$;

comment on function app.sandbox_has_checkout(text) is 'Whether the sandbox has a card charge with this sandbox id.';

grant execute on function app.sandbox_has_checkout(text) to worker;

