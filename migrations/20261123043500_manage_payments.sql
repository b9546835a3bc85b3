-- Administration through the API: provider accounts, routes, approvals, cost centers, balances, and the data of persons.

set local lock_timeout = '3s';

-- Who ordered a payout --------------------------------------------------------------------------------------------------

create function app.current_caller() returns jsonb
language sql stable
set search_path = ''
as $$
  select case when g.given ? 'kind' then jsonb_build_object('kind', g.given ->> 'kind', 'id', g.given ->> 'id') end
  from (select nullif(current_setting('app.actor', true), '')::jsonb as given) as g
$$;

comment on function app.current_caller() is 'The caller of the request: kind (client or api_key) and id; null outside of requests.';

grant execute on function app.current_caller() to api;

-- Credentials are client ids and ids of API keys. A caller that created or rotated a credential knows its secret, so it can act as the credential.
create table private.credential_holders (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  credential text not null,
  holder     text not null,
  primary key (tenant_id, credential, holder)
);

comment on table  private.credential_holders is
  'Credentials that requests created or rotated: a holder has known the secret of the credential and counts as it.';
comment on column private.credential_holders.credential is 'Client id, or id of an API key.';
comment on column private.credential_holders.holder is 'The credential that created or rotated it, or the API key that it replaced.';

alter table private.credential_holders enable row level security;

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, kept) values
  ('private.credential_holders', 'copy', 'the same credentials work at the destination', null, null, false);

create function private.record_holder() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder)
  select k.tenant_id, k.id::text, app.current_caller() ->> 'id' from public.api_keys k where tg_table_name = 'api_keys' and k.id::text = to_jsonb(new) ->> 'id'
  union all
  select c.tenant_id, c.client_id, app.current_caller() ->> 'id' from public.oauth_clients c
  where tg_table_name = 'oauth_client_secrets' and c.id = (to_jsonb(new) ->> 'oauth_client_id')::uuid
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_holder() is 'Trigger: remembers which caller created or rotated a credential.';

create trigger record_holder after insert on public.api_keys
  for each row when (app.current_caller() is not null) execute function private.record_holder();
create trigger record_holder after insert on private.oauth_client_secrets
  for each row when (app.current_caller() is not null) execute function private.record_holder();

create function private.holders_of(credential text) returns setof text
language sql stable
set search_path = ''
as $$
  with recursive holders (id) as (
    select holders_of.credential
    union
    select h.holder from holders o join private.credential_holders h on h.tenant_id = (select app.tenant_id()) and h.credential = o.id
  )
  select id from holders
$$;

comment on function private.holders_of(text) is 'The credential and all that can act as it, because they created or rotated it, or one of its holders.';

alter table public.payouts add column requested_by jsonb;
alter table public.payouts alter column requested_by set default app.current_caller();

comment on column public.payouts.requested_by is 'Who ordered the payout: kind (client or api_key) and id.';

-- Provider accounts -----------------------------------------------------------------------------------------------------

-- Payments --------------------------------------------------------------------------------------------------------------
create view manage.provider_accounts as
  select a.id, a.provider as name, a.created_at, a.provider, a.disconnected_at, r.record,
         app.version_of(r.record, '{reason,webhook_state,last_event_at,rejected_events,balance,currency,balance_read_at,checked_at,reconciled_at,tax_regime,national_portal,warnings}') as version
  from public.provider_accounts a
  cross join lateral (select json_build_object(
    'id', a.id, 'provider', a.provider, 'status', a.status, 'reason', a.reason, 'capabilities', a.capabilities, 'settings', a.settings,
    'webhook_state', a.webhook_state, 'last_event_at', app.format_utc(a.last_event_at), 'rejected_events', a.rejected_events,
    'balance', (a.balances #>> '{0,amount}')::bigint, 'currency', a.balances #>> '{0,currency}', 'balance_read_at', app.format_utc(a.balance_read_at),
    'created_at', app.format_utc(a.created_at), 'checked_at', app.format_utc(a.checked_at), 'reconciled_at', app.format_utc(a.reconciled_at),
    'disconnected_at', app.format_utc(a.disconnected_at),
    'tax_regime', case when a.provider = 'asaas' then coalesce(a.tax_regime, 'unknown') end, 'national_portal', a.national_portal,
    'warnings', private.account_warnings(a)) as record) as r
  where a.tenant_id = (select app.tenant_id());

comment on view manage.provider_accounts is 'Provider accounts of the tenant as the admin API shows them, without keys.';

create view manage.payouts as
  select p.id, p.our_number as name, p.created as created_at, p.approval, p.status, p.funding, r.record, app.version_of(r.record) as version
  from public.payouts p
  cross join lateral (select json_build_object(
    'id', p.id, 'status', p.status, 'approval', p.approval, 'amount', p.amount, 'currency', p.currency,
    'beneficiary_name', p.beneficiary ->> 'name', 'purpose', p.purpose, 'our_number', p.our_number,
    'contractor_reference', p.contractor_reference, 'provider', p.provider, 'failure_reason', p.failure_reason,
    'funding', case when p.status = 'incoming_payment_waiting' and p.funding is not null then json_build_object(
      'source_amount', (p.funding ->> 'sourceAmountMinor')::bigint, 'source_currency', p.funding ->> 'sourceCurrency',
      'reference', p.funding ->> 'reference', 'fund_by', p.funding ->> 'fundBy') end,
    'requested_by', case when p.requested_by is not null then json_build_object(
      'kind', p.requested_by ->> 'kind', 'id', p.requested_by ->> 'id', 'label', case p.requested_by ->> 'kind'
        when 'client' then (select c.label from public.oauth_clients c where c.client_id = p.requested_by ->> 'id')
        else (select k.label from public.api_keys k where k.id::text = p.requested_by ->> 'id') end) end,
    'created_at', app.format_utc(p.created)) as record) as r
  where p.tenant_id = (select app.tenant_id());

comment on view manage.payouts is 'Payouts of the tenant as the admin API shows them.';

create view manage.cost_centers as
  select c.code as name, c.code, c.created_at, r.record, app.version_of(r.record) as version
  from public.cost_centers c
  cross join lateral (select json_build_object(
    'code', c.code, 'name', c.name, 'is_default', c.is_default, 'created_at', app.format_utc(c.created_at)) as record) as r
  where c.tenant_id = (select app.tenant_id());

comment on view manage.cost_centers is 'Cost centers of the tenant as the admin API shows them.';

create function manage.list_payments(of_view text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    case of_view when 'provider_accounts' then 'provider_accounts' when 'cost_centers' then 'cost_centers' else 'payouts' end,
    private.search_in(
      case of_view when 'payouts' then $c$concat_ws(chr(10), v.name, v.id, v.record ->> 'beneficiary_name', v.record ->> 'contractor_reference')$c$
                   when 'cost_centers' then $c$concat_ws(chr(10), v.name, v.record ->> 'name')$c$ else 'v.name' end,
      page)
      || case page ->> 'waiting' when 'approval' then $c$ and v.approval = 'waiting' and v.status = 'created'$c$
                                 when 'funding' then $c$ and v.status = 'incoming_payment_waiting' and v.funding is not null$c$ else '' end
      || case when of_view = 'payouts' and page ? 'status' then $c$ and v.status = $1 ->> 'status'$c$ else '' end,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.record ->> ''id'' desc' else ', v.record ->> ''id''' end,
    page)
$$;

comment on function manage.list_payments(text, jsonb) is 'A page of provider_accounts, payouts or cost_centers; page as in manage.list_records.';

create function private.admin_account(id text) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.provider_accounts v where v.id = admin_account.id $$;

comment on function private.admin_account(text) is 'A provider account as the admin API shows it, with its version.';

create function manage.read_account(id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  shown constant jsonb := private.admin_account(id);
begin
  if shown is null then
    perform private.reject('not_found', 'There is no provider account with this id.');
  end if;
  return shown;
end
$$;

comment on function manage.read_account(text) is 'Reads a provider account.';

create function manage.connect_account(provider text, body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  slug    constant text := (select t.slug from public.tenants t where t.id = app.tenant_id());
  old_id  text;
  kept    jsonb;
  outcome text;
begin
  perform pg_advisory_xact_lock(hashtextextended('account ' || provider || app.tenant_id(), 0));
  select a.id, a.settings into old_id, kept from public.provider_accounts a
  where a.tenant_id = app.tenant_id() and a.provider = connect_account.provider and a.disconnected_at is null;
  perform private.expect_version(versions, private.admin_account(old_id)),
          set_config('manage.status', case when old_id is null then '201' else '200' end, true);
  begin
    outcome := case provider
      when 'asaas' then admin.connect_asaas(slug, body ->> 'api_key', coalesce(body -> 'settings', kept, '{}'), body ->> 'withdrawal_token')
      when 'wise' then admin.connect_wise(slug, body ->> 'token', coalesce(body -> 'settings', kept, '{}'))
      else admin.connect_stripe(slug, body ->> 'api_key')
    end;
  exception when invalid_parameter_value then
    if sqlerrm like 'key: is already used%' then
      perform private.reject('conflict', 'Another account uses this key. Each account needs its own key.',
                             case provider when 'wise' then 'token' else 'api_key' end, 'is used by another account');
    end if;
    raise;
  end;
  if starts_with(outcome, 'Not connected. ') then
    perform private.reject('unprocessable', outcome);
  end if;
  return private.admin_account(outcome) || jsonb_build_object('summary', private.last_summary(), 'made', old_id is null);
end
$$;

comment on function manage.connect_account(text, jsonb, jsonb) is 'Connects an account at a provider, or replaces its key, and its settings if any are given.';

create function manage.disconnect_account(id text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.expect_version(versions, manage.read_account(id)), admin.disconnect_provider(id);
  return private.admin_account(id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.disconnect_account(text, jsonb) is 'Disconnects a provider account once its open orders are finished.';

create function manage.reconcile_account(id text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.expect_version(versions, manage.read_account(id));
  if (private.admin_account(id) #>> '{record,disconnected_at}') is not null then
    perform private.reject('conflict', 'The account is disconnected. Connect the provider again.', extra => '{"state": "disconnected"}');
  end if;
  perform private.reconcile_provider(id);
  return private.admin_account(id) || jsonb_build_object('summary', 'Compares the account with its provider.');
end
$$;

comment on function manage.reconcile_account(text, jsonb) is 'Compares the ledger with the provider''s statement as soon as possible.';

create function manage.new_withdrawal_token(id text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  made record;
begin
  perform private.expect_version(versions, manage.read_account(id));
  select * into made from admin.new_withdrawal_token(id);
  return jsonb_build_object('record', jsonb_build_object('address', made.address, 'token', made.token), 'summary', private.last_summary());
end
$$;

comment on function manage.new_withdrawal_token(text, jsonb) is 'Creates the token that authenticates Asaas'' requests to approve withdrawals.';

-- Routes, approval rules, cost centers ------------------------------------------------------------------------------------

create function manage.list_routes() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('records', coalesce(jsonb_agg(jsonb_build_object(
    'kind', r.kind, 'region', r.region, 'currency', r.currency, 'method', r.method, 'providers', r.providers, 'is_default', r.is_default)
    order by r.kind, r.region, r.currency, r.method nulls first), '[]'))
  from (
    select p.kind, p.region, p.currency, p.method, p.tenant_id is null as is_default, jsonb_agg(p.provider order by p.preference) as providers
    from public.provider_routes p
    where p.tenant_id = app.tenant_id()
       or p.tenant_id is null and not exists (
         select from public.provider_routes o
         where o.tenant_id = app.tenant_id() and (o.kind, o.region, o.currency) = (p.kind, p.region, p.currency) and o.method is not distinct from p.method)
    group by p.kind, p.region, p.currency, p.method, p.tenant_id
  ) as r
$$;

comment on function manage.list_routes() is 'The routes to providers that apply to the tenant; its own replace defaults.';

create function manage.set_route(body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.check_record_limit('public.provider_routes', 'true', 500, 'provider routes')
  where jsonb_array_length(body -> 'providers') > 0 and not exists (
    select from public.provider_routes r
    where r.tenant_id = app.tenant_id() and r.kind = body ->> 'kind' and r.region = body ->> 'region' and r.currency = body ->> 'currency'
      and r.method is not distinct from body ->> 'method');
  begin
    perform private.set_provider_route(
      tenant => (select t.slug from public.tenants t where t.id = app.tenant_id()), kind => body ->> 'kind', region => body ->> 'region',
      currency => body ->> 'currency', method => body ->> 'method', providers => array(select jsonb_array_elements_text(body -> 'providers')));
  exception when invalid_parameter_value then
    perform private.reject('validation', 'Fix these fields.', split_part(sqlerrm, ': ', 1), substr(sqlerrm, strpos(sqlerrm, ': ') + 2));
  end;
  return jsonb_build_object('summary', private.last_summary(), 'record', (
    select r from jsonb_array_elements(manage.list_routes() -> 'records') as r
    where r ->> 'kind' = body ->> 'kind' and r ->> 'region' = body ->> 'region' and r ->> 'currency' = body ->> 'currency'
      and r ->> 'method' is not distinct from body ->> 'method'
    union all
    select body || '{"method": null, "providers": [], "is_default": false}' || jsonb_strip_nulls(jsonb_build_object('method', body -> 'method'))
    limit 1));
end
$$;

comment on function manage.set_route(jsonb) is 'Sets the providers of a kind, region, currency and method; an empty list restores the default.';

create function manage.list_approval_rules() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('records', coalesce(
    jsonb_agg(jsonb_build_object('currency', r.currency, 'above_amount', r.above_amount) order by r.currency), '[]'))
  from public.payout_approval_rules r where r.tenant_id = app.tenant_id()
$$;

comment on function manage.list_approval_rules() is 'Rules for which payouts require approval.';

create function manage.set_approval_rule(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  given_currency constant text := coalesce(body ->> 'currency', 'BRL');
  above          constant bigint := (body ->> 'above_amount')::bigint;
  current        bigint;
begin
  -- Also if there is no rule yet: another request may be creating the one that this one would raise.
  perform pg_advisory_xact_lock(hashtextextended('room public.payout_approval_rules' || app.tenant_id(), 0));
  select r.above_amount into current from public.payout_approval_rules r
  where r.tenant_id = app.tenant_id() and r.currency = given_currency for update;
  if current is not null and (above is null or above > current) then
    -- A caller that can order payouts must not be able to disable their approval.
    perform private.expect_own_scopes('{approve:payouts}', caller, 'Raising or removing a payout approval rule also requires approve:payouts.');
  elsif current is null and above is not null then
    perform private.check_record_limit('public.payout_approval_rules', 'true', 500, 'payout approval rules');
  end if;
  perform private.require_payout_approval((select t.slug from public.tenants t where t.id = app.tenant_id()), above, given_currency);
  return jsonb_build_object('summary', private.last_summary(), 'record', jsonb_build_object('currency', given_currency, 'above_amount', above));
end
$$;

comment on function manage.set_approval_rule(jsonb, jsonb) is 'Sets the amount above which payouts require approval; null removes the rule.';

create function manage.set_cost_center(code text, body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('room public.cost_centers' || app.tenant_id(), 0));
  perform private.expect_version(versions, (select jsonb_build_object('record', v.record, 'version', v.version) from manage.cost_centers v where v.code = set_cost_center.code));
  if not exists (select from public.cost_centers c where c.tenant_id = app.tenant_id() and c.code = set_cost_center.code) then
    perform private.check_record_limit('public.cost_centers', 'true', 500, 'cost centers'), set_config('manage.status', '201', true);
  else
    perform set_config('manage.status', '200', true);
  end if;
  perform private.register_cost_center(app.tenant_id(), code, body ->> 'name', coalesce((body ->> 'is_default')::boolean, false));
  select jsonb_build_object('record', v.record, 'version', v.version) into shown from manage.cost_centers v where v.code = set_cost_center.code;
  return shown || jsonb_build_object('summary', private.last_summary(), 'made', current_setting('manage.status') = '201');
end
$$;

comment on function manage.set_cost_center(text, jsonb, jsonb) is 'Creates or changes a cost center.';

-- Payouts and balances --------------------------------------------------------------------------------------------------

create function manage.read_payout(id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  select jsonb_build_object('record', v.record, 'version', v.version) into shown from manage.payouts v where v.id = read_payout.id;
  if not found then
    perform private.reject('not_found', 'There is no payout with this id.');
  end if;
  return shown;
end
$$;

comment on function manage.read_payout(text) is 'Reads a payout.';

create function manage.decide_payout(id text, reason text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  payout public.payouts;
begin
  select * into payout from public.payouts p where p.tenant_id = app.tenant_id() and p.id = decide_payout.id for update;
  perform private.expect_version(versions, manage.read_payout(id));
  if payout.requested_by ->> 'id' = caller ->> 'client_id' then
    perform private.reject('insufficient_scope', 'The client that requested a payout cannot decide on it.');
  elsif exists (select private.holders_of(payout.requested_by ->> 'id') intersect select private.holders_of(caller ->> 'client_id')) then
    perform private.reject('insufficient_scope',
      'One client has known the secret of both this client and the credential that requested the payout, because it created or rotated them. '
      'Decide with a client whose secret it has never known, for example one that was created with SQL.');
  elsif payout.approval is distinct from 'waiting' or payout.status <> 'created' then
    perform private.reject('conflict', 'The payout is not waiting for approval.', extra => jsonb_build_object(
      'state', case when payout.approval in ('approved', 'rejected') then payout.approval else payout.status end));
  elsif reason is null and payout.beneficiary ->> 'document' = 'erased' then
    perform private.reject('conflict', 'The beneficiary was erased, so the payout has no destination. Reject it.');
  elsif reason is null then
    perform private.approve_payout(id);
  else
    perform private.reject_payout(id, reason);
  end if;
  return manage.read_payout(id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.decide_payout(text, text, jsonb, jsonb) is 'Approves a payout that waits for approval, or rejects it with a reason.';

create function manage.adjust_balance(body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  entry constant text := admin.adjust_balance(app.tenant_id(), (body ->> 'amount')::bigint, body ->> 'currency', body ->> 'reason');
begin
  return jsonb_build_object('record', jsonb_build_object('entry_id', entry) || body, 'summary', private.last_summary());
end
$$;

comment on function manage.adjust_balance(jsonb) is 'Adds a manual entry to the ledger.';

-- Persons ---------------------------------------------------------------------------------------------------------------

create function private.check_person_limit() returns void
language plpgsql
set search_path = ''
as $$
declare
  most   constant integer := 20;
  recent timestamptz[];
begin
  perform pg_advisory_xact_lock(hashtextextended('persons' || app.tenant_id(), 0));
  select array_agg(c.at order by c.at desc) into recent from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.act in ('person.exported', 'person.erased') and c.via <> 'sql' and c.at > now() - interval '1 hour';
  if cardinality(recent) >= most then
    perform private.reject('rate_limited', format('At most %s exports and erasures per hour.', most), extra => jsonb_build_object(
      'retry_after', ceil(extract(epoch from recent[most] + interval '1 hour' - now()))));
  end if;
end
$$;

comment on function private.check_person_limit() is 'Rejects more than 20 exports and erasures of a tenant per hour.';

create function manage.export_person(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  data jsonb;
begin
  perform private.check_person_limit();
  data := admin.export_person(app.tenant_id(), email);
  return jsonb_build_object('record', data, 'summary', private.last_summary());
end
$$;

comment on function manage.export_person(text) is 'Exports the data of a person.';

create function manage.erase_person(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  data jsonb;
begin
  perform private.check_person_limit();
  data := admin.erase_person(app.tenant_id(), email);
  return jsonb_build_object('record', data, 'summary', private.last_summary());
end
$$;

comment on function manage.erase_person(text) is 'Erases the data of a person.';
