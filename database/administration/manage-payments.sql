-- Administration through the API: provider accounts, routes, cost centers and balances. Approval of payouts: payments/approval.sql.

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

-- Routes and cost centers -----------------------------------------------------------------------------------------------

create function app.set_provider_route(kind text, region text, currency text, method text, providers text[]) returns void
language sql security definer
set search_path = ''
as $$ select private.set_provider_route(app.tenant_id()::text, kind, region, currency, method, providers) $$;

comment on function app.set_provider_route(text, text, text, text, text[]) is 'Sets the providers of orders of the tenant; an empty list restores the default.';

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
