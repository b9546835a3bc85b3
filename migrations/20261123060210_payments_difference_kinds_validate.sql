-- Payments: validates the kinds of differences.

set local lock_timeout = '3s';

alter table public.provider_differences validate constraint provider_differences_kind_check;
