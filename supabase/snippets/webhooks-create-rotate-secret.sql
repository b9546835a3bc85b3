-- Create a webhook of payments, unless its URL has one. The result shows the secret only once: copy it. Events: null means all of
-- invoice.paid, invoice.canceled, invoice.failed, tax_document.issued, tax_document.failed, tax_document.canceled,
-- payout.paid, payout.failed, payout.canceled.
select * from admin.create_payment_webhook(
  tenant => 'acme',
  url    => 'https://example.com/webhooks',
  events => array['invoice.paid', 'payout.paid']
)
where not exists (select from admin.webhook_endpoints where tenant = 'acme' and url = 'https://example.com/webhooks');

-- Rotate its secret; for 24 hours deliveries are also signed with the old one
select admin.rotate_webhook_secret(id) from admin.webhook_endpoints where tenant = 'acme' and url = 'https://example.com/webhooks';
