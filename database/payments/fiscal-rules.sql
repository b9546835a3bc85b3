-- Taxes: the dates from which NFS-e must include each group of taxes, by the issuer's tax regime.
--
--   pis_cofins  situation (CST) and the issuer's own rates of PIS and COFINS
--   ibs_cbs     the four codes of IBS and CBS (tax reform)
--
-- The dates are data, because the tax authority has moved them before.

create table private.fiscal_rules (
  regime        text not null check (regime in ('normal', 'simples')),
  rule          text not null check (rule in ('pis_cofins', 'ibs_cbs')),
  sent_from     date,
  required_from date check (required_from >= sent_from),
  primary key (regime, rule),
  check (required_from is null or sent_from is not null)
);

comment on table  private.fiscal_rules is 'Dates from which the taxes of each rule are sent and required, by tax regime.';
comment on column private.fiscal_rules.regime is
  'Tax regime of the issuer: normal or simples (Simples Nacional). If it is unknown, all taxes are sent and none is required.';
comment on column private.fiscal_rules.rule is 'pis_cofins: CST and own rates; ibs_cbs: the four codes of IBS and CBS.';
comment on column private.fiscal_rules.sent_from is 'First issue date on which the taxes are sent; null means never.';
comment on column private.fiscal_rules.required_from is
  'First issue date on which documents require the taxes; null means never.';

alter table private.fiscal_rules enable row level security;

insert into private.fiscal_rules (regime, rule, sent_from, required_from) values
  ('normal',  'pis_cofins', '2026-06-30', '2026-06-30'),
  ('normal',  'ibs_cbs',    '2026-01-01', '2026-10-01'),
  ('simples', 'pis_cofins', null,         null),
  ('simples', 'ibs_cbs',    '2027-01-01', '2027-01-01');

create view admin.fiscal_rules with (security_invoker = true) as
  select regime, rule, sent_from, required_from from private.fiscal_rules;

comment on view admin.fiscal_rules is
  'Dates from which the taxes of NFS-e are sent and required, by tax regime; change a row with admin.set_fiscal_rule.';
comment on column admin.fiscal_rules.regime is 'Tax regime of the issuer: normal or simples (Simples Nacional).';
comment on column admin.fiscal_rules.rule is 'pis_cofins: CST and own rates; ibs_cbs: the four codes of IBS and CBS.';
comment on column admin.fiscal_rules.sent_from is 'First issue date on which the taxes are sent; null means never.';
comment on column admin.fiscal_rules.required_from is 'First issue date on which documents require the taxes; null means never.';

create function private.set_fiscal_rule(regime text, rule text, sent_from date, required_from date) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_one_of('regime', regime, '{normal,simples}'), private.expect_one_of('rule', rule, '{pis_cofins,ibs_cbs}');
  if required_from < sent_from or (required_from is not null and sent_from is null) then
    perform private.refuse_argument('required_from', 'must be null or on or after sent_from: taxes that are not sent cannot be required');
  end if;
  update private.fiscal_rules r set sent_from = set_fiscal_rule.sent_from, required_from = set_fiscal_rule.required_from
  where r.regime = set_fiscal_rule.regime and r.rule = set_fiscal_rule.rule;
end
$$;

comment on function private.set_fiscal_rule(text, text, date, date) is
  'Sets the dates from which a rule''s taxes (pis_cofins, ibs_cbs) are sent and required for a regime (normal, simples); null means never.';

-- The sandbox's tenants have no account, so an admin sets their regime.
create table private.sandbox_tax_regimes (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  regime    text not null check (regime in ('simples', 'normal', 'unknown'))
);

comment on table  private.sandbox_tax_regimes is 'Tax regimes of tenants in the sandbox; tenants without a row are in Simples Nacional.';
comment on column private.sandbox_tax_regimes.regime is 'simples, normal or unknown.';

alter table private.sandbox_tax_regimes enable row level security;

create function admin.set_sandbox_tax_regime(tenant text, regime text) returns void
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  perform private.expect_one_of('regime', regime, '{simples,normal,unknown}');
  if app.environment() = 'production' then
    perform private.refuse_argument('tenant', 'has no sandbox: the sandbox is only available in staging');
  end if;
  insert into private.sandbox_tax_regimes (tenant_id, regime) values (own, set_sandbox_tax_regime.regime)
  on conflict on constraint sandbox_tax_regimes_pkey do update set regime = excluded.regime;
end
$$;

comment on function admin.set_sandbox_tax_regime(text, text) is
  'Sets the tax regime (simples, normal, unknown) with which the sandbox issues a tenant''s tax documents (slug or id); staging only.';

-- Codes of IBS and CBS ------------------------------------------------------------------------------------------------

-- Those that an account's provider knows. A job (read-fiscal-codes) reads them daily.

create table public.provider_fiscal_codes (
  tenant_id   uuid not null,
  account_id  text not null,
  kind        text not null check (
    kind in ('nbs_code', 'tax_situation_code', 'tax_classification_code', 'operation_indicator_code')),
  code        text not null,
  description text,
  primary key (tenant_id, account_id, kind, code),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_fiscal_codes is 'Codes of IBS and CBS that the provider of an account lists.';
comment on column public.provider_fiscal_codes.kind is 'The member of taxes that has such a code.';
comment on column public.provider_fiscal_codes.code is 'The code as the provider writes it.';

alter table public.provider_fiscal_codes enable row level security;
grant select, insert, update, delete on public.provider_fiscal_codes to worker;

create policy "Jobs keep code lists" on public.provider_fiscal_codes for all to worker using (true) with check (true);

create view admin.fiscal_codes with (security_invoker = true) as
  select account_id, kind, code, description from public.provider_fiscal_codes;

comment on view admin.fiscal_codes is 'Codes of IBS and CBS that can be set for an account, according to its provider.';
comment on column admin.fiscal_codes.account_id is 'The provider account; see admin.provider_accounts.';
comment on column admin.fiscal_codes.kind is 'The member of taxes that has such a code.';
comment on column admin.fiscal_codes.code is 'The code as the provider writes it.';
comment on column admin.fiscal_codes.description is 'What the code stands for, in the provider''s words.';

create function app.schedule_fiscal_codes_job(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  insert into public.jobs as j (tenant_id, name, key, payload)
  select a.tenant_id, 'read-fiscal-codes', a.id, jsonb_build_object('account_id', a.id)
  from public.provider_accounts a
  where a.id = schedule_fiscal_codes_job.account_id and exists (
    select from private.fiscal_rules r where r.regime = a.tax_regime and r.rule = 'ibs_cbs' and r.sent_from <= current_date)
  on conflict on constraint jobs_name_key_key do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null
  where j.finished_at < now() - interval '1 day' or j.failed_at < now() - interval '1 day'
$$;

comment on function app.schedule_fiscal_codes_job(text) is
  'Schedules the job that reads the lists of codes if IBS and CBS concern the account and no list was read within a day.';

grant execute on function app.schedule_fiscal_codes_job(text) to worker;
