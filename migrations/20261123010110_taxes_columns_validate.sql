-- Taxes: validates the constraint of taxes_columns without blocking writes.
set local lock_timeout = '3s';

alter table public.provider_accounts validate constraint provider_accounts_tax_regime_check;
