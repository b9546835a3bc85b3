-- Taxes: the codes of IBS and CBS that an account's provider knows. A job (read-fiscal-codes) reads them daily.
set local lock_timeout = '3s';

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

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, kept) values
  ('public.provider_fiscal_codes', 'stay', 'read again from the provider every day', null, null, false);
