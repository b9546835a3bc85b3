-- Payments: statement lines of a type that Placar does not know and that name a charge. If such a line has the amount of a balance
-- event of that charge, it is the event's, whether it is read or entered before or after the event.

set local lock_timeout = '3s';

create or replace function private.may_claim(event public.provider_balance_events, line public.provider_statement_lines) returns boolean
language sql immutable
set search_path = ''
as $$
  select line.claimed_by is null and line.currency = event.currency
    and line.amount = case event.change when 'blocked' then -event.amount else event.amount end
    and case
      when line.provider_reference is not null then
        line.order_kind = 'charge' and line.provider_reference = event.provider_reference and line.reason in ('balance_blocked', 'balance_released')
      when line.named_reference is not null then line.named_reference = event.provider_reference and line.type !~ '_FEE(_|$)'
      else private.may_block(line.type) and abs((line.at at time zone 'America/Sao_Paulo')::date - event.on_day) <= 3
    end
$$;

create or replace function private.claim_line(event public.provider_balance_events, line public.provider_statement_lines, is_booked boolean)
returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
  dispute public.disputes;
  stated  bigint;
  entered bigint;
begin
  select i.* into invoice from public.invoices i
  where i.tenant_id = event.tenant_id and i.provider_account_id = event.account_id and i.provider_reference = event.provider_reference
  for update;
  -- A comparison may have entered the line for the charge already.
  entered := coalesce((
    select sum(b.amount) from public.balance_transactions b
    where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.statement_line = line.line_id), 0);
  update public.provider_statement_lines l
  set claimed_by = event.event_id, order_kind = 'charge', provider_reference = event.provider_reference
  where l.account_id = line.account_id and l.line_id = line.line_id;
  update public.provider_balance_events e set line_id = line.line_id where e.account_id = event.account_id and e.event_id = event.event_id;
  if is_booked then
    perform private.add_adjustment(
      event.account_id, event.tenant_id, invoice.provider, null, null,
      case when line.amount < 0 then 'balance_released' else 'balance_blocked' end, line.currency, -line.amount);
  end if;
  select d.* into dispute from public.disputes d
  where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'pix_infraction'
  order by d.id desc limit 1;
  stated := line.amount;
  if event.type = 'PIX_INFRACTION' and event.change = 'blocked' then
    if dispute.status = 'open' then
      update public.disputes d set amount = d.amount - line.amount where d.tenant_id = dispute.tenant_id and d.id = dispute.id;
    else
      insert into public.disputes (tenant_id, invoice_id, kind, amount, provider_reference)
      values (invoice.tenant_id, invoice.id, 'pix_infraction', -line.amount, event.provider_reference);
    end if;
  elsif event.type = 'PIX_INFRACTION' then
    -- A lost dispute was released in the ledger when its payment was refunded.
    stated := line.amount - least(line.amount, dispute.released_unstated);
    update public.disputes d
    set released_unstated = d.released_unstated - (line.amount - stated), released = d.released + stated,
        released_at = case when stated > 0 then now() else d.released_at end
    where d.tenant_id = dispute.tenant_id and d.id = dispute.id
    returning d.* into dispute;
    if dispute.status = 'open' and dispute.released = dispute.amount then
      insert into public.jobs (tenant_id, name, key, payload, due_at)
      values (event.tenant_id, 'close-dispute', event.account_id || ':' || event.event_id, jsonb_build_object('invoice_id', invoice.id),
              now() + interval '10 seconds')
      on conflict (name, key) do nothing;
    end if;
  end if;
  -- An amount entered in excess of the line is reversed under the opposite reason.
  perform private.add_adjustment(
    event.account_id, event.tenant_id, invoice.provider, invoice, null,
    case when stated - entered < 0 then 'balance_blocked' else 'balance_released' end, line.currency, stated - entered);
end
$$;

create or replace function app.match_balance_event(account_id text, event_id text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  event public.provider_balance_events;
  line  public.provider_statement_lines;
  later text;
begin
  perform from public.provider_accounts a where a.id = match_balance_event.account_id for no key update;
  select e.* into event from public.provider_balance_events e
  where e.account_id = match_balance_event.account_id and e.event_id = match_balance_event.event_id;
  if event.event_id is null or event.line_id is not null then
    return true;
  elsif not private.follows_entries(event) then
    return false;
  end if;
  select l.* into line from public.provider_statement_lines l
  where l.tenant_id = event.tenant_id and l.account_id = event.account_id and l.at > event.on_day - interval '5 days'
    and private.may_claim(event, l)
  order by coalesce(l.provider_reference, l.named_reference) nulls last, l.at, l.line_id
  limit 1;
  if line.line_id is null then
    return false;
  end if;
  -- A line that names no order was entered as the account's own.
  perform private.claim_line(event, line, line.provider_reference is null);
  for later in
    select e.event_id from public.provider_balance_events e
    where event.change = 'blocked' and e.tenant_id = event.tenant_id and e.account_id = event.account_id
      and e.provider_reference = event.provider_reference and e.change = 'unblocked' and e.line_id is null
      and e.received_at > now() - interval '7 days'
    order by e.received_at
  loop
    perform app.match_balance_event(event.account_id, later);
  end loop;
  return true;
end
$$;

create or replace function app.enter_statement_lines(account_id text, lines jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  line    record;
  event   public.provider_balance_events;
  stored  public.provider_statement_lines;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_statement_lines.account_id for no key update;
  for line in
    with made as (
      insert into public.provider_statement_lines as s
        (account_id, line_id, tenant_id, at, currency, amount, order_kind, provider_reference, description, type, named_reference, reason)
      select account.id, l ->> 'id', account.tenant_id, (l ->> 'at')::timestamptz, l ->> 'currency', (l ->> 'amountMinor')::bigint,
             l #>> '{order,kind}', coalesce(i.provider_reference, p.provider_reference, l #>> '{order,providerReference}'),
             l ->> 'description', l ->> 'type', l ->> 'namedReference', l ->> 'orderReason'
      from jsonb_array_elements(lines) as l
      left join public.invoices i on i.tenant_id = account.tenant_id and i.id = l ->> 'ourId' and i.provider_account_id = account.id
      left join public.payouts p  on p.tenant_id = account.tenant_id and p.id = l ->> 'ourId' and p.provider_account_id = account.id
      -- Lines from before the account was connected are ignored.
      where (l ->> 'at')::timestamptz >= account.created_at - interval '1 day'
      on conflict on constraint provider_statement_lines_pkey do nothing
      returning s.line_id, s.currency, s.amount, s.order_kind, s.provider_reference, s.reason as order_reason
    ), noted as (
      insert into private.provider_orders_to_compare (account_id, kind, provider_reference)
      select distinct account.id, m.order_kind, m.provider_reference from made m
      where m.provider_reference is not null and m.order_kind is not null
    )
    select m.*, l ->> 'reason' as reason
    from made m join jsonb_array_elements(lines) with ordinality as e (l, place) on l ->> 'id' = m.line_id
    where m.provider_reference is null or m.order_reason in ('balance_blocked', 'balance_released')
    order by place
  loop
    select l.* into stored from public.provider_statement_lines l where l.account_id = account.id and l.line_id = line.line_id;
    select e.* into event from public.provider_balance_events e
    where e.tenant_id = account.tenant_id and e.account_id = account.id and e.line_id is null
      and e.received_at > now() - interval '7 days' and private.may_claim(e, stored) and private.follows_entries(e)
    order by e.provider_reference = stored.named_reference desc nulls last, e.received_at
    limit 1;
    if event.event_id is not null then
      perform private.claim_line(event, stored, false);
      continue;
    end if;
    continue when line.provider_reference is not null;
    perform private.add_adjustment(
      account.id, account.tenant_id, account.provider, null, null, line.reason, line.currency, line.amount);
    entered := entered + 1;
  end loop;
  return entered;
end
$$;

create or replace function app.enter_uncovered_lines(account_id text, orders jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  one     record;
  line    record;
  invoice public.invoices;
  payout  public.payouts;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_uncovered_lines.account_id;
  for one in select distinct r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text) loop
    -- With the order locked, no report changes its entries meanwhile. An order in progress may still be reported.
    select i.* into invoice from public.invoices i
    where one.kind = 'charge' and i.tenant_id = account.tenant_id and i.provider_account_id = account.id
      and i.provider_reference = one.provider_reference and i.status not in ('creating', 'open')
    for update;
    select p.* into payout from public.payouts p
    where one.kind = 'payout' and p.tenant_id = account.tenant_id and p.provider_account_id = account.id
      and p.provider_reference = one.provider_reference and p.status not in ('creating', 'created', 'incoming_payment_waiting', 'processing')
    for update;
    continue when coalesce(invoice.id, payout.id) is null;
    -- A refund in progress may explain the line once it has ended.
    continue when exists (
      select from public.refunds r
      where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and r.status in ('creating', 'pending'));
    for line in
      select l.line_id, l.currency, l.amount, l.reason
      from private.mismatched_among(account, jsonb_build_array(to_jsonb(one))) as u
      cross join lateral private.uncovered_lines(account, one.kind, u.id, one.provider_reference, u.currency, u.theirs - u.ours) as l
    loop
      insert into public.balance_transactions
        (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, cost_center, our_number,
         contractor_reference, provider, provider_account_id, reason, statement_line)
      values
        (account.tenant_id, 'adjustment', line.amount, line.currency, 0, line.amount, private.today(account.tenant_id), invoice.id, payout.id,
         coalesce(invoice.cost_center, payout.cost_center), coalesce(invoice.our_number, payout.our_number),
         coalesce(invoice.contractor_reference, payout.contractor_reference), account.provider, account.id, line.reason, line.line_id);
      entered := entered + 1;
    end loop;
  end loop;
  return entered;
end
$$;
