drop index concurrently if exists public.balance_transactions_refund_idx;
create index concurrently balance_transactions_refund_idx on public.balance_transactions (tenant_id, refund_id) where refund_id is not null;
