-- The comparison with a provider runs in a job, so its function says that it begins instead of that nothing changed.

set local lock_timeout = '3s';

create or replace function admin.reconcile_provider(account text) returns text
language plpgsql
set search_path = ''
as $$
begin
  perform private.reconcile_provider(account);
  return 'Comparing the account with its provider. It is done when reconciled_at in admin.provider_accounts is later than now.';
end
$$;

comment on function admin.reconcile_provider(text) is
  'Reconciles an account with its provider now: applies missed changes and lists other differences in admin.provider_differences.';
