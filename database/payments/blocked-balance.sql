-- Payments: balance that a provider blocks or unblocks because of a charge.
--
-- A statement line moves the money; an event names the charge. Each event is matched once with the statement line of its
-- amount, in whichever order they arrive. Matching locks the account's row.

create function private.assign_statement_line(event public.provider_balance_events, line public.provider_statement_lines, is_booked boolean)
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

comment on function private.assign_statement_line(public.provider_balance_events, public.provider_statement_lines, boolean) is
  'Enters a statement line for the charge that an event names; is_booked: it is already entered as the account''s own.';

create function private.may_block(type text) returns boolean
language sql immutable parallel safe
return type ~ '^(DEBIT|DEBIT_REVERSAL|CONTRACTUAL_EFFECT_SETTLEMENT|CONTRACTUAL_EFFECT_SETTLEMENT_REVERSAL)$|_BLOCK$|_BLOCK_REVERSAL$';

comment on function private.may_block(text) is 'Whether a statement line of this type may block or unblock balance.';

create function private.can_match_line(event public.provider_balance_events, line public.provider_statement_lines) returns boolean
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

comment on function private.can_match_line(public.provider_balance_events, public.provider_statement_lines) is
  'Whether a statement line can be the movement of a balance event.';

create function private.is_applicable_now(event public.provider_balance_events) returns boolean
language sql stable
set search_path = ''
as $$
  select (event.change = 'blocked' or event.amount <= (
      select coalesce(sum(case e.change when 'blocked' then e.amount else -e.amount end), 0)
      from public.provider_balance_events e
      where e.tenant_id = event.tenant_id and e.account_id = event.account_id and e.provider_reference = event.provider_reference
        and e.type = event.type and e.line_id is not null))
    and exists (
      select from public.invoices i
      where i.tenant_id = event.tenant_id and i.provider_account_id = event.account_id and i.provider_reference = event.provider_reference
        and i.status = 'paid')
$$;

comment on function private.is_applicable_now(public.provider_balance_events) is
  'Whether a balance event can be applied now: its charge is paid and, if it unblocks balance, that balance is blocked.';

create function app.match_balance_event(account_id text, event_id text) returns boolean
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
  elsif not private.is_applicable_now(event) then
    return false;
  end if;
  select l.* into line from public.provider_statement_lines l
  where l.tenant_id = event.tenant_id and l.account_id = event.account_id and l.at > event.on_day - interval '5 days'
    and private.can_match_line(event, l)
  order by coalesce(l.provider_reference, l.named_reference) nulls last, l.at, l.line_id
  limit 1;
  if line.line_id is null then
    return false;
  end if;
  -- A line without an order is already recorded as an adjustment of the account.
  perform private.assign_statement_line(event, line, line.provider_reference is null);
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

comment on function app.match_balance_event(text, text) is
  'Enters the stored statement line of a balance event for its charge; false if the line is not there yet.';

grant execute on function app.match_balance_event(text, text) to worker;

create function app.store_balance_event(account_id text, event_id text, about jsonb) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  if about ->> 'type' not in ('PIX_INFRACTION', 'CONTRACTUAL_EFFECT') then
    return false;
  end if;
  insert into public.provider_balance_events (account_id, event_id, tenant_id, change, type, amount, currency, provider_reference, on_day)
  select a.id, store_balance_event.event_id, a.tenant_id, about ->> 'change', about ->> 'type', (about ->> 'amountMinor')::bigint,
         about ->> 'currency', about ->> 'providerReference', (about ->> 'day')::date
  from public.provider_accounts a
  join public.invoices i on i.tenant_id = a.tenant_id and i.provider_account_id = a.id and i.provider_reference = about ->> 'providerReference'
  where a.id = store_balance_event.account_id
  on conflict on constraint provider_balance_events_pkey do nothing;
  return exists (
    select from public.provider_balance_events e where e.account_id = store_balance_event.account_id and e.event_id = store_balance_event.event_id);
end
$$;

comment on function app.store_balance_event(text, text, jsonb) is
  'Stores a balance event that concerns a charge of ours; false if it concerns only the account.';

grant execute on function app.store_balance_event(text, text, jsonb) to worker;

create function app.unmatched_balance_events(account_id text) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select e.event_id from public.provider_balance_events e
  join public.provider_accounts a on a.tenant_id = e.tenant_id and a.id = e.account_id
  where a.id = unmatched_balance_events.account_id and e.line_id is null and e.received_at > now() - interval '7 days'
  order by e.received_at
$$;

comment on function app.unmatched_balance_events(text) is 'Balance events of an account whose statement lines have not been found for less than 7 days.';

grant execute on function app.unmatched_balance_events(text) to worker;

create function app.assign_unmatched_lines(account_id text, orders jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  mismatched  record;
  line    public.provider_statement_lines;
  dispute public.disputes;
  claimed integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = assign_unmatched_lines.account_id for no key update;
  for mismatched in
    select u.id, u.provider_reference, u.currency, u.ours - u.theirs as missing from private.uneven_among(account, orders) as u
    where u.kind = 'charge' and u.id is not null
  loop
    select d.* into dispute from public.disputes d
    where d.tenant_id = account.tenant_id and d.invoice_id = mismatched.id and d.kind = 'pix_infraction' order by d.id desc limit 1;
    -- Only a payment that its provider refunded can owe its difference to blocked balance whose event was lost.
    continue when coalesce(dispute.lost, 0) = 0 and not exists (
      select from public.refunds r
      where r.tenant_id = account.tenant_id and r.invoice_id = mismatched.id and r.origin = 'provider' and r.status = 'succeeded');
    select l.* into line from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference is null and l.claimed_by is null
      and l.currency = mismatched.currency and l.amount = mismatched.missing and private.may_block(l.type)
      and coalesce(l.named_reference, mismatched.provider_reference) = mismatched.provider_reference
    order by l.named_reference nulls last, l.at, l.line_id
    limit 1;
    continue when line.line_id is null;
    update public.provider_statement_lines l
    set claimed_by = mismatched.id, order_kind = 'charge', provider_reference = mismatched.provider_reference
    where l.account_id = line.account_id and l.line_id = line.line_id;
    update public.disputes d set released_unstated = greatest(0, d.released_unstated - line.amount)
    where d.tenant_id = account.tenant_id and d.id = dispute.id and line.amount > 0;
    perform private.add_adjustment(
      account.id, account.tenant_id, account.provider, null, null,
      case when line.amount < 0 then 'balance_released' else 'balance_blocked' end, line.currency, -line.amount);
    claimed := claimed + 1;
  end loop;
  return claimed;
end
$$;

comment on function app.assign_unmatched_lines(text, jsonb) is
  'Assigns lines of blocked balance to refunded charges (kind, provider_reference) whose mismatch they explain; returns the number of lines.';

grant execute on function app.assign_unmatched_lines(text, jsonb) to worker;
