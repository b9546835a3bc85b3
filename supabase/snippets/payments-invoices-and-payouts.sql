-- Invoices, newest first
select * from admin.invoices where tenant_id = (select id from public.tenants where slug = 'acme') order by created desc limit 100;

-- Payouts, newest first
select * from admin.payouts where tenant_id = (select id from public.tenants where slug = 'acme') order by created desc limit 100;

-- Refunds, newest first
select * from admin.refunds where tenant_id = (select id from public.tenants where slug = 'acme') order by created desc limit 100;

-- Orders that were created but never opened: rejected by the provider, or with an unknown outcome
select * from admin.unfinished_orders order by created desc;

-- Set a cancellation window for NFS-e in hours, instead of the calendar day of issuance
update public.tenants set nfse_cancellation_hours = 48 where slug = 'acme';
