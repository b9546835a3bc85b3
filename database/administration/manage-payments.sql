-- Administration through the API: provider accounts, routes, approvals, cost centers, balances, and the data of persons.

-- Who ordered a payout --------------------------------------------------------------------------------------------------

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
comment on column private.credential_holders.holder is 'The credential that created or rotated it, the API key that it replaced, or the user that it acted for.';

alter table private.credential_holders enable row level security;

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

-- Otherwise people could approve what their client requested, once it no longer acts for them.
create function private.record_former_user() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder) values (old.tenant_id, old.client_id, old.user_id::text)
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_former_user() is 'Trigger: remembers the user that a client acted for, if a request changes it.';

create trigger record_former_user after update of user_id on public.oauth_clients
  for each row when (old.user_id <> coalesce(new.user_id, '00000000-0000-0000-0000-000000000000') and app.current_caller() is not null)
  execute function private.record_former_user();

create function private.holders_of(credential text) returns setof text
language sql stable
set search_path = ''
as $$
  with recursive holders (id) as (
    select holders_of.credential
    union
    select h.holder from holders o
    cross join lateral (
      select k.holder from private.credential_holders k where k.tenant_id = (select app.tenant_id()) and k.credential = o.id
      union all
      -- A client acts for its user.
      select c.user_id::text from public.oauth_clients c
      where c.tenant_id = (select app.tenant_id()) and c.client_id = o.id and c.user_id is not null
      union all
      -- An account that got another address may be that of a second user, too.
      select other.user_id::text from private.user_accounts own
      join private.user_accounts other on other.tenant_id = own.tenant_id and other.auth_user_id = own.auth_user_id
      where own.tenant_id = (select app.tenant_id()) and own.user_id::text = o.id
    ) as h
  )
  select id from holders
$$;

create function private.is_same_person(one jsonb, other jsonb) returns boolean
language sql stable
set search_path = ''
as $$ select exists (select private.holders_of(one ->> 'id') intersect select private.holders_of(other ->> 'id')) $$;

comment on function private.is_same_person(jsonb, jsonb) is
  'Whether one person can act as both callers: by credentials that they made or rotated, or as the user of a client that can.';

comment on function private.holders_of(text) is
  'The credential and all that can act as it: its user, what created or rotated it, other users of the same account, and their holders.';

-- Provider accounts -----------------------------------------------------------------------------------------------------

create function app.account_warnings(account_id text) returns text[]
language sql stable security definer
set search_path = ''
as $$ select private.account_warnings(a) from public.provider_accounts a where a.tenant_id = app.tenant_id() and a.id = account_id $$;

comment on function app.account_warnings(text) is 'Warnings about a working account of the tenant, one per line.';

create function app.connect_provider(provider text, key text, settings jsonb, withdrawal_token text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  perform private.connect_provider(app.tenant_id()::text, provider, key, settings, withdrawal_token);
  return '{}';
exception when others then
  if silent then
    raise;
  end if;
  return jsonb_build_object('refusal', sqlerrm);
end
$$;

comment on function app.connect_provider(text, text, jsonb, text) is
  'Connects the tenant to a provider. Returns the refusal, if an error would be logged with the key, so that a later statement raises it.';

create function app.disconnect_provider(account_id text) returns void
language sql security definer
set search_path = ''
as $$ select admin.disconnect_provider(a.id) from public.provider_accounts a where a.tenant_id = app.tenant_id() and a.id = account_id $$;

comment on function app.disconnect_provider(text) is 'Disconnects an account of the tenant once its open orders are finished.';

create function app.reconcile_provider(account_id text) returns void
language sql security definer
set search_path = ''
as $$ select private.reconcile_provider(a.id) from public.provider_accounts a where a.tenant_id = app.tenant_id() and a.id = account_id $$;

comment on function app.reconcile_provider(text) is 'Compares the ledger of the tenant with the statement of its provider as soon as possible.';

create function app.new_withdrawal_token(account_id text) returns table (address text, token text)
language sql security definer
set search_path = ''
as $$
  select n.address, n.token from public.provider_accounts a cross join lateral admin.new_withdrawal_token(a.id) as n
  where a.tenant_id = app.tenant_id() and a.id = account_id
$$;

comment on function app.new_withdrawal_token(text) is 'Creates the token that authenticates Asaas'' requests to approve withdrawals of the tenant.';

grant select on public.provider_differences to manage;
create policy "Administration sees its own differences" on public.provider_differences
  for select to manage using (tenant_id = (select app.tenant_id()));

-- Routes, approval rules, cost centers ----------------------------------------------------------------------------------

create function app.set_provider_route(kind text, region text, currency text, method text, providers text[]) returns void
language sql security definer
set search_path = ''
as $$ select private.set_provider_route(app.tenant_id()::text, kind, region, currency, method, providers) $$;

comment on function app.set_provider_route(text, text, text, text, text[]) is 'Sets the providers of orders of the tenant; an empty list restores the default.';

create function app.set_payout_approval_rule(rule_currency text, above bigint) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  current bigint;
begin
  -- Also if there is no rule yet: another request may be creating the one that this one would raise.
  perform pg_advisory_xact_lock(hashtextextended('room public.payout_approval_rules' || app.tenant_id(), 0));
  select r.above_amount into current from public.payout_approval_rules r
  where r.tenant_id = app.tenant_id() and r.currency = rule_currency for update;
  if current is not null and (above is null or above > current) then
    -- A caller that can order payouts must not be able to disable their approval.
    perform app.expect_own_scopes(
      case app.current_caller() ->> 'kind' when 'person' then array['approve:payouts', 'manage:access'] else array['approve:payouts'] end,
      'approval_rule_protected');
  end if;
  perform private.require_payout_approval(app.tenant_id()::text, above, rule_currency);
end
$$;

comment on function app.set_payout_approval_rule(text, bigint) is 'Sets the amount above which payouts of the tenant require approval; null removes the rule.';

create function app.register_cost_center(code text, name text, is_default boolean) returns void
language sql security definer
set search_path = ''
as $$ select private.register_cost_center(app.tenant_id(), code, name, is_default) $$;

comment on function app.register_cost_center(text, text, boolean) is 'Creates or changes a cost center of the tenant.';

-- Balances ------------------------------------------------------------------------------------------------------------

create function app.adjust_balance(amount bigint, currency text, reason text) returns text
language sql security definer
set search_path = ''
as $$ select admin.adjust_balance(app.tenant_id(), amount, currency, reason) $$;

comment on function app.adjust_balance(bigint, text, text) is 'Adds a manual entry to the ledger of the tenant and returns its id.';

grant execute on function
  app.account_warnings(text), app.connect_provider(text, text, jsonb, text), app.disconnect_provider(text), app.reconcile_provider(text),
  app.new_withdrawal_token(text), app.set_provider_route(text, text, text, text, text[]), app.set_payout_approval_rule(text, bigint),
  app.register_cost_center(text, text, boolean), app.decide_payout(text, text), app.adjust_balance(bigint, text, text) to manage;
