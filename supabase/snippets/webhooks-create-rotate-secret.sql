-- The secret is in the answer and nowhere else: copy it now. Events: null means all of
-- invoice.paid, invoice.canceled, invoice.failed, tax_document.issued, tax_document.failed, tax_document.canceled,
-- payout.paid, payout.failed, payout.canceled.
select * from admin.create_payment_webhook(
  tenant_id => '00000000-0000-4000-8000-000000000001',
  url       => 'https://example.com/webhooks',
  events    => array['invoice.paid', 'payout.paid']
);

-- A new secret; the old one signs along for 24 hours:
-- select admin.rotate_webhook_secret(id => '...');
