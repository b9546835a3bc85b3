drop index concurrently if exists public.invoices_unfilled_idx;
create index concurrently invoices_unfilled_idx on public.invoices (id) where status = 'paid' and paid_amount is null;
