select * from admin.invoices where tenant_id = '00000000-0000-4000-8000-000000000001' order by created desc limit 100;
select * from admin.payouts  where tenant_id = '00000000-0000-4000-8000-000000000001' order by created desc limit 100;

-- Another cancellation window of NFS-e than the calendar day of issuance, in hours:
-- update public.tenants set nfse_cancellation_hours = 48 where id = '...';
