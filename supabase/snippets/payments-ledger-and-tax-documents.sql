-- Ledger entries, newest first, in minor units.
select created, type, amount, fee, net, currency, available_on, our_number, reason, invoice_id, payout_id
from admin.ledger
where tenant_id = (select id from admin.tenants where slug = 'acme')
order by id desc
limit 200;

-- Tax documents
select created, status, invoice_id, document_number, issued_at, failure_reason, cancel_reason
from admin.tax_documents
where tenant_id = (select id from admin.tenants where slug = 'acme')
order by id desc
limit 200;
