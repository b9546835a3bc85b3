-- Payments: refunds in Studio.

-- Studio --------------------------------------------------------------------------------------------------------------

create view admin.refunds with (security_invoker = true) as
  select r.id, r.tenant_id, t.slug as tenant, r.invoice_id, r.amount, r.currency, r.status, r.origin, r.reason, r.failure_reason, r.provider,
         r.created, r.settled_at
  from public.refunds r
  join public.tenants t on t.id = r.tenant_id;

comment on view admin.refunds is 'Refunds of all tenants; creating: the provider has not accepted the refund yet.';
comment on column admin.refunds.id is 'The refund.';
comment on column admin.refunds.tenant_id is 'The tenant.';
comment on column admin.refunds.tenant is 'Slug of the tenant.';
comment on column admin.refunds.invoice_id is 'The invoice.';
comment on column admin.refunds.amount is 'Refunded amount in minor units.';
comment on column admin.refunds.currency is 'Currency of the amount.';
comment on column admin.refunds.status is 'creating, pending, succeeded or failed.';
comment on column admin.refunds.origin is 'api if a caller ordered it, provider if it was made at the provider.';
comment on column admin.refunds.reason is 'The caller''s reason, or the provider''s description.';
comment on column admin.refunds.failure_reason is 'Why it failed.';
comment on column admin.refunds.provider is 'The provider that charged the invoice.';
comment on column admin.refunds.created is 'When it was ordered or first seen.';
comment on column admin.refunds.settled_at is 'When it succeeded or failed.';
