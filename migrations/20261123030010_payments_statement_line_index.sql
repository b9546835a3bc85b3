drop index concurrently if exists public.balance_transactions_line_idx;
create unique index concurrently balance_transactions_line_idx on public.balance_transactions (tenant_id, provider_account_id, statement_line) where statement_line is not null;
