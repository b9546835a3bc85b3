-- Payments: refunds and disputes of the sandbox provider.

create table private.sandbox_refunds (
  reference   text        primary key,
  charge      text        not null,
  provider_id text        not null unique default 'sbx_' || private.random_base62(16),
  amount      bigint      not null,
  ends_as     text        not null check (ends_as in ('succeeded', 'failed')),
  ends_at     timestamptz,
  answered    boolean     not null default false,
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.sandbox_refunds is 'Refunds at the sandbox provider, by our reference.';
comment on column private.sandbox_refunds.charge is 'Our reference of the charge.';
comment on column private.sandbox_refunds.ends_at is 'When the refund ends; null if it waits for the payer of a boleto.';
comment on column private.sandbox_refunds.answered is 'Whether the caller received a response; false after a simulated timeout.';

create index sandbox_refunds_charge_idx on private.sandbox_refunds (charge);

alter table private.sandbox_refunds enable row level security;

create function private.sandbox_refund_json(refund private.sandbox_refunds) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(refund) || jsonb_build_object('status', case when refund.ends_at <= clock_timestamp() then refund.ends_as else 'pending' end)
$$;

comment on function private.sandbox_refund_json(private.sandbox_refunds) is 'A sandbox refund with its current status.';

create function app.sandbox_refund(reference text, charge text, amount bigint, ends_as text, ends_in_seconds double precision, times integer)
returns table (sandbox_refund jsonb, is_new boolean)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  accepted private.sandbox_refunds;
begin
  insert into private.sandbox_refunds as r (reference, charge, amount, ends_as, ends_at)
  values (sandbox_refund.reference, sandbox_refund.charge, sandbox_refund.amount, sandbox_refund.ends_as,
          clock_timestamp() + make_interval(secs => ends_in_seconds))
  on conflict on constraint sandbox_refunds_pkey do update set answered = true
  returning r.* into accepted;
  if not accepted.answered and ends_in_seconds is not null then
    -- The sandbox's notifications about the end of the refund.
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    select f.tenant_id, 'follow-refund', format('%s:%s', f.id, n), jsonb_build_object('refund_id', f.id), accepted.ends_at
    from public.refunds f, generate_series(1, times) as n
    where f.id = sandbox_refund.reference
    on conflict (name, key) do nothing;
  end if;
  return query select private.sandbox_refund_json(accepted), not accepted.answered;
end
$$;

comment on function app.sandbox_refund(text, text, bigint, text, double precision, integer) is
  'Creates a refund in the sandbox, or returns the existing one with this reference; times: how often its end is notified.';

grant execute on function app.sandbox_refund(text, text, bigint, text, double precision, integer) to worker;

create function app.sandbox_refunds(charge text) returns setof jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.sandbox_refund_json(r) from private.sandbox_refunds r where r.charge = sandbox_refunds.charge order by r.created_at
$$;

comment on function app.sandbox_refunds(text) is 'Refunds of a charge in the sandbox, oldest first.';

grant execute on function app.sandbox_refunds(text) to worker;

create function app.settle_sandbox_refund(reference text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update private.sandbox_refunds r set ends_at = coalesce(r.ends_at, clock_timestamp())
  where r.reference = settle_sandbox_refund.reference;
  return found;
end
$$;

comment on function app.settle_sandbox_refund(text) is 'Ends a sandbox refund that waits for the payer; false if it does not exist.';

grant execute on function app.settle_sandbox_refund(text) to worker;

create function app.sandbox_has_refund(provider_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (select from private.sandbox_refunds r where r.provider_id = sandbox_has_refund.provider_id and r.ends_at is null)
$$;

comment on function app.sandbox_has_refund(text) is 'Whether the sandbox has a refund with this sandbox id that waits for the payer.';

grant execute on function app.sandbox_has_refund(text) to worker;

create function app.simulate_dispute(invoice_id text, outcome text) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice  public.invoices;
  dispute  public.disputes;
  infraction boolean;
begin
  select i.* into invoice from public.invoices i
  where i.tenant_id = app.tenant_id() and i.id = simulate_dispute.invoice_id and i.provider = 'sandbox' for update;
  select d.* into dispute from public.disputes d
  where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id order by d.id desc limit 1;
  infraction := invoice.payment_method_type in ('pix', 'bolepix');
  if invoice.id is null or invoice.status <> 'paid' then
    return 'not_paid';
  elsif dispute.status <> 'open' then
    return 'ended';
  elsif dispute.id is null then
    if private.refundable_amount(invoice) = 0 then
      return 'refunded';
    end if;
    insert into public.disputes as d (tenant_id, invoice_id, kind, amount)
    values (invoice.tenant_id, invoice.id, case when infraction then 'pix_infraction' else 'chargeback' end, private.refundable_amount(invoice))
    returning d.* into dispute;
    perform private.add_adjustment(
      null, invoice.tenant_id, invoice.provider, invoice, null, case when infraction then 'balance_blocked' else 'chargeback' end,
      invoice.currency, -dispute.amount);
  end if;
  if outcome is null then
    return 'open';
  end if;
  if infraction then
    perform private.add_adjustment(null, invoice.tenant_id, invoice.provider, invoice, null, 'balance_released', invoice.currency, dispute.amount);
    if outcome = 'lost' then
      perform private.add_adjustment(null, invoice.tenant_id, invoice.provider, invoice, null, 'chargeback', invoice.currency, -dispute.amount);
    end if;
  elsif outcome = 'won' then
    perform private.add_adjustment(null, invoice.tenant_id, invoice.provider, invoice, null, 'chargeback_won', invoice.currency, dispute.amount);
  end if;
  update public.disputes d
  set status = outcome, closed_at = now(), released = case when infraction then d.amount else 0 end,
      lost = case outcome when 'lost' then d.amount else 0 end
  where d.tenant_id = dispute.tenant_id and d.id = dispute.id;
  return outcome;
end
$$;

comment on function app.simulate_dispute(text, text) is
  'Opens a dispute of a sandbox invoice or ends it with an outcome (won, lost; null: open); returns its state or why it cannot.';

grant execute on function app.simulate_dispute(text, text) to payments;
