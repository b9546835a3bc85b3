-- Payments: the providers, and the sandbox.

create table private.payment_providers (
  name                   text    primary key check (name ~ '^[a-z][a-z0-9_]*$'),
  kinds                  text[]  not null check (kinds <@ '{charge,payout,tax_document}'),
  has_due_terms          boolean not null,
  accepts_webhook_secret boolean not null
);

comment on table  private.payment_providers is
  'Providers of payments and the sandbox: which orders go to each. A test compares them with their definitions in the code.';
comment on column private.payment_providers.name is 'Name in the API and in routes.';
comment on column private.payment_providers.kinds is 'Kinds of orders that can be routed to it.';
comment on column private.payment_providers.has_due_terms is
  'Whether its charges can have due dates with fines, interest and discounts.';
comment on column private.payment_providers.accepts_webhook_secret is
  'Whether it verifies webhooks with a secret of ours. Others return one with the webhook, or sign with their own key.';

alter table private.payment_providers enable row level security;
