select * from admin.invoices where tenant_id = (select id from public.tenants where slug = 'acme') order by created desc limit 100;
select * from admin.payouts  where tenant_id = (select id from public.tenants where slug = 'acme') order by created desc limit 100;

-- What was begun and never opened: refused by its provider, or not known yet.
select * from admin.unfinished_orders order by created desc;

-- Another cancellation window of NFS-e than the calendar day of issuance, in hours:
-- update public.tenants set nfse_cancellation_hours = 48 where id = '...';
