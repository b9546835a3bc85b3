-- Taxes: an account's tax settings and webhook as its provider reports them, and the taxes of a tax document.
set local lock_timeout = '3s';

alter table public.provider_accounts
  add column tax_regime            text,
  add column national_portal       boolean,
  add column webhook_warning       text,
  add column webhook_warned_at     timestamptz,
  add column complete_fiscal_lists text[] not null default '{}';

alter table public.provider_accounts
  add constraint provider_accounts_tax_regime_check check (tax_regime in ('simples', 'normal', 'unknown')) not valid;

comment on column public.provider_accounts.tax_regime is
  'Tax regime according to the provider: simples, normal or unknown; null if it has not been read or issues no tax documents.';
comment on column public.provider_accounts.national_portal is
  'Whether the account issues NFS-e on the national portal; null if the provider does not say.';
comment on column public.provider_accounts.webhook_warning is
  'Why the provider rejected our webhook with all events; null if it accepted them.';
comment on column public.provider_accounts.webhook_warned_at is
  'When the provider last rejected all events; they are tried again after a day.';
comment on column public.provider_accounts.complete_fiscal_lists is
  'Kinds of codes in provider_fiscal_codes that were read to the end.';

alter table public.tax_documents
  add column requested_taxes  jsonb,
  add column customer_address jsonb,
  add column taxes            jsonb;

comment on column public.tax_documents.requested_taxes is 'Taxes given for this document, which take precedence over settings.';
comment on column public.tax_documents.customer_address is 'Address given for this document; null if the invoice has one or none is needed.';
comment on column public.tax_documents.taxes is 'IBS and CBS of the issued document, according to the provider.';
