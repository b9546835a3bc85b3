-- Payments: kinds of differences for transfers and refunds that Placar did not approve.

set local lock_timeout = '3s';

-- allow: expand-contract: replaced at once by a wider one
alter table public.provider_differences drop constraint provider_differences_kind_check;
alter table public.provider_differences add constraint provider_differences_kind_check
  check (kind in ('unknown_order', 'missing_order', 'amount', 'second_transfer', 'refused_refund')) not valid;
comment on column public.provider_differences.kind is
  'unknown_order, missing_order: only one side has it; amount: amounts differ; second_transfer, refused_refund: Placar did not approve it.';
