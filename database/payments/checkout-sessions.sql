-- Payments: further payment pages of an open invoice, at providers whose pages expire before it.

create function app.claim_checkout_session(invoice_id text, n integer, lease_seconds integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
  last    jsonb;
  until   constant timestamptz := clock_timestamp() + make_interval(secs => lease_seconds);
begin
  select i.* into invoice from public.invoices i where i.tenant_id = app.tenant_id() and i.id = invoice_id for update;
  if invoice.status is distinct from 'open' or invoice.expires_at <= now() then
    return '{"state": "over"}';
  end if;
  last := invoice.checkout_sessions -> -1;
  if coalesce((last ->> 'n')::integer, 1) = n - 1 and last ->> 'claimed_until' is null then
    last := jsonb_build_object('n', n, 'made_at', clock_timestamp(), 'claimed_until', until);
    update public.invoices i set checkout_sessions = coalesce(i.checkout_sessions, '[]') || last
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id;
  elsif (last ->> 'n')::integer = n and last ->> 'url' is not null then
    return jsonb_build_object('state', 'made', 'url', last ->> 'url');
  elsif (last ->> 'n')::integer is distinct from n or (last ->> 'claimed_until')::timestamptz > clock_timestamp() then
    return '{"state": "waiting"}';
  else
    -- The request that was creating it died. Another request creates the same page.
    update public.invoices i
    set checkout_sessions = jsonb_set(i.checkout_sessions, '{-1,claimed_until}', to_jsonb(until))
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id;
  end if;
  return jsonb_build_object('state', 'claimed', 'madeAt', last -> 'made_at');
end
$$;

comment on function app.claim_checkout_session(text, integer, integer) is
  'Claims the n-th payment page of an invoice: claimed, made (with url), waiting (for another request) or over (the invoice is not open).';

grant execute on function app.claim_checkout_session(text, integer, integer) to worker;

create function app.store_checkout_session(invoice_id text, n integer, reference text, url text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
begin
  select i.* into invoice from public.invoices i where i.tenant_id = app.tenant_id() and i.id = invoice_id for update;
  update public.invoices i
  set checkout_sessions = (
    select jsonb_agg(case when (s ->> 'n')::integer = n then (s - 'claimed_until') || jsonb_build_object('reference', reference, 'url', url)
                          else s end order by (s ->> 'n')::integer)
    from jsonb_array_elements(i.checkout_sessions) as s)
  where i.tenant_id = invoice.tenant_id and i.id = invoice.id;
  return coalesce(invoice.status = 'open', false);
end
$$;

comment on function app.store_checkout_session(text, integer, text, text) is
  'Stores a payment page, or nulls if the provider rejected it; returns whether the invoice is still open.';

grant execute on function app.store_checkout_session(text, integer, text, text) to worker;

create function private.close_checkout() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- A page may have been created while the invoice ended.
  insert into public.jobs (tenant_id, name, key, payload)
  values (new.tenant_id, 'close-checkout', new.id, jsonb_build_object('invoice_id', new.id))
  on conflict (name, key) do nothing;
  return null;
end
$$;

comment on function private.close_checkout() is 'Trigger: closes the payment pages of an invoice that was canceled or failed.';

create trigger invoices_close_checkout after update of status on public.invoices
  for each row when (new.status in ('canceled', 'failed') and old.status <> new.status and new.checkout_sessions is not null)
  execute function private.close_checkout();
