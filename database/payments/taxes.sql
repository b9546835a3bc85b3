-- Taxes: the taxes of a document, merged from its request and the account's settings, and the missing ones.
--
-- private.pis_cofins_rates lists the rates that a situation requires; shared/payments/tax-documents/taxes.ts has the same table for requests, and a
-- test compares the two.

create function private.pis_cofins_rates(cst text) returns text
language sql immutable
set search_path = ''
as $$
  select case when cst in ('01', '02') then 'above_zero'
              when cst = '06' then 'zero'
              when cst in ('00', '07', '08', '09') then 'none'
              when cst in ('03', '04', '05', '49', '99') then 'any' end
$$;

comment on function private.pis_cofins_rates(text) is
  'PIS and COFINS rates that a situation (CST) requires: above_zero, zero, none or any; null for an unknown CST.';

create function private.tax_fault(member text, message text) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_array(jsonb_build_object('member', member, 'message', message))
$$;

comment on function private.tax_fault(text, text) is 'A list with one fault of a document''s taxes.';

create function private.effective_taxes(regime text, on_day date, settings jsonb, service_code text, requested jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  codes   constant text[] := '{nbs_code,tax_situation_code,tax_classification_code,operation_indicator_code}';
  rates   constant text[] := '{operation_pis,operation_cofins}';
  account constant jsonb  := coalesce(nullif(settings -> 'taxes', 'null'), '{}');
  taxes            jsonb  := jsonb_strip_nulls(
    -- retainIss is the older spelling, which only the account's own taxes may have.
    account - 'retainIss' || jsonb_build_object('retain_iss', coalesce(account -> 'retain_iss', account -> 'retainIss')))
    || jsonb_strip_nulls(coalesce(nullif(settings #> array['services', service_code, 'taxes'], 'null'), '{}'))
    || jsonb_strip_nulls(coalesce(nullif(requested, 'null'), '{}'));
  cst     constant text   := taxes ->> 'pis_cofins_cst';
  faults           jsonb  := '[]';
  since            text;
  needed           text;
  rule             record;
begin
  if private.pis_cofins_rates(cst) in ('zero', 'none') then
    taxes := taxes - rates;
  end if;
  for rule in
    select n.name, effective_taxes.regime = 'unknown' or coalesce(r.sent_from <= on_day, false) as is_sent,
           coalesce(r.required_from <= on_day, false) as is_required, r.required_from
    from unnest('{pis_cofins,ibs_cbs}'::text[]) as n (name)
    left join private.fiscal_rules r on r.regime = effective_taxes.regime and r.rule = n.name
  loop
    since := format('is required since %s for accounts %s Simples Nacional', rule.required_from, case regime when 'simples' then 'in' else 'outside' end);
    if not rule.is_sent then
      taxes := taxes - case rule.name when 'ibs_cbs' then codes else rates || 'pis_cofins_cst'::text end;
    elsif rule.name = 'ibs_cbs' then
      foreach needed in array codes loop
        if rule.is_required and not taxes ? needed then
          faults := faults || private.tax_fault(needed, since);
        end if;
      end loop;
    elsif rule.is_required and cst is null then
      faults := faults || private.tax_fault('pis_cofins_cst', since);
    elsif regime <> 'unknown' and private.pis_cofins_rates(cst) = 'above_zero' then
      foreach needed in array rates loop
        if coalesce((taxes ->> needed)::numeric, 0) <= 0 then
          faults := faults || private.tax_fault(needed, format('must be above 0 with pis_cofins_cst %s', cst));
        end if;
      end loop;
    end if;
  end loop;
  if taxes ? 'nbs_code' then
    taxes := taxes || jsonb_build_object('nbs_code', regexp_replace(taxes ->> 'nbs_code', '\D', '', 'g'));
  end if;
  return jsonb_build_object('taxes', taxes, 'faults', faults);
end
$$;

comment on function private.effective_taxes(text, date, jsonb, text, jsonb) is
  'The taxes to send for a document issued on a day (requested over service over account), and the faults that prevent it.';

create function private.issue_day(time_zone text, at timestamptz) returns date
language sql stable
set search_path = ''
return greatest((at at time zone time_zone)::date, (at at time zone 'America/Sao_Paulo')::date);

comment on function private.issue_day(text, timestamptz) is
  'The day on which a provider issues a document: the tenant''s, or São Paulo''s if it is later, because providers reject past days.';

create function app.tax_order(tenant_id uuid, account_id text, service_code text, requested jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  effective jsonb;
  nbs_code  constant text := regexp_replace(requested ->> 'nbs_code', '\D', '', 'g');
begin
  select private.effective_taxes(
           case when tax_order.account_id is null then coalesce(s.regime, 'simples') else coalesce(a.tax_regime, 'unknown') end,
           case when tax_order.account_id is null then (now() at time zone t.time_zone)::date else private.issue_day(t.time_zone, now()) end,
           a.settings, tax_order.service_code, tax_order.requested)
         || jsonb_build_object('address_required', coalesce(a.settings ->> 'customer_address' = 'required', false))
  into effective
  from public.tenants t
  left join public.provider_accounts a on a.tenant_id = t.id and a.id = tax_order.account_id
  left join private.sandbox_tax_regimes s on s.tenant_id = t.id
  where t.id = tax_order.tenant_id
    and (t.id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'));
  -- The sandbox's document shows the code before any provider would get it.
  return case when account_id is null and nbs_code is not null
              then jsonb_set(effective, '{taxes,nbs_code}', to_jsonb(nbs_code)) else effective end;
end
$$;

comment on function app.tax_order(uuid, text, text, jsonb) is
  'Taxes and faults of a document that an account (null: the sandbox) would issue today, and whether the customer''s address is required.';

grant execute on function app.tax_order(uuid, text, text, jsonb) to api, worker;

-- Warnings ------------------------------------------------------------------------------------------------------------

create function private.missing_tax_settings(account public.provider_accounts) returns text[]
language sql stable
set search_path = ''
as $$
  with scopes as (
    select key as service, count(*) over () as services
    from jsonb_object_keys(coalesce(nullif(account.settings -> 'services', 'null'), '{}')) as key
    union all
    select null, 1 where coalesce(nullif(account.settings -> 'services', 'null'), '{}') = '{}'
  ), lacking as (
    select s.service, s.services, f ->> 'member' as member, f ->> 'message' as message,
           count(*) over (partition by f ->> 'member', f ->> 'message') as lack
    from scopes s
    join public.tenants t on t.id = account.tenant_id
    cross join lateral jsonb_array_elements(private.effective_taxes(
      coalesce(account.tax_regime, 'unknown'), private.issue_day(t.time_zone, now()), account.settings, s.service, null) -> 'faults') as f
  )
  select coalesce(array_agg(distinct
    -- A member that every service lacks is missing in the account's own taxes.
    case when l.lack = l.services then 'settings.taxes.' else format('settings.services.%s.taxes.', l.service) end
    || l.member || ' ' || l.message || '. Set it, or send it with each tax document.'), '{}')
  from lacking l
$$;

comment on function private.missing_tax_settings(public.provider_accounts) is
  'One line per tax that documents need today and an account''s settings lack.';

create function private.unknown_fiscal_codes(account public.provider_accounts) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(format('%s.%s %s is not in the provider''s list of codes.', s.path, k.kind, s.taxes ->> k.kind) order by s.path, k.kind), '{}')
  from (
    select 'settings.taxes' as path, account.settings -> 'taxes' as taxes
    union all
    select format('settings.services.%s.taxes', key), member -> 'taxes'
    from jsonb_each(coalesce(nullif(account.settings -> 'services', 'null'), '{}')) as m (key, member)
  ) as s
  cross join unnest(account.complete_fiscal_lists) as k (kind)
  where s.taxes ->> k.kind is not null and not exists (
    select from public.provider_fiscal_codes c
    where c.tenant_id = account.tenant_id and c.account_id = account.id and c.kind = k.kind
      -- Providers write codes with or without dots.
      and regexp_replace(c.code, '\D', '', 'g') = regexp_replace(s.taxes ->> k.kind, '\D', '', 'g'))
$$;

comment on function private.unknown_fiscal_codes(public.provider_accounts) is
  'One line per configured code that a complete list of the provider lacks.';

create function private.account_warnings(account public.provider_accounts) returns text[]
language sql stable
set search_path = ''
as $$
  select case when account.status = 'disconnected' then '{}'::text[] else
    case when account.webhook_warning is not null then array[
      format('The provider rejects our webhook with all events, so it has only the core events. It says: %s', account.webhook_warning)
    ] else '{}' end
    || case when account.provider = 'asaas'
            then private.missing_tax_settings(account) || private.unknown_fiscal_codes(account) else '{}' end
  end
$$;

comment on function private.account_warnings(public.provider_accounts) is
  'Warnings about a working account, one per line.';

-- Settings of an Asaas account ----------------------------------------------------------------------------------------

create function private.expect_taxes(argument text, taxes jsonb, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  situations constant text[] := '{00,01,02,03,04,05,06,07,08,09,49,99}';
  cst        constant text   := taxes ->> 'pis_cofins_cst';
  wrong      record;
begin
  perform private.expect_object(argument, taxes, allowed);
  select m.key, p.problem into wrong
  from jsonb_each(taxes) as m (key, member)
  cross join lateral (select jsonb_typeof(m.member) as type, m.member #>> '{}' as value) as v
  cross join lateral (
    select case
      when m.key in ('retainIss', 'retain_iss') then case when v.type <> 'boolean' then 'must be true or false' end
      when m.key = 'pis_cofins_cst' then
        case when v.type <> 'string' or v.value <> all (situations) then 'must be one of ' || array_to_string(situations, ', ') end
      when m.key = 'nbs_code' then
        case when v.type <> 'string' or v.value !~ '^(\d{9}|\d\.\d{4}\.\d{2}\.\d{2})$' then 'must be 9 digits, or written like 1.2345.67.89' end
      when m.key ~ '_code$' then
        case when v.type <> 'string' or v.value !~ '^\d{1,10}$' then 'must be a string of 1 to 10 digits' end
      when v.type <> 'number' or v.value::numeric not between 0 and 100 or scale(trim_scale(v.value::numeric)) > 4
        then 'must be a percentage from 0 to 100 with at most 4 decimals'
      when m.key in ('operation_pis', 'operation_cofins') then
        case private.pis_cofins_rates(cst)
          when 'none' then 'must not be set with pis_cofins_cst ' || cst
          when 'zero' then case when v.value::numeric > 0 then 'must be 0 with pis_cofins_cst ' || cst end
          when 'above_zero' then case when v.value::numeric = 0 then 'must be above 0 with pis_cofins_cst ' || cst end
        end
    end as problem
  ) as p
  where p.problem is not null
  limit 1;
  if found then
    perform private.refuse_argument(argument || '.' || wrong.key, wrong.problem);
  elsif taxes ?& '{retainIss,retain_iss}' then
    perform private.refuse_argument(argument || '.retainIss', 'is the old name of retain_iss. Set only retain_iss');
  end if;
end
$$;

comment on function private.expect_taxes(text, jsonb, text[]) is
  'Rejects taxes with unknown members, invalid values, or rates that contradict their own CST.';

create function private.erase_document_addresses() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.tax_documents d set customer_address = private.erased_party(d.customer_address, '')
  where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.customer_address is not null;
  return null;
end
$$;

comment on function private.erase_document_addresses() is
  'Trigger: erases the addresses of an invoice''s tax documents when its customer is erased, which is the only change of a customer.';

create trigger invoices_erase_document_addresses after update of customer on public.invoices
  for each row when (old.customer is distinct from new.customer)
  execute function private.erase_document_addresses();

create function app.check_canceled_documents(invoice_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- After the lease of the attempt.
  insert into public.jobs as j (tenant_id, name, key, payload, due_at)
  select d.tenant_id, 'issue-tax-document', d.id || ':cancellation', jsonb_build_object('tax_document_id', d.id), now() + interval '1 minute'
  from public.tax_documents d
  where d.tenant_id = app.tenant_id() and d.invoice_id = check_canceled_documents.invoice_id and d.status = 'issued'
  on conflict (name, key) do update
  set due_at = excluded.due_at, published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null;
end
$$;

comment on function app.check_canceled_documents(text) is
  'Schedules a lookup of an invoice''s issued tax documents, in case the attempt to cancel them ends before it stores their state.';

grant execute on function app.check_canceled_documents(text) to api;
