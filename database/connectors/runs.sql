-- Connectors: previews, imports, reconciliations and comparisons. A run goes through all records of a CRM, or those that changed since
-- the last one, page by page. The transaction that applies a page stores where the next one begins, so a run goes on after a kill.

create table public.crm_runs (
  id            text        not null default app.typeid('run'),
  tenant_id     uuid        not null,
  account_id    text        not null,
  kind          text        not null check (kind in ('preview', 'import', 'reconcile', 'compare')),
  status        text        not null default 'queued' check (status in ('queued', 'running', 'waiting', 'done', 'failed', 'canceled')),
  phase         text        not null default 'users' check (phase in ('users', 'leads', 'deals', 'activities', 'checks', 'done')),
  cursor        text,
  since         timestamptz,
  read          bigint      not null default 0,
  created       bigint      not null default 0,
  updated       bigint      not null default 0,
  linked        bigint      not null default 0,
  unchanged     bigint      not null default 0,
  skipped       bigint      not null default 0,
  failed        bigint      not null default 0,
  waiting_until timestamptz,
  error         text,
  left_out      boolean     not null default false,
  created_at    timestamptz not null default clock_timestamp(),
  started_at    timestamptz,
  finished_at   timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on table  public.crm_runs is 'Runs through the records of a CRM, with their progress.';
comment on column public.crm_runs.kind is 'preview, import, reconcile or compare.';
comment on column public.crm_runs.created is 'Created here.';
comment on column public.crm_runs.updated is 'Updated here.';
comment on column public.crm_runs.linked is 'Linked with a record that was here with the same values.';
comment on column public.crm_runs.unchanged is 'Linked before, and the same.';
comment on column public.crm_runs.skipped is 'Not carried over: admin.crm_preview and admin.crm_differences say why.';
comment on column public.crm_runs.failed is 'Could not be applied.';
comment on column public.crm_runs.left_out is 'Whether an import left out records that changed since it began; a reconciliation follows.';
comment on column public.crm_runs.waiting_until is 'When it goes on after a limit of the CRM, or because that does not answer; null if it does not wait.';
comment on column public.crm_runs.started_at is 'When the first page was read; null while queued.';
comment on column public.crm_runs.finished_at is 'When it ended; null before.';
comment on column public.crm_runs.phase is 'What is read: users and stages, then leads, deals and activities, then again what differs and what a comparison has not listed.';
comment on column public.crm_runs.cursor is 'Where the next page begins; null at the begin of a phase.';
comment on column public.crm_runs.since is 'Only records that changed in the CRM since then; null: all.';
comment on column public.crm_runs.read is 'Leads, deals and activities that were read; those below are parts of it.';

create unique index crm_runs_id_idx on public.crm_runs (id);
create unique index crm_runs_open_idx on public.crm_runs (account_id, kind) where status in ('queued', 'running', 'waiting');
create index crm_runs_account_idx on public.crm_runs (tenant_id, account_id, created_at);

create table public.crm_preview_rows (
  id         bigint      generated always as identity,
  tenant_id  uuid        not null,
  run_id     text        not null,
  kind       text        not null check (kind in ('lead', 'deal')),
  action     text        not null check (action in ('create', 'update', 'link', 'skip')),
  crm_id     text        not null,
  placar_id  text,
  name       text,
  fields     jsonb,
  reason     text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (run_id, kind, crm_id),
  foreign key (tenant_id, run_id) references public.crm_runs (tenant_id, id) on delete cascade
);

comment on table  public.crm_preview_rows is 'What an import would do, kept seven days; at most 10 000 rows of a run.';
comment on column public.crm_preview_rows.run_id is 'The preview; see admin.crm_runs.';
comment on column public.crm_preview_rows.kind is 'lead or deal.';
comment on column public.crm_preview_rows.action is 'What an import would do: create, update, link or skip.';
comment on column public.crm_preview_rows.crm_id is 'Id in the CRM.';
comment on column public.crm_preview_rows.placar_id is 'The record that is here; null if it would be created.';
comment on column public.crm_preview_rows.name is 'Name in the CRM.';
comment on column public.crm_preview_rows.reason is 'Why it would be skipped.';
comment on column public.crm_preview_rows.fields is 'Members that would change, each with its value and the one that it would get.';

create index crm_preview_rows_run_idx on public.crm_preview_rows (tenant_id, run_id);
create index crm_preview_rows_email_idx on public.crm_preview_rows (run_id, (fields #>> '{email,1}')) where kind = 'lead' and placar_id is null;
create index crm_preview_rows_placar_idx on public.crm_preview_rows (run_id, placar_id) where kind = 'lead';
create index crm_preview_rows_created_idx on public.crm_preview_rows (created_at);

create table private.crm_seen (
  run_id text not null references public.crm_runs (id) on delete cascade,
  kind   text not null,
  crm_id text not null,
  primary key (run_id, kind, crm_id)
);

comment on table private.crm_seen is 'Ids that a comparison has listed; deleted at its end.';

create function private.forget_seen() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.crm_seen s where s.run_id = new.id;
  return null;
end
$$;

comment on function private.forget_seen() is 'Trigger: deletes the ids that a comparison has listed when it ends, is canceled or fails.';

create trigger crm_runs_forget_seen after update of status on public.crm_runs
  for each row when (new.kind = 'compare' and new.finished_at is not null)
  execute function private.forget_seen();

alter table public.crm_runs enable row level security;
alter table public.crm_preview_rows enable row level security;
alter table private.crm_seen enable row level security;

create function private.start_crm_run(account public.crm_accounts, run_kind text) returns text
language plpgsql
set search_path = ''
as $$
declare
  run_id text;
begin
  insert into public.crm_runs as r (tenant_id, account_id, kind, status, waiting_until, since)
  values (account.tenant_id, account.id, run_kind, case when account.waiting_until > now() then 'waiting' else 'queued' end,
          case when account.waiting_until > now() then account.waiting_until end,
          case when run_kind = 'reconcile' then account.reconciled_to - interval '5 minutes' end)
  on conflict (account_id, kind) where status in ('queued', 'running', 'waiting') do nothing;
  select r.id into strict run_id from public.crm_runs r
  where r.account_id = account.id and r.kind = run_kind and r.status in ('queued', 'running', 'waiting');
  perform private.wake_crm(account.id);
  return run_id;
end
$$;

comment on function private.start_crm_run(public.crm_accounts, text) is 'Queues a run, or returns the one of its kind that is not finished.';

-- A contact gets an address by a change there, which is read anyway. There may be thousands without one, so an hour reads a hundred.
create function private.queue_crm_differences(account public.crm_accounts, all_kinds boolean default false) returns void
language sql
set search_path = ''
as $$
  insert into private.crm_pending (tenant_id, account_id, kind, crm_id, can_wait, due_at)
  select distinct account.tenant_id, account.id, d.record, d.crm_id, true, now()
  from public.crm_differences d
  where d.account_id = account.id and d.resolved_at is null and d.kind <> 'deleted_there' and d.crm_id is not null
    and (all_kinds or d.kind <> 'missing_email' or d.record <> 'lead' or d.id in (
      select o.id from public.crm_differences o
      where o.tenant_id = account.tenant_id and o.account_id = account.id and o.kind = 'missing_email' and o.record = 'lead' and o.resolved_at is null
      order by o.found_at limit 100))
    and not exists (select from private.crm_pending p where p.account_id = account.id and p.kind = d.record and p.crm_id = d.crm_id)
$$;

comment on function private.queue_crm_differences(public.crm_accounts, boolean) is
  'Queues the records with an open difference to be read and applied again; of the contacts without an address a hundred, unless all are to be.';

create function private.queue_unseen_links(run public.crm_runs) returns void
language sql
set search_path = ''
as $$
  insert into private.crm_pending (tenant_id, account_id, kind, crm_id, can_wait, due_at)
  select l.tenant_id, l.account_id, l.kind, l.crm_id, true, now()
  from public.crm_links l
  where l.account_id = run.account_id and l.state = 'linked' and l.created_at < run.started_at
    and not exists (select from private.crm_seen s where s.run_id = run.id and s.kind = l.kind and s.crm_id = l.crm_id)
$$;

comment on function private.queue_unseen_links(public.crm_runs) is
  'Queues the links whose records a comparison has not listed: reading them shows whether they are deleted.';

create function private.end_crm_run(run public.crm_runs) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.crm_accounts a
  set imported_at = case when run.kind = 'import' then coalesce(a.imported_at, clock_timestamp()) else a.imported_at end,
      reconciled_to = case when run.kind in ('import', 'reconcile') then greatest(a.reconciled_to, run.started_at) else a.reconciled_to end,
      last_reconciled_at = case when run.kind = 'reconcile' or run.kind = 'import' and not run.left_out then clock_timestamp()
                                when run.kind <> 'import' then a.last_reconciled_at end,
      last_compared_at = case when run.kind in ('import', 'compare') then clock_timestamp() else a.last_compared_at end
  where a.id = run.account_id;
end
$$;

comment on function private.end_crm_run(public.crm_runs) is 'What the end of a run changes in its account.';

create function private.preview_crm_record(run public.crm_runs, account public.crm_accounts, kind text, record jsonb, place bigint) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  outcome constant jsonb := case kind when 'lead' then private.apply_crm_lead(account, record, true)
                                      else private.apply_crm_deal(account, record, true) end;
  action  text := case outcome ->> 'action' when 'skipped' then 'skip' when 'unchanged' then 'link' else outcome ->> 'action' end;
  reason  text := outcome ->> 'reason';
begin
  -- The first contact with an address would be created or linked with our lead, so the next one would find it taken.
  if kind = 'lead' and action <> 'skip' and (
    exists (
      select from public.crm_preview_rows p
      where p.run_id = run.id and p.kind = 'lead' and p.placar_id is null and p.fields #>> '{email,1}' = record #>> '{values,email}'
        and p.action <> 'skip' and p.crm_id <> record ->> 'id' and outcome ->> 'placar_id' is null)
    or exists (
      select from public.crm_preview_rows p
      where p.run_id = run.id and p.kind = 'lead' and p.placar_id = outcome ->> 'placar_id' and p.action <> 'skip' and p.crm_id <> record ->> 'id')) then
    action := 'skip';
    reason := 'duplicate_email';
  end if;
  if place <= 10000 then
    insert into public.crm_preview_rows (tenant_id, run_id, kind, action, crm_id, placar_id, name, fields, reason)
    values (run.tenant_id, run.id, preview_crm_record.kind, action, record ->> 'id', outcome ->> 'placar_id',
            coalesce(record #>> '{values,name}', record ->> 'unnamed'), outcome -> 'fields', reason)
    on conflict do nothing;
  end if;
  return jsonb_build_object('action', case action when 'create' then 'created' when 'update' then 'updated' when 'link' then 'linked' else 'skipped' end);
end
$$;

comment on function private.preview_crm_record(public.crm_runs, public.crm_accounts, text, jsonb, bigint) is
  'Notes what an import would do with a record, the first 10 000 of a run.';

create function private.try_crm_record(account public.crm_accounts, kind text, record jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  words text;
begin
  return (select o from app.apply_crm_records(account.id, kind, jsonb_build_array(record)) as o);
exception when data_exception or integrity_constraint_violation or plpgsql_error then
  get stacked diagnostics words = message_text;
  perform private.note_crm_difference(account, kind, record ->> 'id', null, jsonb_build_object('kind', 'read_failed', 'theirs', words));
  return jsonb_build_object('action', 'failed', 'id', record ->> 'id');
end
$$;

comment on function private.try_crm_record(public.crm_accounts, text, jsonb) is
  'Applies a record. One that does not fit here becomes a difference "read_failed".';

create function app.apply_crm_page(
  run_id text, kind text, records jsonb, from_phase text, from_cursor text, next_phase text, next_cursor text, left_out boolean
) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  run     public.crm_runs;
  account public.crm_accounts;
  outcomes jsonb := '[]';
begin
  select r.* into run from public.crm_runs r where r.id = run_id for update;
  if run.status not in ('running', 'waiting') or run.phase <> from_phase or run.cursor is distinct from from_cursor then
    return false;
  end if;
  run.left_out := run.left_out or left_out;
  select a.* into strict account from public.crm_accounts a where a.id = run.account_id;
  if run.kind = 'compare' then
    insert into private.crm_seen (run_id, kind, crm_id)
    select run.id, kind, r.value ->> 'id' from jsonb_array_elements(records) as r (value) on conflict do nothing;
    outcomes := (select coalesce(jsonb_agg('{"action": "unchanged"}'::jsonb), '[]') from jsonb_array_elements(records));
  elsif run.kind = 'preview' then
    outcomes := (
      select coalesce(jsonb_agg(private.preview_crm_record(run, account, kind, r.value, run.read + r.place)), '[]')
      from jsonb_array_elements(records) with ordinality as r (value, place));
  elsif kind is not null then
    begin
      outcomes := (select coalesce(jsonb_agg(o), '[]') from app.apply_crm_records(account.id, kind, records) as o);
    exception when data_exception or integrity_constraint_violation or plpgsql_error then
      -- One record must not stop the others.
      outcomes := (select jsonb_agg(private.try_crm_record(account, kind, r.value)) from jsonb_array_elements(records) as r (value));
    end;
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at)
    select account.tenant_id, account.id, kind, o.value ->> 'id', now()
    from jsonb_array_elements(outcomes) as o (value) where o.value ->> 'sent' is not null;
  end if;
  if next_phase = 'checks' and run.kind = 'compare' then
    perform private.queue_unseen_links(run);
  elsif next_phase = 'done' then
    perform private.end_crm_run(run);
  end if;
  update public.crm_runs r
  set phase = next_phase, cursor = next_cursor, status = case when next_phase = 'done' then 'done' else 'running' end, waiting_until = null,
      left_out = run.left_out,
      finished_at = case when next_phase = 'done' then clock_timestamp() end,
      read = r.read + jsonb_array_length(outcomes), created = r.created + c.created, updated = r.updated + c.updated,
      linked = r.linked + c.linked, unchanged = r.unchanged + c.unchanged, skipped = r.skipped + c.skipped, failed = r.failed + c.failed
  from (
    select count(*) filter (where o.value ->> 'action' = 'created') as created, count(*) filter (where o.value ->> 'action' = 'updated') as updated,
           count(*) filter (where o.value ->> 'action' = 'linked') as linked, count(*) filter (where o.value ->> 'action' = 'unchanged') as unchanged,
           count(*) filter (where o.value ->> 'action' = 'skipped') as skipped, count(*) filter (where o.value ->> 'action' = 'failed') as failed
    from jsonb_array_elements(outcomes) as o (value)
  ) as c
  where r.id = run.id;
  return true;
end
$$;

comment on function app.apply_crm_page(text, text, jsonb, text, text, text, text, boolean) is
  'Applies a page of a run and stores where the next one begins; false, without a change, if the run is not at this page any more.';

grant execute on function app.apply_crm_page(text, text, jsonb, text, text, text, text, boolean) to worker;
