set local lock_timeout = '3s';
set local check_function_bodies = off;

create table "private"."crm_creations" (
  "account_id" text                     not null,
  "kind"       text                     not null,
  "placar_id"  text                     not null,
  "started_at" timestamp with time zone not null default now(),
  "send"       jsonb,
  "sent"       jsonb,
  constraint "crm_creations_pkey" primary key (account_id, kind, placar_id)
);

alter table "private"."crm_creations"
  enable row level security;

create table "private"."crm_pending" (
  "id"         bigint                   generated always as identity not null,
  "tenant_id"  uuid                     not null,
  "account_id" text                     not null,
  "kind"       text                     not null,
  "crm_id"     text,
  "placar_id"  text,
  "merge"      jsonb,
  "take"       jsonb,
  "can_wait"   boolean                  not null default false,
  "tries"      integer                  not null default 0,
  "due_at"     timestamp with time zone not null,
  constraint "crm_pending_check" check (((crm_id IS NOT NULL) OR (placar_id IS NOT NULL))),
  constraint "crm_pending_kind_check"
    check ((kind = ANY (ARRAY['lead'::text, 'deal'::text, 'activity'::text]))),
  constraint "crm_pending_pkey" primary key (id)
);

alter table "private"."crm_pending"
  enable row level security;

create table "private"."crm_secrets" (
  "account_id"        text                     not null,
  "credentials"       uuid,
  "webhook_secret"    uuid,
  "webhook_reference" text,
  "refreshing_until"  timestamp with time zone,
  "state_hash"        bytea,
  "state_expires_at"  timestamp with time zone,
  constraint "crm_secrets_pkey" primary key (account_id),
  constraint "crm_secrets_state_hash_check" check ((length(state_hash) = 32))
);

alter table "private"."crm_secrets"
  enable row level security;

create table "private"."crm_seen" (
  "run_id" text not null,
  "kind"   text not null,
  "crm_id" text not null,
  constraint "crm_seen_pkey" primary key (run_id, kind, crm_id)
);

alter table "private"."crm_seen"
  enable row level security;

create table "private"."crms" (
  "name"                     text    not null,
  "title"                    text    not null,
  "credentials"              jsonb   not null,
  "is_authorized_in_browser" boolean not null default false,
  constraint "crms_credentials_check" check ((jsonb_typeof(credentials) = 'array'::text)),
  constraint "crms_name_check" check ((name ~ '^[a-z]+(_[a-z]+)*$'::text)),
  constraint "crms_pkey" primary key (name)
);

alter table "private"."crms"
  enable row level security;

create table "public"."crm_accounts" (
  "tenant_id"          uuid                     not null,
  "crm"                text                     not null,
  "status"             text                     not null default 'connecting'::text,
  "reason"             text,
  "settings"           jsonb                    not null default '{}'::jsonb,
  "vendor_id"          text,
  "webhook_state"      text                     not null default 'missing'::text,
  "callback_url"       text,
  "former_urls"        text[]                   not null default '{}'::text[],
  "webhook_setup"      text,
  "last_event_at"      timestamp with time zone,
  "rejected_events"    bigint                   not null default 0,
  "rejected_since"     timestamp with time zone,
  "rejected_lately"    smallint                 not null default 0,
  "counts_since"       timestamp with time zone,
  "imported_at"        timestamp with time zone,
  "reconciled_to"      timestamp with time zone,
  "last_reconciled_at" timestamp with time zone,
  "last_compared_at"   timestamp with time zone,
  "checked_at"         timestamp with time zone,
  "unknown_ids"        text[]                   not null default '{}'::text[],
  "waiting_until"      timestamp with time zone,
  "mailed_at"          timestamp with time zone,
  "failures"           integer                  not null default 0,
  "requests_free_at"   timestamp with time zone,
  "disconnected_at"    timestamp with time zone,
  "forgotten_at"       timestamp with time zone,
  "created_at"         timestamp with time zone not null default now(),
  "updated_at"         timestamp with time zone not null default now(),
  constraint "crm_accounts_status_check"
    check
    ((status = ANY (ARRAY['authorizing'::text, 'connecting'::text, 'active'::text, 'failing'::text,
    'paused'::text, 'disconnected'::text]))),
  constraint "crm_accounts_tenant_id_crm_key" unique (tenant_id, crm),
  constraint "crm_accounts_webhook_state_check"
    check
    ((webhook_state = ANY (ARRAY['missing'::text, 'active'::text, 'by_hand'::text,
    'polling'::text]))),
  "id"                 text                     not null default app.typeid('crm'::text),
  constraint "crm_accounts_pkey" primary key (tenant_id, id)
);

alter table "public"."crm_accounts"
  enable row level security;

create table "public"."crm_activity_types" (
  "tenant_id"  uuid not null,
  "account_id" text not null,
  "crm_type"   text not null,
  "code"       text,
  constraint "crm_activity_types_code_check"
    check (((code ~ '^[0-9]{3}$'::text) AND (code <> '000'::text))),
  constraint "crm_activity_types_pkey" primary key (account_id, crm_type)
);

alter table "public"."crm_activity_types"
  enable row level security;

create table "public"."crm_differences" (
  "tenant_id"   uuid                     not null,
  "account_id"  text                     not null,
  "kind"        text                     not null,
  "record"      text                     not null,
  "crm_id"      text,
  "placar_id"   text,
  "field"       text                     not null default ''::text,
  "ours"        jsonb,
  "theirs"      jsonb,
  "found_at"    timestamp with time zone not null default clock_timestamp(),
  "resolved_at" timestamp with time zone,
  constraint "crm_differences_check" check (((crm_id IS NOT NULL) OR (placar_id IS NOT NULL))),
  constraint "crm_differences_kind_check"
    check
    ((kind = ANY (ARRAY['missing_email'::text, 'duplicate_email'::text, 'unknown_owner'::text,
    'unmapped_stage'::text,
    'invalid_value'::text,
    'changed_here'::text, 'refused_there'::text, 'deleted_there'::text, 'read_failed'::text]))),
  constraint "crm_differences_record_check"
    check ((record = ANY (ARRAY['lead'::text, 'deal'::text, 'activity'::text]))),
  "id"          text                     not null default app.typeid('dif'::text),
  constraint "crm_differences_pkey" primary key (tenant_id, id)
);

alter table "public"."crm_differences"
  enable row level security;

create table "public"."crm_events" (
  "id"          bigint                   generated always as identity not null,
  "tenant_id"   uuid                     not null,
  "account_id"  text                     not null,
  "event_id"    text                     not null,
  "type"        text                     not null,
  "kind"        text,
  "crm_id"      text,
  "body"        text,
  "received_at" timestamp with time zone not null default clock_timestamp(),
  constraint "crm_events_account_id_event_id_key" unique (account_id, event_id),
  constraint "crm_events_pkey" primary key (tenant_id, id)
);

alter table "public"."crm_events"
  enable row level security;

create table "public"."crm_links" (
  "tenant_id"      uuid                     not null,
  "account_id"     text                     not null,
  "kind"           text                     not null,
  "placar_id"      text                     not null,
  "crm_id"         text                     not null,
  "state"          text                     not null default 'linked'::text,
  "crm_updated_at" timestamp with time zone,
  "pipeline"       text,
  "contact"        text,
  "agreed_here"    jsonb                    not null default '{}'::jsonb,
  "agreed_there"   jsonb                    not null default '{}'::jsonb,
  "refused"        jsonb,
  "gone_at"        timestamp with time zone,
  "created_at"     timestamp with time zone not null default now(),
  constraint "crm_links_account_id_kind_placar_id_key" unique (account_id, kind, placar_id),
  constraint "crm_links_kind_check"
    check ((kind = ANY (ARRAY['lead'::text, 'deal'::text, 'activity'::text]))),
  constraint "crm_links_pkey" primary key (account_id, kind, crm_id),
  constraint "crm_links_state_check" check ((state = ANY (ARRAY['linked'::text, 'gone'::text])))
);

alter table "public"."crm_links"
  enable row level security;

create table "public"."crm_preview_rows" (
  "id"         bigint                   generated always as identity not null,
  "tenant_id"  uuid                     not null,
  "run_id"     text                     not null,
  "kind"       text                     not null,
  "action"     text                     not null,
  "crm_id"     text                     not null,
  "placar_id"  text,
  "name"       text,
  "fields"     jsonb,
  "reason"     text,
  "created_at" timestamp with time zone not null default clock_timestamp(),
  constraint "crm_preview_rows_action_check"
    check ((action = ANY (ARRAY['create'::text, 'update'::text, 'link'::text, 'skip'::text]))),
  constraint "crm_preview_rows_kind_check" check ((kind = ANY (ARRAY['lead'::text, 'deal'::text]))),
  constraint "crm_preview_rows_pkey" primary key (tenant_id, id),
  constraint "crm_preview_rows_run_id_kind_crm_id_key" unique (run_id, kind, crm_id)
);

alter table "public"."crm_preview_rows"
  enable row level security;

create table "public"."crm_runs" (
  "tenant_id"     uuid                     not null,
  "account_id"    text                     not null,
  "kind"          text                     not null,
  "status"        text                     not null default 'queued'::text,
  "phase"         text                     not null default 'users'::text,
  "cursor"        text,
  "since"         timestamp with time zone,
  "read"          bigint                   not null default 0,
  "created"       bigint                   not null default 0,
  "updated"       bigint                   not null default 0,
  "linked"        bigint                   not null default 0,
  "unchanged"     bigint                   not null default 0,
  "skipped"       bigint                   not null default 0,
  "failed"        bigint                   not null default 0,
  "waiting_until" timestamp with time zone,
  "error"         text,
  "left_out"      boolean                  not null default false,
  "created_at"    timestamp with time zone not null default clock_timestamp(),
  "started_at"    timestamp with time zone,
  "finished_at"   timestamp with time zone,
  constraint "crm_runs_kind_check"
    check
    ((kind = ANY (ARRAY['preview'::text, 'import'::text, 'reconcile'::text, 'compare'::text]))),
  constraint "crm_runs_phase_check"
    check
    ((phase = ANY (ARRAY['users'::text, 'leads'::text, 'deals'::text, 'activities'::text,
    'checks'::text, 'done'::text]))),
  constraint "crm_runs_status_check"
    check
    ((status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'done'::text,
    'failed'::text, 'canceled'::text]))),
  "id"            text                     not null default app.typeid('run'::text),
  constraint "crm_runs_pkey" primary key (tenant_id, id)
);

alter table "public"."crm_runs"
  enable row level security;

create table "public"."crm_stages" (
  "tenant_id"     uuid                     not null,
  "account_id"    text                     not null,
  "crm_id"        text                     not null,
  "name"          text                     not null,
  "pipeline"      text                     not null,
  "pipeline_name" text                     not null,
  "place"         integer,
  "closes"        text,
  "is_present"    boolean                  not null default true,
  "read_at"       timestamp with time zone,
  "stage_id"      uuid,
  constraint "crm_stages_closes_check" check ((closes = ANY (ARRAY['won'::text, 'lost'::text]))),
  constraint "crm_stages_pkey" primary key (account_id, crm_id)
);

alter table "public"."crm_stages"
  enable row level security;

create table "public"."crm_users" (
  "tenant_id"  uuid    not null,
  "account_id" text    not null,
  "crm_id"     text    not null,
  "email"      text    not null,
  "name"       text,
  "place"      integer,
  constraint "crm_users_email_check" check ((email = lower(btrim(email)))),
  constraint "crm_users_pkey" primary key (account_id, crm_id)
);

alter table "public"."crm_users"
  enable row level security;

create or replace function admin.authorize_crm (
  account_id text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
  state   constant text := private.random_base62(43);
  -- The account's job stores its address; the sweep, which the database calls, has the same one.
  address constant text := coalesce(account.callback_url, (
    select regexp_replace(d.sweep_url, 'sweep$', format('crm/%s/%s', account.crm, account.id)) from private.deployment d));
begin
  if not (select c.is_authorized_in_browser from private.crms c where c.name = account.crm) then
    perform private.refuse_argument('account_id', 'is an account that needs no authorization in a browser; connect it with its credentials');
  elsif account.status = 'disconnected' then
    perform private.refuse_argument('account_id', 'is disconnected; connect it first');
  elsif address is null then
    perform private.refuse_argument('account_id', 'is being set up; call this again in some seconds');
  end if;
  update private.crm_secrets s set state_hash = sha256(convert_to(state, 'UTF8')), state_expires_at = now() + interval '10 minutes'
  where s.account_id = account.id;
  return address || '/authorize?state=' || state;
end
$function$;

create or replace function admin.cancel_crm_run (
  run_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  update public.crm_runs r set status = 'canceled', finished_at = clock_timestamp() where r.id = run_id and r.finished_at is null;
  if not found and not exists (select from public.crm_runs r where r.id = run_id) then
    perform private.refuse_argument('run_id', 'no such run');
  end if;
end
$function$;

create or replace function admin.compare_crm (
  account_id text
)
  returns text
  language sql
  set search_path to ''
  AS $function$ select private.ask_for_crm_run(account_id, 'compare') $function$;

create or replace function admin.connect_crm (
  tenant      text,
  crm         text,
  credentials text,
  settings    text default '{}'::text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_crm(tenant, crm, credentials, settings);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$function$;

create or replace function admin.crm_webhook_setup (
  account_id text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if account.webhook_setup is null then
    perform private.refuse_argument('account_id', case account.webhook_state
      when 'active' then 'is an account whose webhooks were made already'
      when 'polling' then 'is an account without webhooks; its changes are read every minute'
      else format('is %s; its webhooks can be set up once it is active', account.status) end);
  end if;
  return account.webhook_setup;
end
$function$;

create or replace function admin.disconnect_crm (
  account_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  update public.crm_accounts a set status = 'disconnected', reason = null, disconnected_at = now()
  where a.id = account.id and a.status <> 'disconnected';
  update public.crm_runs r set status = 'canceled', finished_at = clock_timestamp() where r.account_id = account.id and r.finished_at is null;
  delete from private.crm_pending p where p.account_id = account.id;
  perform private.wake_crm(account.id);
end
$function$;

create or replace function admin.forget_crm (
  account_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if account.status <> 'disconnected' then
    perform private.refuse_argument('account_id', format('is %s; call admin.disconnect_crm first', account.status));
  end if;
  -- Its job removes the webhooks with the credentials, and then deletes the rest.
  if exists (select from private.crm_secrets s where s.account_id = account.id and s.credentials is not null) then
    update public.crm_accounts a
    set forgotten_at = now(), vendor_id = null, settings = '{}', imported_at = null, counts_since = null, reconciled_to = null,
        last_reconciled_at = null, last_compared_at = null
    where a.id = account.id;
    delete from public.crm_links l          where l.account_id = account.id;
    delete from public.crm_events e         where e.account_id = account.id;
    delete from public.crm_differences d    where d.account_id = account.id;
    delete from public.crm_runs r           where r.account_id = account.id;
    delete from public.crm_users u          where u.account_id = account.id;
    delete from public.crm_stages s         where s.account_id = account.id;
    delete from public.crm_activity_types t where t.account_id = account.id;
    delete from private.crm_creations n     where n.account_id = account.id;
  else
    perform private.delete_crm_account(account.id);
  end if;
end
$function$;

create or replace function admin.import_crm (
  account_id text
)
  returns text
  language sql
  set search_path to ''
  AS $function$ select private.ask_for_crm_run(account_id, 'import') $function$;

create or replace function admin.map_crm_activity (
  account_id text,
  crm_type   text,
  code       text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  perform private.expect_filled('crm_type', crm_type);
  if code is not null then
    perform private.expect_activity_code(code);
  end if;
  insert into public.crm_activity_types as t (tenant_id, account_id, crm_type, code) values (account.tenant_id, account.id, btrim(crm_type), code)
  on conflict on constraint crm_activity_types_pkey do update set code = excluded.code;
end
$function$;

create or replace function admin.map_crm_stage (
  account_id   text,
  crm_stage_id text,
  stage_id     uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if stage_id is not null then
    perform private.expect_stage(account.tenant_id, stage_id);
  end if;
  update public.crm_stages s set stage_id = map_crm_stage.stage_id where s.account_id = account.id and s.crm_id = crm_stage_id;
  if not found then
    perform private.refuse_argument(
      'crm_stage_id', format('stage "%s" does not exist in the CRM', left(crm_stage_id, 100)),
      array(select format('%s (%s, %s)', s.crm_id, s.name, s.pipeline_name) from public.crm_stages s where s.account_id = account.id and s.is_present
            order by s.pipeline_name, s.crm_id));
  end if;
  perform private.queue_crm_differences(account), private.wake_crm(account.id);
end
$function$;

create or replace function admin.pause_crm (
  account_id text
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  select private.crm_account_with_id(account_id);
  update public.crm_accounts a set status = 'paused' where a.id = account_id and a.status not in ('paused', 'disconnected')
$function$;

create or replace function admin.preview_crm (
  account_id text
)
  returns text
  language sql
  set search_path to ''
  AS $function$ select private.ask_for_crm_run(account_id, 'preview') $function$;

create or replace function admin.reconcile_crm (
  account_id text
)
  returns text
  language sql
  set search_path to ''
  AS $function$ select private.ask_for_crm_run(account_id, 'reconcile') $function$;

create or replace function admin.resolve_crm_difference (
  id   text,
  take text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  difference public.crm_differences;
begin
  perform private.expect_one_of('take', take, '{ours,theirs}');
  select d.* into difference from public.crm_differences d where d.id = resolve_crm_difference.id;
  if not found then
    perform private.refuse_argument('id', 'no such difference');
  elsif difference.resolved_at is not null then
    return;
  elsif difference.kind = 'deleted_there' then
    if take = 'theirs' then
      perform private.delete_record(difference.tenant_id, difference.record, difference.placar_id);
    end if;
    update public.crm_differences d set resolved_at = clock_timestamp() where d.id = difference.id;
    return;
  elsif difference.kind not in ('changed_here', 'refused_there') then
    perform private.refuse_argument('id', format('is "%s", which is resolved when its cause is gone', difference.kind));
  end if;
  if difference.crm_id is null and take = 'theirs' then
    -- A record of ours that was refused, and is not created there.
    delete from private.crm_creations c
    where c.account_id = difference.account_id and c.kind = difference.record and c.placar_id = difference.placar_id;
  else
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, placar_id, take, due_at)
    values (difference.tenant_id, difference.account_id, difference.record, difference.crm_id, difference.placar_id, (
      select coalesce(jsonb_object_agg(f.name, take), '{}')
      from (select difference.field where difference.field <> '' union select jsonb_object_keys(case when difference.field = '' then difference.ours end)) as f (name)),
      now());
  end if;
  update public.crm_differences d set resolved_at = clock_timestamp() where d.id = difference.id;
  perform private.wake_crm(difference.account_id);
end
$function$;

create or replace function admin.resume_crm (
  account_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  perform private.crm_account_with_id(account_id);
  update public.crm_accounts a
  set status = case when (select c.is_authorized_in_browser from private.crms c where c.name = a.crm) and not exists (
        select from private.crm_secrets s join vault.decrypted_secrets v on v.id = s.credentials
        where s.account_id = a.id and v.decrypted_secret::jsonb ? 'refresh_token') then 'authorizing' else 'connecting' end,
      waiting_until = null, last_reconciled_at = null
  where a.id = account_id and a.status = 'paused';
  perform private.wake_crm(account_id);
end
$function$;

create or replace function app.apply_crm_page (
  run_id      text,
  kind        text,
  records     jsonb,
  from_phase  text,
  from_cursor text,
  next_phase  text,
  next_cursor text,
  left_out    boolean
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
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
$function$;

create or replace function app.apply_crm_records (
  account_id text,
  kind       text,
  records    jsonb,
  gone       text[] default '{}'::text[]
)
  returns SETOF jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  record  jsonb;
  outcome jsonb;
  losers  text[];
  loser   text;
begin
  -- Serializes workers of an account; there is a second one only if the first exceeded its time.
  perform pg_advisory_xact_lock(hashtextextended('crm ' || account_id, 0));
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  for record in select r.value from jsonb_array_elements(records) as r (value) loop
    if record ? 'is_gone' then
      -- The winner of a merge was merged in turn, or deleted, which another event says. Until then its lead has what was merged.
      select jsonb_build_object('action', 'unchanged', 'id', l.crm_id, 'placar_id', (private.lead_with_id(l.tenant_id, l.placar_id)).id) into outcome
      from public.crm_links l where l.account_id = account_id and l.kind = 'lead' and l.crm_id = record ->> 'id';
      continue when outcome ->> 'placar_id' is null;
    end if;
    losers := case when record ? 'merge' then private.merge_as_in_crm(account, kind, record) else '{}' end;
    if not record ? 'is_gone' then
      outcome := case kind when 'lead' then private.apply_crm_lead(account, record, false)
                           when 'deal' then private.apply_crm_deal(account, record, false)
                           else private.apply_crm_activity(account, record) end;
    end if;
    foreach loser in array losers loop
      if loser <> outcome ->> 'placar_id' and exists (
        select from public.leads l where l.tenant_id = account.tenant_id and l.id::text = loser) then
        perform private.merge_leads(account.tenant_id, (outcome ->> 'placar_id')::uuid, loser::uuid);
        outcome := outcome || '{"action": "updated"}';
      end if;
    end loop;
    return next outcome;
  end loop;
  return query select private.apply_crm_gone(account, kind, g.id) from unnest(gone) as g (id);
end
$function$;

create or replace function app.authorize_crm (
  account_id text
)
  returns text
  language sql
  security definer
  set search_path to ''
  AS $function$
  select app.expect_crm_rights(account_id);
  select admin.authorize_crm(account_id)
$function$;

create or replace function app.begin_crm_creation (
  account_id  text,
  kind        text,
  placar_id   text,
  is_searched boolean
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  present jsonb;
  names   text[];
  send    jsonb;
  sent    jsonb;
  earlier private.crm_creations;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  if kind = 'lead' then
    select to_jsonb(l) into present from public.leads l where l.tenant_id = account.tenant_id and l.id::text = placar_id;
    names := '{name,email,phone,position,owner_id}';
  else
    select to_jsonb(d) into present from public.deals d where d.tenant_id = account.tenant_id and d.id::text = placar_id;
    names := '{name,value,currency,stage_id,status,owner_id,lead_id,expected_close_date,loss_reason}';
  end if;
  if present is null then
    delete from private.crm_creations c where c.account_id = account_id and c.kind = kind and c.placar_id = placar_id;
    return null;
  end if;
  names := names || array(select jsonb_object_keys(coalesce(account.settings -> 'fields' -> kind, '{}')) except select 'company');
  select s.send, s.sent into send, sent from private.sendable_values(account, private.picked_values(present, names), null) as s;
  if kind = 'deal' and not sent ? 'stage' and jsonb_typeof(account.settings -> 'pipelines') = 'array' then
    -- The CRM might choose a pipeline that is not read.
    sent := sent || coalesce((
      select jsonb_build_object('stage', c.crm_id) from public.crm_stages c
      where c.account_id = account_id and c.is_present and c.closes is null and private.reads_pipeline(account, c.pipeline)
      order by c.place limit 1), '{}');
  end if;
  select c.* into earlier from private.crm_creations c
  where c.account_id = account_id and c.kind = kind and c.placar_id = placar_id and c.sent is not null and not is_searched;
  if not found then
    insert into private.crm_creations as c (account_id, kind, placar_id, send, sent) values (account_id, kind, placar_id, send, sent)
    on conflict on constraint crm_creations_pkey do update set send = excluded.send, sent = excluded.sent, started_at = now();
    return jsonb_build_object('send', send, 'sent', sent);
  end if;
  return jsonb_build_object(
    'send', earlier.send, 'sent', earlier.sent, 'started_at', earlier.started_at,
    -- Searches of CRMs find a record some seconds after it was created.
    'index_wait_seconds', greatest(0, ceil(10 - extract(epoch from now() - earlier.started_at))));
end
$function$;

create or replace function app.begin_crm_work (
  account_id        text,
  functions_url     text,
  reconcile_seconds integer,
  compare_seconds   integer,
  poll_seconds      integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  secrets private.crm_secrets;
begin
  update public.crm_accounts a
  set former_urls = array_remove(array_append(array_remove(a.former_urls, a.callback_url), a.callback_url), null),
      callback_url = format('%s/callbacks/crm/%s/%s', functions_url, a.crm, a.id)
  where a.id = account_id and a.callback_url is distinct from format('%s/callbacks/crm/%s/%s', functions_url, a.crm, a.id);
  select a.* into account from public.crm_accounts a where a.id = account_id;
  if not found then
    return null;
  end if;
  select s.* into secrets from private.crm_secrets s where s.account_id = account_id;
  if account.status = 'active' and account.imported_at is not null then
    if private.crm_run_due_at(account, 'compare', account.last_compared_at, compare_seconds) <= now() then
      perform private.start_crm_run(account, 'compare');
    end if;
    if private.crm_reconcile_at(account, reconcile_seconds, poll_seconds) <= now()
       and not exists (select from public.crm_runs r where r.account_id = account_id and r.kind = 'reconcile' and r.finished_at is null) then
      perform private.queue_crm_differences(account), private.start_crm_run(account, 'reconcile');
    end if;
  end if;
  return to_jsonb(account) || jsonb_build_object(
    'tenant', (select t.slug from public.tenants t where t.id = account.tenant_id),
    'credentials', (select v.decrypted_secret::jsonb from vault.decrypted_secrets v where v.id = secrets.credentials),
    'webhook_secret', (select v.decrypted_secret from vault.decrypted_secrets v where v.id = secrets.webhook_secret),
    'webhook_reference', secrets.webhook_reference,
    'activity_types', array(select t.crm_type from public.crm_activity_types t where t.account_id = account_id and t.code is not null order by 1),
    'read_pipelines', array(
      select distinct s.pipeline from public.crm_stages s where s.account_id = account_id and s.read_at > now() - interval '5 minutes' order by 1),
    'is_disconnecting', account.status = 'disconnected' and secrets.credentials is not null,
    'gives_up', account.disconnected_at < now() - interval '1 day',
    'keeps_access', account.status = 'paused' and (select c.is_authorized_in_browser from private.crms c where c.name = account.crm),
    'may_work', private.crm_is_at_work(account) and not coalesce(account.waiting_until > now(), false),
    'has_work', exists (select from public.crm_runs r where r.account_id = account_id and r.finished_at is null)
             or exists (select from private.crm_pending p where p.account_id = account_id),
    'needs_check', account.status <> 'active' or coalesce(account.checked_at < now() - interval '1 day', true));
end
$function$;

create or replace function app.cancel_crm_run (
  run_id text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  select admin.cancel_crm_run(r.id) from public.crm_runs r where r.tenant_id = (select app.tenant_id()) and r.id = cancel_crm_run.run_id
$function$;

create or replace function app.claim_crm_pending (
  account_id text,
  at_most    integer,
  can_wait   boolean
)
  returns table (
    kind      text,
    crm_id    text,
    placar_id text,
    ids       bigint[],
    merge     jsonb,
    take      jsonb,
    tries     integer
  )
  language sql
  security definer
  set search_path to ''
  AS $function$
  with named as (
    select p.id, p.kind, p.placar_id, p.merge, p.take, p.can_wait, p.tries, p.due_at,
           coalesce(p.crm_id, (select l.crm_id from public.crm_links l where l.account_id = p.account_id and l.kind = p.kind and l.placar_id = p.placar_id))
             as crm_id
    from private.crm_pending p
    where p.account_id = claim_crm_pending.account_id
      -- It may have been paused or disconnected while the worker is on it.
      and exists (select from public.crm_accounts a where a.id = claim_crm_pending.account_id and private.crm_is_at_work(a))
  ), records as (
    select n.kind, n.crm_id, max(n.placar_id) as placar_id, array_agg(n.id) as ids, max(n.tries) as tries, min(n.due_at) as due_at, bool_and(n.can_wait) as can_wait,
           jsonb_agg(n.merge) filter (where n.merge is not null) as merges, jsonb_agg(n.take) filter (where n.take is not null) as takes
    from named n group by n.kind, n.crm_id, case when n.crm_id is null then n.placar_id end
  )
  select r.kind, r.crm_id, r.placar_id, r.ids,
         case when r.merges is not null then jsonb_build_object(
           'losers', (select jsonb_agg(distinct o.value) from jsonb_array_elements(r.merges) as m, jsonb_array_elements(m.value -> 'losers') as o),
           'former_id', (select max(m.value ->> 'former_id') from jsonb_array_elements(r.merges) as m)) end,
         (select jsonb_object_agg(c.key, c.value) from jsonb_array_elements(r.takes) as t, jsonb_each(t.value) as c), r.tries
  from records r
  where r.due_at <= now() and r.can_wait = claim_crm_pending.can_wait
  -- What is created there comes first, since its webhook must find the link. Then merges, and leads before deals that name them.
  order by r.crm_id is not null, r.merges is null, r.kind <> 'lead', r.kind <> 'deal', r.due_at
  limit at_most
$function$;

create or replace function app.claim_crm_vendor (
  account_id text,
  vendor_id  text
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  problem text;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  if account.vendor_id <> vendor_id then
    problem := 'The credentials belong to another company than the one that was connected before. Disconnect and forget this account first.';
  elsif exists (
    select from public.crm_accounts a
    where a.crm = account.crm and a.vendor_id = vendor_id and a.id <> account_id and a.status <> 'disconnected') then
    problem := 'Another workspace has connected this account of the CRM.';
  end if;
  if problem is not null then
    perform app.fail_crm_account(account_id, problem);
    return false;
  end if;
  update public.crm_accounts a set vendor_id = vendor_id where a.id = account_id and a.vendor_id is null;
  return true;
exception when unique_violation then
  perform app.fail_crm_account(account_id, 'Another workspace has connected this account of the CRM.');
  return false;
end
$function$;

create or replace function app.connect_crm (
  crm         text,
  credentials text,
  settings    text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  silent constant boolean := private.keep_errors_out_of_log();
  field   text;
  problem text;
begin
  perform private.connect_crm((select app.tenant_id())::text, crm, credentials, settings);
  return '{}';
exception when others then
  get stacked diagnostics field = column_name, problem = message_text;
  if silent then
    raise;
  end if;
  return jsonb_build_object('field', field, 'refusal', case when field = '' then problem else substr(problem, length(field) + 3) end);
end
$function$;

create or replace function app.contacts_to_read (
  account_id text,
  ids        text[]
)
  returns SETOF text
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select c.id from app.unlinked_crm_ids(account_id, 'lead', ids) as c (id)
  where not exists (
    select from public.crm_differences d
    where d.account_id = contacts_to_read.account_id and d.record = 'lead' and d.crm_id = c.id and d.resolved_at is null)
$function$;

create or replace function app.count_rejected_crm_event (
  account_id text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update public.crm_accounts a
  set rejected_events = a.rejected_events + 1,
      rejected_since = case when a.rejected_since > now() - interval '1 minute' then a.rejected_since else now() end,
      rejected_lately = case when a.rejected_since > now() - interval '1 minute' then a.rejected_lately + 1 else 1 end
  where a.id = account_id and not coalesce(a.rejected_since > now() - interval '1 minute' and a.rejected_lately >= 10, false)
$function$;

create or replace function app.crm_access_token (
  account_id text,
  rejected   text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  secrets private.crm_secrets;
  tokens  jsonb;
begin
  select s.* into secrets from private.crm_secrets s where s.account_id = account_id for update;
  select v.decrypted_secret::jsonb into tokens from vault.decrypted_secrets v where v.id = secrets.credentials;
  if (tokens ->> 'refresh_at')::timestamptz > clock_timestamp() and tokens ->> 'access_token' is distinct from rejected then
    return jsonb_build_object('access_token', tokens ->> 'access_token');
  elsif secrets.refreshing_until > clock_timestamp() then
    return jsonb_build_object('is_refreshing', true);
  end if;
  update private.crm_secrets s set refreshing_until = clock_timestamp() + interval '35 seconds' where s.account_id = account_id;
  return jsonb_build_object('refresh_token', tokens ->> 'refresh_token');
end
$function$;

create or replace function app.crm_may_write (
  account_id text
)
  returns boolean
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$ select private.crm_is_at_work(a) from public.crm_accounts a where a.id = account_id $function$;

create or replace function app.crm_receiver (
  account_id text
)
  returns jsonb
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select jsonb_build_object(
    'tenant_id', a.tenant_id, 'crm', a.crm, 'status', a.status, 'former_urls', a.former_urls,
    'credentials', (select v.decrypted_secret::jsonb from vault.decrypted_secrets v where v.id = s.credentials),
    'webhook_secret', (select v.decrypted_secret from vault.decrypted_secrets v where v.id = s.webhook_secret))
  from public.crm_accounts a left join private.crm_secrets s on s.account_id = a.id
  where a.id = crm_receiver.account_id
$function$;

create or replace function app.crm_webhook_setup (
  account_id text
)
  returns text
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select admin.crm_webhook_setup(a.id) from public.crm_accounts a
  where a.tenant_id = (select app.tenant_id()) and a.id = crm_webhook_setup.account_id
$function$;

create or replace function app.delete_crm_credentials (
  account_id text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  delete from private.crm_secrets s using public.crm_accounts a
  where s.account_id = account_id and a.id = account_id and a.status = 'disconnected';
  update public.crm_accounts a set webhook_state = 'missing' where a.id = account_id and a.status = 'disconnected';
  perform private.delete_crm_account(a.id) from public.crm_accounts a where a.id = account_id and a.forgotten_at is not null;
end
$function$;

create or replace function app.drop_expired (
  what    text,
  at_most integer default 1000
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  cutoff timestamptz;
  dropped integer;
begin
  select now() - make_interval(days => r.days) into cutoff from private.retention r where r.what = drop_expired.what;
  if not found then
    perform private.expect_one_of('what', what, array(select r.what from private.retention r order by r.what));
  end if;
  perform set_config('app.maintenance', 'on', true);
  case what
    when 'webhook_deliveries' then
      update public.webhook_deliveries d
      set status = 'failed', next_at = null, fold_key = null, fold_until = null, last_error = 'the webhook was paused for more than 30 days'
      where d.id in (
        select o.id from public.webhook_deliveries o
        join public.webhook_endpoints w on w.tenant_id = o.tenant_id and w.id = o.endpoint_id
        where o.created_at < now() - interval '30 days' and o.status = 'pending' and w.paused_at is not null limit at_most);
      delete from public.webhook_deliveries d where d.id in (
        select o.id from public.webhook_deliveries o where o.created_at < cutoff and o.status <> 'pending' limit at_most);
    when 'automation_runs' then
      delete from public.automation_runs d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.automation_runs o where o.created_at < cutoff limit at_most);
    when 'events' then
      -- An event is kept as long as a delivery, an automation run or a feed position refers to it.
      delete from public.events d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.events o
        where o.created_at < cutoff
          and not exists (select from public.webhook_deliveries w where w.tenant_id = o.tenant_id and w.event_id = o.id)
          and not exists (select from public.automation_runs r where r.tenant_id = o.tenant_id and r.event_id = o.id)
          and not exists (select from public.event_positions p where p.tenant_id = o.tenant_id and p.sequence = o.sequence)
        limit at_most);
    when 'merged_leads' then
      -- Merged leads are kept as long as the winner, and after its deletion as long as the winner's own row here.
      delete from public.merged_leads d where (d.tenant_id, d.lead_id) in (
        select o.tenant_id, o.lead_id from public.merged_leads o
        left join public.merged_leads w on w.tenant_id = o.tenant_id and w.lead_id = o.merged_into
        where o.merged_at < cutoff and coalesce(w.merged_at, o.merged_at) < cutoff
          and not exists (select from public.leads l where l.tenant_id = o.tenant_id and l.id = o.merged_into)
        limit at_most);
    when 'event_positions' then
      -- Cursors expire before the first position is deleted, so that no reader skips one unnoticed.
      update public.event_feeds f set dropped_position = o.last
      from (select p.tenant_id, max(p.position) as last from public.event_positions p where p.created_at < cutoff group by p.tenant_id) as o
      where f.tenant_id = o.tenant_id and f.dropped_position < o.last;
      delete from public.event_positions d where (d.tenant_id, d.interface, d.position) in (
        select o.tenant_id, o.interface, o.position from public.event_positions o where o.created_at < cutoff limit at_most);
    when 'jobs' then
      delete from public.jobs d where d.id in (
        select o.id from public.jobs o where o.finished_at < cutoff limit at_most);
    when 'failed_jobs' then
      delete from public.jobs d where d.id in (
        select o.id from public.jobs o where o.failed_at < cutoff and o.finished_at is null limit at_most);
    when 'idempotency_keys' then
      delete from public.idempotency_keys d where (d.tenant_id, d.key) in (
        select o.tenant_id, o.key from public.idempotency_keys o
        where (coalesce(o.resource_id, '') like 'po\_%') = false and o.created_at < cutoff and o.locked_until < now()
        union all
        -- app.claim_key recognizes the keys of payouts for 90 days.
        select o.tenant_id, o.key from public.idempotency_keys o
        where (coalesce(o.resource_id, '') like 'po\_%') = true and o.created_at < least(cutoff, now() - interval '90 days')
          and o.locked_until < now()
        limit at_most);
    when 'request_answers' then
      delete from public.request_answers d where (d.tenant_id, d.scope, d.key) in (
        select o.tenant_id, o.scope, o.key from public.request_answers o where o.created_at < cutoff limit at_most);
    when 'provider_account_events' then
      delete from public.provider_account_events d where (d.account_id, d.event_id) in (
        select o.account_id, o.event_id from public.provider_account_events o where o.received_at < cutoff limit at_most);
    when 'crm_events' then
      delete from public.crm_events d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.crm_events o where o.received_at < cutoff limit at_most);
    when 'crm_preview_rows' then
      delete from public.crm_preview_rows d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.crm_preview_rows o where o.created_at < cutoff limit at_most);
    when 'crm_runs' then
      delete from public.crm_runs d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.crm_runs o where o.finished_at < cutoff limit at_most);
  end case;
  get diagnostics dropped = row_count;
  perform set_config('app.maintenance', '', true);
  return dropped;
end
$function$;

create or replace function app.end_crm_authorization (
  account_id text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  update public.crm_accounts a set status = 'connecting', reason = null where a.id = account_id and a.status in ('authorizing', 'failing', 'active');
  perform private.wake_crm(account_id);
end
$function$;

create or replace function app.end_crm_pending (
  ids bigint[]
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  delete from private.crm_pending p where p.id = any (ids)
$function$;

create or replace function app.end_crm_refresh (
  account_id text,
  exchanged  text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update private.crm_secrets s set refreshing_until = null
  from vault.decrypted_secrets v
  where s.account_id = end_crm_refresh.account_id and v.id = s.credentials and v.decrypted_secret::jsonb ->> 'refresh_token' = exchanged
$function$;

create or replace function app.end_crm_work (
  account_id        text,
  job_id            uuid,
  claim             integer,
  requests_free_at  timestamp with time zone,
  reconcile_seconds integer,
  compare_seconds   integer,
  poll_seconds      integer
)
  returns timestamp with time zone
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  next_at timestamptz;
begin
  -- What is queued from here on finds the job released (private.wake_crm).
  update public.crm_accounts a
  set failures = case when a.waiting_until > now() then a.failures else 0 end, waiting_until = case when a.waiting_until > now() then a.waiting_until end,
      mailed_at = case when a.status <> 'active' then a.mailed_at end, requests_free_at = requests_free_at
  where a.id = account_id
  returning * into account;
  if account.status = 'paused' then
    -- Tokens that are not used for days are dead.
    next_at := case when (select c.is_authorized_in_browser from private.crms c where c.name = account.crm) then now() + interval '1 day' end;
  elsif not private.crm_is_at_work(account) then
    next_at := case when account.status = 'disconnected' and exists (
      select from private.crm_secrets s where s.account_id = account_id and s.credentials is not null)
      -- Soon if it was disconnected while this worker was on it.
      then case when account.disconnected_at > now() - interval '1 minute' then now() + interval '2 seconds' else now() + interval '10 minutes' end end;
  elsif account.status = 'connecting' then
    next_at := now();
  elsif account.status = 'failing' then
    next_at := now() + interval '1 minute';
  else
    next_at := least(
      account.checked_at + interval '1 day',
      (select min(now()) from public.crm_runs r where r.account_id = account_id and r.status in ('queued', 'running', 'waiting')),
      case when account.imported_at is not null then least(
        (select min(p.due_at) from private.crm_pending p where p.account_id = account_id),
        private.crm_run_due_at(account, 'compare', account.last_compared_at, compare_seconds),
        private.crm_reconcile_at(account, reconcile_seconds, poll_seconds)) end);
  end if;
  if next_at is not null then
    next_at := greatest(next_at, account.waiting_until);
  end if;
  -- Until the worker has finished the job, only one that is due later is scheduled by private.wake_crm.
  update public.jobs j set locked_until = null, due_at = coalesce(next_at, now() + interval '1 day')
  where j.id = job_id and j.attempts = claim and j.finished_at is null;
  return next_at;
end
$function$;

create or replace function app.expect_crm_rights (
  account_id text default null::text
)
  returns void
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  perform app.expect_own_scopes('{read:leads,write:leads,read:deals,write:deals}', 'crm_not_allowed');
  if account_id is not null
      and not exists (select from public.crm_accounts a where a.tenant_id = (select app.tenant_id()) and a.id = account_id and a.forgotten_at is null) then
    perform app.reject_unknown('crm_account', null, null, null);
  end if;
end
$function$;

create or replace function app.fail_crm_account (
  account_id text,
  words      text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update public.crm_accounts a set status = 'failing', reason = words
  where a.id = account_id and a.status in ('connecting', 'active', 'failing', 'authorizing')
$function$;

create or replace function app.fail_crm_run (
  run_id text,
  words  text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update public.crm_runs r set status = 'failed', error = words, finished_at = clock_timestamp()
  where r.id = run_id and r.finished_at is null
$function$;

create or replace function app.map_crm_activities (
  account_id text,
  mapping    jsonb
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  item record;
begin
  perform app.expect_crm_rights(account_id),
          app.expect_own_scopes('{manage:gamification}', 'crm_not_allowed');
  for item in
    select coalesce(t.crm_type, m.value ->> 'crm_type') as crm_type, t.code, t.crm_type is not null as is_known, m.value ->> 'code' as wanted
    from (select * from public.crm_activity_types a where a.account_id = account_id) as t
    full join jsonb_array_elements(mapping) as m (value) on m.value ->> 'crm_type' = t.crm_type
    order by 1
  loop
    if item.code is distinct from item.wanted or not item.is_known then
      perform admin.map_crm_activity(account_id, item.crm_type, item.wanted);
    end if;
  end loop;
end
$function$;

create or replace function app.map_crm_stages (
  account_id text,
  mapping    jsonb
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  ids   constant text[] := array(select s.id::text from public.pipeline_stages s where s.tenant_id = (select app.tenant_id()) order by s.created_at, s.id);
  names constant text[] := array(select s.name from public.pipeline_stages s where s.tenant_id = (select app.tenant_id()) order by s.created_at, s.id);
  item  record;
begin
  perform app.expect_crm_rights(account_id);
  perform private.refuse_argument(format('stages.%s.crm_id', m.place - 1), 'is not a stage of the CRM')
  from jsonb_array_elements(mapping) with ordinality as m (value, place)
  where not exists (select from public.crm_stages s where s.account_id = account_id and s.crm_id = m.value ->> 'crm_id');
  for item in
    select s.crm_id, s.stage_id, case when m.value ->> 'stage' is not null then app.find_by_name(
             'stage', m.value ->> 'stage', format('stages.%s.stage', m.place - 1), ids, names,
             '{read:deals,read:settings,manage:workspace}')::uuid end as wanted
    from public.crm_stages s
    left join jsonb_array_elements(mapping) with ordinality as m (value, place) on m.value ->> 'crm_id' = s.crm_id
    where s.account_id = account_id
    order by s.crm_id
  loop
    if item.stage_id is distinct from item.wanted then
      perform admin.map_crm_stage(account_id, item.crm_id, item.wanted);
    end if;
  end loop;
end
$function$;

create or replace function app.new_crm_ids (
  account_id text,
  owners     text[],
  stages     text[]
)
  returns SETOF text
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select n.id from public.crm_accounts a, private.unlisted_crm_ids(a, owners, stages) as n (id)
  where a.id = account_id and n.id <> all (a.unknown_ids)
$function$;

create or replace function app.next_crm_run (
  account_id text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  run public.crm_runs;
begin
  update public.crm_runs r
  set status = 'running', waiting_until = null, error = null, started_at = coalesce(r.started_at, clock_timestamp())
  where r.id = (
    select o.id from public.crm_runs o join public.crm_accounts a on a.id = o.account_id
    where o.account_id = account_id and o.status in ('queued', 'running', 'waiting') and private.crm_is_at_work(a)
    order by o.started_at nulls last, o.created_at limit 1)
  returning * into run;
  if not found then
    return null;
  elsif run.kind = 'import' then
    update public.crm_accounts a set counts_since = run.started_at where a.id = account_id and a.counts_since is null;
  end if;
  return to_jsonb(run);
end
$function$;

create or replace function app.pause_crm_requests (
  account_id text,
  seconds    double precision,
  failures   integer,
  words      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  until constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
begin
  update public.crm_runs r set status = 'waiting', waiting_until = until, error = words
  where r.account_id = account_id and r.status in ('running', 'waiting');
  update public.crm_accounts a
  set waiting_until = until, failures = pause_crm_requests.failures, reason = case when a.status = 'connecting' then words else a.reason end
  where a.id = account_id;
end
$function$;

create or replace function app.record_crm_inspection (
  account_id text,
  inspection jsonb
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  update public.crm_users u set place = null where u.account_id = account_id;
  insert into public.crm_users as u (tenant_id, account_id, crm_id, email, name, place)
  select account.tenant_id, account_id, v.id, lower(btrim(v.email)), v.name, v.place
  from rows from (jsonb_to_recordset(inspection -> 'users') as (id text, email text, name text)) with ordinality as v (id, email, name, place)
  on conflict on constraint crm_users_pkey do update set email = excluded.email, name = excluded.name, place = excluded.place;
  insert into public.crm_stages as s (tenant_id, account_id, crm_id, name, pipeline, pipeline_name, closes, place, read_at)
  select account.tenant_id, account_id, v.id, v.name, v.pipeline, v.pipeline_name, v.closes,
         v.place + coalesce((select max(r.place) from public.crm_stages r where r.account_id = account_id and r.read_at > now() - interval '10 minutes'), 0),
         clock_timestamp()
  from rows from (jsonb_to_recordset(inspection -> 'stages') as (id text, name text, pipeline text, pipeline_name text, closes text))
    with ordinality as v (id, name, pipeline, pipeline_name, closes, place)
  on conflict on constraint crm_stages_pkey do update
  set name = excluded.name, pipeline = excluded.pipeline, pipeline_name = excluded.pipeline_name, closes = excluded.closes, place = excluded.place,
      is_present = true, read_at = excluded.read_at;
  if (inspection ->> 'is_partial')::boolean then
    return false;
  end if;
  update public.crm_stages s set is_present = coalesce(s.read_at > now() - interval '10 minutes', false) where s.account_id = account_id;
  insert into public.crm_activity_types (tenant_id, account_id, crm_type)
  select account.tenant_id, account_id, t.name from jsonb_array_elements_text(inspection -> 'activity_types') as t (name)
  on conflict do nothing;
  update public.crm_accounts a set checked_at = clock_timestamp(), failures = 0, unknown_ids = '{}' where a.id = account_id;
  return true;
end
$function$;

create or replace function app.record_crm_webhooks (
  account_id text,
  state      text,
  reference  text,
  setup      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  update private.crm_secrets s set webhook_reference = reference where s.account_id = account_id;
  update public.crm_accounts a
  set status = case when a.status in ('connecting', 'failing') then 'active' else a.status end, reason = null, webhook_state = state,
      webhook_setup = setup
  where a.id = account_id;
  -- The next check reads all of them again. One that ended before this goes on with the webhooks.
  update public.crm_stages s set read_at = null where s.account_id = account_id and s.read_at is not null;
end
$function$;

create or replace function app.remember_crm_ids (
  account_id text,
  owners     text[],
  stages     text[]
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  update public.crm_accounts a
  set unknown_ids = array(
    select n.id from (select unnest(a.unknown_ids) union select private.unlisted_crm_ids(a, owners, stages)) as n (id) limit 1000)
  where a.id = account_id
$function$;

create or replace function app.report_crm_created (
  account_id text,
  kind       text,
  placar_id  text,
  record     jsonb,
  send       jsonb
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  there   jsonb;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  if not exists (select from public.crm_links l where l.account_id = account_id and l.kind = kind and l.placar_id = placar_id) then
    there := private.values_there(account, kind, record);
    perform private.keep_link(account, kind, placar_id, record, send, there || private.picked_answers(there, send));
    -- What the CRM does not have is listed, and sent once it has it.
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at)
    select account.tenant_id, account_id, kind, record ->> 'id', now()
    where not send ?& array(select k from jsonb_object_keys(there) as k where k <> 'company');
  end if;
end
$function$;

create or replace function app.report_crm_refused (
  account_id text,
  kind       text,
  crm_id     text,
  placar_id  text,
  send       jsonb,
  words      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  update public.crm_links l set refused = send
  where l.account_id = account_id and l.kind = kind and l.crm_id = crm_id;
  -- Nothing was created. The row stays, so that a change here sends it again.
  update private.crm_creations c set send = null, sent = null
  where c.account_id = account_id and c.kind = kind and c.placar_id = placar_id;
  perform private.note_crm_difference(
    account, kind, crm_id, placar_id, jsonb_build_object('kind', 'refused_there', 'ours', send, 'theirs', words));
end
$function$;

create or replace function app.report_crm_written (
  account_id text,
  kind       text,
  placar_id  text,
  record     jsonb,
  send       jsonb
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  there   jsonb;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  there := private.values_there(account, kind, record);
  update public.crm_links l
  set agreed_here = l.agreed_here || send,
      agreed_there = l.agreed_there || private.picked_answers(there, send),
      crm_updated_at = greatest(l.crm_updated_at, (record ->> 'updated_at')::timestamptz),
      pipeline = coalesce(record ->> 'pipeline', l.pipeline), refused = null
  where l.account_id = account_id and l.kind = kind and l.crm_id = record ->> 'id';
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = account_id and d.record = kind and d.crm_id = record ->> 'id' and d.resolved_at is null
    and (d.kind = 'refused_there' or d.kind = 'changed_here' and send ? d.field);
end
$function$;

create or replace function app.resolve_crm_difference (
  id   text,
  take text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform app.expect_crm_rights();
  perform admin.resolve_crm_difference(d.id, take) from public.crm_differences d
  where d.tenant_id = (select app.tenant_id()) and d.id = resolve_crm_difference.id;
end
$function$;

create or replace function app.retry_crm_pending (
  ids   bigint[],
  words text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  max_tries constant integer := 5;
begin
  update private.crm_pending p set tries = p.tries + 1, due_at = now() + make_interval(secs => 2 ^ p.tries) where p.id = any (ids);
  perform private.note_crm_difference(a, p.kind, p.crm_id, p.placar_id, jsonb_build_object('kind', 'read_failed', 'theirs', words))
  from private.crm_pending p join public.crm_accounts a on a.id = p.account_id
  where p.id = any (ids) and p.tries >= max_tries;
  delete from private.crm_pending p where p.id = any (ids) and p.tries >= max_tries;
end
$function$;

create or replace function app.set_crm_settings (
  account_id text,
  settings   jsonb
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$
  select app.expect_crm_rights(account_id);
  select private.set_crm_settings(account_id, settings)
$function$;

create or replace function app.set_crm_state (
  account_id text,
  state      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  -- Stopping an account requires no rights on records.
  if state = 'resumed' then
    perform app.expect_crm_rights(account_id);
  elsif not exists (select from public.crm_accounts a where a.tenant_id = (select app.tenant_id()) and a.id = set_crm_state.account_id and a.forgotten_at is null) then
    perform app.reject_unknown('crm_account', null, null, null);
  end if;
  case state
    when 'paused' then perform admin.pause_crm(account_id);
    when 'resumed' then perform admin.resume_crm(account_id);
    when 'disconnected' then perform admin.disconnect_crm(account_id);
    when 'forgotten' then perform admin.forget_crm(account_id);
  end case;
end
$function$;

create or replace function app.start_crm_run (
  account_id text,
  kind       text
)
  returns text
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  perform app.expect_crm_rights(account_id);
  perform app.raise_domain_error('crm_not_active', jsonb_build_object('state', a.status, 'refusal', a.reason))
  from public.crm_accounts a where a.id = account_id and a.status <> 'active';
  return private.ask_for_crm_run(account_id, kind);
end
$function$;

create or replace function app.store_crm_events (
  account_id text,
  hints      jsonb,
  body       text
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  hint    record;
  is_first boolean := true;
  waiting boolean := false;
begin
  select a.* into account from public.crm_accounts a where a.id = account_id;
  -- Waiting for another transaction would delay the answer to the CRM.
  update public.crm_accounts a set last_event_at = clock_timestamp()
  where a.id = (select o.id from public.crm_accounts o where o.id = account_id for no key update skip locked);
  for hint in select * from jsonb_to_recordset(hints) as h (event_id text, type text, kind text, id text, activity_type text, merge jsonb, body text) loop
    insert into public.crm_events as e (tenant_id, account_id, event_id, type, kind, crm_id, body)
    values (account.tenant_id, account_id, hint.event_id, hint.type, hint.kind, hint.id, coalesce(hint.body, case when is_first then store_crm_events.body end))
    on conflict on constraint crm_events_account_id_event_id_key do update set received_at = excluded.received_at
    -- Bodies without an id of their own are the same event only if they come within ten minutes.
    where e.event_id like 'sha256:%' and e.received_at < excluded.received_at - interval '10 minutes';
    continue when not found;
    is_first := false;
    continue when hint.kind is null;
    -- Types that are not mapped are not read, except to see what became of an activity that was counted, or is listed as a difference.
    continue when hint.activity_type is not null
      and not exists (select from public.crm_activity_types t where t.account_id = account_id and t.crm_type = hint.activity_type and t.code is not null)
      and not exists (select from public.crm_links l where l.account_id = account_id and l.kind = hint.kind and l.crm_id = hint.id)
      and not exists (select from public.crm_differences d
                      where d.account_id = account_id and d.record = hint.kind and d.crm_id = hint.id and d.resolved_at is null);
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, merge, due_at)
    select account.tenant_id, account_id, hint.kind, r.id, r.merge, now() + interval '2 seconds'
    from (
      select hint.id, hint.merge
      union all
      -- Only leads are merged here: other losers are deleted.
      select l.value, null from jsonb_array_elements_text(hint.merge -> 'losers') as l (value) where hint.kind <> 'lead'
    ) as r (id, merge);
    waiting := true;
  end loop;
  if not waiting then
    return true;
  end if;
  perform from public.crm_accounts a where a.id = account_id for share skip locked;
  if not found then
    return false;
  end if;
  perform from public.jobs j where j.name = 'sync-crm' and j.key = account_id for update skip locked;
  if not found and exists (select from public.jobs j where j.name = 'sync-crm' and j.key = account_id) then
    return false;
  end if;
  perform private.wake_crm(account_id, now() + interval '2 seconds');
  return true;
end
$function$;

create or replace function app.store_crm_tokens (
  account_id         text,
  access_token       text,
  refresh_token      text,
  expires_in_seconds integer,
  exchanged          text    default null::text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  silent  constant boolean := private.keep_errors_out_of_log();
  secrets private.crm_secrets;
  stored  jsonb;
begin
  select s.* into secrets from private.crm_secrets s where s.account_id = account_id for update;
  select v.decrypted_secret::jsonb into stored from vault.decrypted_secrets v where v.id = secrets.credentials;
  if stored ->> 'refresh_token' <> exchanged then
    return;
  end if;
  perform vault.update_secret(secrets.credentials, (stored || jsonb_build_object(
    'access_token', access_token, 'refresh_token', refresh_token,
    -- A minute before it expires, or after half of its time.
    'refresh_at', clock_timestamp() + make_interval(secs => greatest(expires_in_seconds - 60, expires_in_seconds / 2.0))))::text);
  update private.crm_secrets s set refreshing_until = null where s.account_id = account_id;
end
$function$;

create or replace function app.take_crm_state (
  account_id text,
  state      text
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  update private.crm_secrets s set state_hash = null, state_expires_at = null
  where s.account_id = account_id and s.state_hash = sha256(convert_to(state, 'UTF8')) and s.state_expires_at > now();
  return found;
end
$function$;

create or replace function app.unlinked_crm_ids (
  account_id text,
  kind       text,
  ids        text[]
)
  returns SETOF text
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select distinct c.id from unnest(ids) as c (id)
  where not exists (
    select from public.crm_links l where l.account_id = unlinked_crm_ids.account_id and l.kind = unlinked_crm_ids.kind and l.crm_id = c.id)
$function$;

create or replace function app.wake_crm (
  account_id text
)
  returns void
  language sql
  security definer
  set search_path to ''
  AS $function$ select private.wake_crm(account_id) $function$;

create or replace function private.apply_crm_activity (
  account public.crm_accounts,
  record  jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  own_id constant text := format('%s:%s:%s', account.crm, record ->> 'type', record ->> 'number');
  code   constant text := (select t.code from public.crm_activity_types t where t.account_id = account.id and t.crm_type = record ->> 'type');
  person public.crm_users;
  collaborator uuid;
begin
  if exists (select from public.crm_links l where l.account_id = account.id and l.kind = 'activity' and l.crm_id = record ->> 'id') then
    perform private.set_crm_differences(account, 'activity', record ->> 'id', own_id, '[]');
    return jsonb_build_object('action', 'unchanged', 'id', record ->> 'id');
  elsif code is null or not (record ->> 'is_done')::boolean
        or (record ->> 'done_at')::timestamptz < account.counts_since or account.counts_since is null then
    perform private.set_crm_differences(account, 'activity', record ->> 'id', own_id, '[]');
    return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', case when code is null then 'unmapped' else 'not_counted' end);
  end if;
  select u.* into person from public.crm_users u where u.account_id = account.id and u.crm_id = record ->> 'owner';
  if not found then
    perform private.set_crm_differences(account, 'activity', record ->> 'id', own_id, jsonb_build_array(
      jsonb_build_object('kind', 'unknown_owner', 'field', 'email', 'theirs', record -> 'owner')));
    return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', 'unknown_owner');
  end if;
  -- Whose address changed in the CRM keeps the points, as in sync_collaborators.
  update public.collaborators c set email = person.email
  where c.tenant_id = account.tenant_id and c.external_id = account.crm || ':' || person.crm_id and c.email not like 'erased-%@erased.invalid'
    and not exists (
      select from public.collaborators o
      where o.tenant_id = c.tenant_id and (o.email = person.email or o.external_id = c.external_id and o.id <> c.id));
  insert into public.collaborators (tenant_id, external_id, name, email)
  values (account.tenant_id, account.crm || ':' || person.crm_id, coalesce(person.name, person.email), person.email)
  on conflict do nothing;
  select c.id into strict collaborator from public.collaborators c where c.tenant_id = account.tenant_id and c.email = person.email;
  insert into public.activities (tenant_id, external_id, activity_code, collaborator_id, occurred_at)
  values (account.tenant_id, own_id, code, collaborator, coalesce((record ->> 'done_at')::timestamptz, now()))
  on conflict do nothing;
  perform private.keep_link(account, 'activity', own_id, record, '{}', '{}');
  perform private.set_crm_differences(account, 'activity', record ->> 'id', own_id, '[]');
  return jsonb_build_object('action', 'created', 'id', record ->> 'id', 'placar_id', own_id);
end
$function$;

create or replace function private.apply_crm_deal (
  account public.crm_accounts,
  record  jsonb,
  preview boolean
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  faults  constant jsonb := private.crm_differences_of(account, record);
  there   jsonb := private.values_there(account, 'deal', record);
  link    public.crm_links;
  deal    public.deals;
begin
  if not private.reads_pipeline(account, record ->> 'pipeline') then
    if not preview then
      perform private.set_crm_differences(account, 'deal', record ->> 'id', null, '[]');
    end if;
    return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', 'pipeline');
  end if;
  select l.* into link from public.crm_links l where l.account_id = account.id and l.kind = 'deal' and l.crm_id = record ->> 'id';
  if link.state = 'gone' and not exists (
    select from public.deals d where d.tenant_id = account.tenant_id and d.id = link.placar_id::uuid) then
    link := null;
  end if;
  if link.state = 'linked' and link.crm_updated_at > (record ->> 'updated_at')::timestamptz then
    return private.apply_older_record(account, 'deal', link, record, preview);
  end if;
  if link.crm_id is not null then
    select d.* into deal from public.deals d where d.tenant_id = account.tenant_id and d.id = link.placar_id::uuid;
    if not found then
      if not preview then
        perform private.set_crm_differences(account, 'deal', record ->> 'id', null, '[]');
      end if;
      return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', 'deleted_here');
    end if;
  end if;
  if deal.id is not null then
    return private.apply_to_record(account, 'deal', link, to_jsonb(deal), record, there, faults, preview);
  end if;
  there := jsonb_build_object('name', record -> 'unnamed') || there;
  if preview then
    return jsonb_build_object('action', 'create', 'fields', (
      select jsonb_object_agg(t.key, jsonb_build_array(null, t.value)) from jsonb_each(there) as t where t.value <> 'null'));
  end if;
  insert into public.deals (tenant_id, name, value, currency, stage_id, status, owner_id, lead_id, expected_close_date, loss_reason, closed_at, company, custom_fields)
  select account.tenant_id, r.name, coalesce(r.value, 0), coalesce(r.currency, 'BRL'), coalesce(r.stage_id, app.stage_of('{}')), r.status, r.owner_id,
         r.lead_id, r.expected_close_date, r.loss_reason, (record ->> 'closed_at')::timestamptz, r.company, r.custom_fields
  from jsonb_populate_record(null::public.deals, private.with_values('{"custom_fields": {}}', there)) as r
  returning * into deal;
  perform private.keep_link(account, 'deal', deal.id::text, record, private.picked_values(to_jsonb(deal), array(select jsonb_object_keys(there))), there);
  perform private.set_crm_differences(account, 'deal', record ->> 'id', deal.id::text, faults);
  return jsonb_build_object('action', 'created', 'id', record ->> 'id', 'placar_id', deal.id);
end
$function$;

create or replace function private.apply_crm_gone (
  account public.crm_accounts,
  kind    text,
  gone_id text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  link public.crm_links;
begin
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = account.id and d.record = apply_crm_gone.kind and d.crm_id = gone_id and d.resolved_at is null and d.kind <> 'deleted_there';
  update public.crm_links l
  set state = 'gone', gone_at = case when not exists (
    select from public.crm_runs r where r.account_id = account.id and r.kind = 'compare' and r.finished_at is null) then now() end
  where l.account_id = account.id and l.kind = apply_crm_gone.kind and l.crm_id = gone_id and l.state = 'linked'
    -- A merge that is read next says what becomes of it.
    and not exists (
      select from private.crm_pending p
      where p.account_id = account.id and p.kind = l.kind
        and (p.kind = 'lead' and p.merge -> 'losers' ? gone_id or p.merge ->> 'former_id' = gone_id))
  returning * into link;
  if not found then
    return jsonb_build_object('action', 'unchanged', 'id', gone_id);
  elsif kind = 'activity' then
    update public.activities a set voided_at = now(), void_reason = 'deleted in ' || account.crm
    where a.tenant_id = account.tenant_id and a.external_id = link.placar_id and a.voided_at is null;
  elsif coalesce(account.settings ->> 'on_delete', 'keep') = 'delete' then
    perform private.delete_record(account.tenant_id, kind, link.placar_id);
  else
    perform private.set_crm_differences(account, kind, gone_id, link.placar_id, '[{"kind": "deleted_there"}]');
  end if;
  return jsonb_build_object('action', 'updated', 'id', gone_id, 'placar_id', link.placar_id);
end
$function$;

create or replace function private.apply_crm_lead (
  account public.crm_accounts,
  record  jsonb,
  preview boolean
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  address constant text := record #>> '{values,email}';
  there   jsonb := private.values_there(account, 'lead', record);
  faults  jsonb := private.crm_differences_of(account, record);
  link    public.crm_links;
  lead    public.leads;
  other   text;
begin
  select l.* into link from public.crm_links l where l.account_id = account.id and l.kind = 'lead' and l.crm_id = record ->> 'id';
  -- What was deleted on both sides and comes back there is new.
  if link.state = 'gone' and (private.lead_with_id(account.tenant_id, link.placar_id)).id is null then
    link := null;
  end if;
  if link.state = 'linked' and link.crm_updated_at > (record ->> 'updated_at')::timestamptz then
    return private.apply_older_record(account, 'lead', link, record, preview);
  end if;
  if link.crm_id is not null then
    lead := private.lead_with_id(account.tenant_id, link.placar_id);
    if lead.id is null then
      if not preview then
        perform private.set_crm_differences(account, 'lead', record ->> 'id', null, '[]');
      end if;
      return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', 'deleted_here');
    end if;
    select l.crm_id into other from public.crm_links l
    where l.account_id = account.id and l.kind = 'lead' and l.placar_id = lead.id::text and l.crm_id <> link.crm_id and l.state = 'linked';
  elsif address is not null then
    select l.* into lead from public.leads l where l.tenant_id = account.tenant_id and l.email = address;
    select l.crm_id into other from public.crm_links l
    where l.account_id = account.id and l.kind = 'lead' and l.placar_id = lead.id::text and l.state = 'linked';
  end if;
  if other is not null then
    faults := faults || jsonb_build_object('kind', 'duplicate_email', 'field', 'email', 'theirs', address);
    if not preview then
      perform private.set_crm_differences(account, 'lead', record ->> 'id', null, faults);
    end if;
    return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', 'duplicate_email');
  end if;
  if address is null then
    faults := faults || '{"kind": "missing_email", "field": "email"}';
    if lead.id is null then
      if not preview then
        perform private.set_crm_differences(account, 'lead', record ->> 'id', null, faults);
      end if;
      return jsonb_build_object('action', 'skipped', 'id', record ->> 'id', 'reason', 'missing_email');
    end if;
    there := there - 'email';
  elsif private.crm_lead_is_taken(account, address, lead.id::text) then
    faults := faults || jsonb_build_object('kind', 'duplicate_email', 'field', 'email', 'theirs', address);
    there := there - 'email';
  end if;
  if lead.id is not null then
    return private.apply_to_record(account, 'lead', link, to_jsonb(lead), record, there, faults, preview);
  end if;
  there := jsonb_build_object('name', record -> 'unnamed') || there;
  if preview then
    return jsonb_build_object('action', 'create', 'fields', (
      select jsonb_object_agg(t.key, jsonb_build_array(null, t.value)) from jsonb_each(there) as t where t.value <> 'null'));
  end if;
  insert into public.leads (tenant_id, name, email, phone, company, position, source, owner_id, custom_fields)
  select account.tenant_id, r.name, r.email, r.phone, r.company, r.position, coalesce(r.source, account.crm), r.owner_id, r.custom_fields
  from jsonb_populate_record(null::public.leads, private.with_values('{"custom_fields": {}}', there)) as r
  returning * into lead;
  perform private.keep_link(account, 'lead', lead.id::text, record, private.picked_values(to_jsonb(lead), array(select jsonb_object_keys(there))), there);
  perform private.set_crm_differences(account, 'lead', record ->> 'id', lead.id::text, faults);
  return jsonb_build_object('action', 'created', 'id', record ->> 'id', 'placar_id', lead.id);
end
$function$;

create or replace function private.apply_older_record (
  account public.crm_accounts,
  kind    text,
  link    public.crm_links,
  record  jsonb,
  preview boolean
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  present jsonb;
  known   jsonb;
begin
  if kind = 'lead' then
    present := to_jsonb(private.lead_with_id(account.tenant_id, link.placar_id));
  else
    select to_jsonb(d) into present from public.deals d where d.tenant_id = account.tenant_id and d.id = link.placar_id::uuid;
  end if;
  if present ->> 'id' is null then
    return jsonb_build_object('action', 'unchanged', 'id', record ->> 'id', 'placar_id', link.placar_id);
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('kind', d.kind, 'field', d.field, 'ours', d.ours, 'theirs', d.theirs)), '[]') into known
  from public.crm_differences d
  where d.account_id = account.id and d.record = kind and d.crm_id = link.crm_id and d.resolved_at is null and d.kind <> 'changed_here';
  return private.apply_to_record(
    account, kind, link, present,
    record || jsonb_build_object('updated_at', link.crm_updated_at, 'pipeline', link.pipeline, 'contact', link.contact),
    link.agreed_there, known, preview);
end
$function$;

create or replace function private.apply_to_record (
  account public.crm_accounts,
  kind    text,
  link    public.crm_links,
  present jsonb,
  record  jsonb,
  there   jsonb,
  faults  jsonb,
  preview boolean
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  is_new constant boolean := link.crm_id is null;
  names  constant text[]  := array(select jsonb_object_keys(there));
  here   jsonb;
  agreed_here  jsonb := case when is_new then '{}' else link.agreed_here end;
  agreed_there jsonb := case when is_new then '{}' else link.agreed_there end;
  take   jsonb;
  send   jsonb;
  kept   jsonb := '{}';
  sends  constant boolean := coalesce(account.settings ->> 'direction', 'in') = 'both';
  sent   jsonb;
  after  jsonb;
begin
  if not preview then
    -- A change here that commits meanwhile is compared as well.
    present := private.lock_record(account.tenant_id, kind, present);
  end if;
  here := private.picked_values(present, names);
  select c.take, c.send into take, send
  from private.compare_sides(here, there, agreed_here, agreed_there,
         private.winner_of(account, (present ->> 'updated_at')::timestamptz, (record ->> 'updated_at')::timestamptz),
         coalesce(record -> 'take', '{}')) as c;
  if preview then
    return jsonb_build_object(
      'action', case when take <> '{}' then 'update' else 'link' end, 'placar_id', present ->> 'id',
      'fields', (select coalesce(jsonb_object_agg(t.key, jsonb_build_array(here -> t.key, t.value)), '{}') from jsonb_each(take) as t));
  end if;
  if take <> '{}' then
    if take ? 'status' then
      take := take || jsonb_build_object('closed_at', record -> 'closed_at');
    end if;
    perform private.write_record(account.tenant_id, kind, present, take);
  end if;
  -- Where a side was taken, or both have the same value, they agree. What is to be sent agrees when the CRM has answered.
  after := here || take;
  agreed_there := agreed_there || there;
  agreed_here := agreed_here || (
    select coalesce(jsonb_object_agg(n.name, after -> n.name), '{}') from unnest(names) as n (name)
    where not send ? n.name or (is_new and not sends)
      -- Never sent, so an admin who chose ours leaves the CRM as it is.
      or n.name = 'company' and record #>> '{take,company}' = 'ours');
  if not sends then
    -- Only what an admin chose is sent.
    select coalesce(jsonb_object_agg(s.key, s.value), '{}') into kept from jsonb_each(send) as s
    where not coalesce(record -> 'take' ? s.key, false);
    send := send - array(select jsonb_object_keys(kept));
    if not is_new then
      faults := faults || (
        select coalesce(jsonb_agg(jsonb_build_object('kind', 'changed_here', 'field', k.key, 'ours', k.value, 'theirs', there -> k.key)), '[]')
        from jsonb_each(kept) as k);
    end if;
  end if;
  if send ->> 'status' = 'open' and exists (select from public.crm_stages s where s.account_id = account.id and s.closes is not null) then
    -- A CRM that closes deals by their stage also opens them by it.
    send := send || jsonb_build_object('stage_id', present -> 'stage_id');
  end if;
  select s.send, s.sent, faults || coalesce(
           (select jsonb_agg(f.value) from jsonb_array_elements(s.faults) as f
            where not faults @> jsonb_build_array(jsonb_build_object('kind', f.value -> 'kind'))), '[]')
  into send, sent, faults
  from private.sendable_values(account, send, record ->> 'pipeline') as s;
  if send = '{}' and link.refused is not null then
    perform private.end_crm_refusal(link);
  elsif link.refused = send and not record ? 'take' and link.crm_updated_at >= (record ->> 'updated_at')::timestamptz then
    send := '{}';
    sent := '{}';
  end if;
  perform private.keep_link(account, kind, present ->> 'id', record, agreed_here, agreed_there);
  perform private.set_crm_differences(account, kind, record ->> 'id', present ->> 'id', faults);
  return jsonb_build_object(
    'action', case when take <> '{}' then 'updated' when is_new then 'linked' else 'unchanged' end,
    'id', record ->> 'id', 'placar_id', present ->> 'id',
    'send', nullif(send, '{}'), 'sent', nullif(sent, '{}'));
end
$function$;

create or replace function private.ask_for_crm_run (
  account_id text,
  kind       text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if account.status <> 'active' then
    perform private.refuse_argument('account_id', format('is %s%s', account.status, coalesce(': ' || account.reason, '')), reason => 'not_active');
  end if;
  if kind in ('reconcile', 'compare') and account.imported_at is null then
    perform private.refuse_argument('account_id', 'has no finished import: import first');
  elsif kind = 'reconcile' then
    perform private.queue_crm_differences(account, all_kinds => true);
  end if;
  return private.start_crm_run(account, kind);
end
$function$;

create or replace function private.change_summary (
  act          text,
  subject_kind text,
  subject_name text,
  before       jsonb,
  after        jsonb,
  reason       text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  subject constant text := replace(replace(subject_kind, '_', ' '), 'crm ', 'CRM ') || coalesce(' "' || subject_name || '"', '');
  members text;
  member  text;
  changed integer;
begin
  select string_agg(replace(m, '_', ' '), ', ' order by m), min(m), count(*) into members, member, changed
  from jsonb_object_keys(coalesce(after, before)) as m;
  return case
    when act = 'activity_code.mapped' then format('Mapped activity code %s to mission "%s".', subject_name, after ->> 'mission')
    when act = 'activity_code.unmapped' then format('Unmapped activity code %s from mission "%s".', subject_name, before ->> 'mission')
    when act = 'points.adjusted' then format('Adjusted the points of %s by %s.', subject_name, after ->> 'points')
    when act = 'balance.adjusted' then format('Adjusted the balance by %s %s (minor units).', after ->> 'amount', after ->> 'currency')
    when act = 'activity.voided' then format('Voided activity %s.', subject_name)
    when act = 'ranking.opted_out' then format('Excluded %s from rankings.', subject_name)
    when act = 'ranking.opted_in' then format('Included %s in rankings again.', subject_name)
    when act = 'payout.approved' then format('Approved payout %s.', subject_name)
    when act = 'payout.rejected' then format('Rejected payout %s.', subject_name)
    when act = 'person.exported' then 'Exported the data of a person.'
    when act = 'person.erased' then 'Erased a person.'
    when act = 'tenant.plan_changed' then format('Changed the plan from %s to %s.', before ->> 'plan', after ->> 'plan')
    when act = 'tenant.exported' then format('Exported %s.', subject)
    when act = 'lead.merged' then format('Merged lead %s into another lead.', after ->> 'merged_lead')
    when act = 'external_ids.moved' then format('Moved external ids of client %s to %s (%s).', before ->> 'client', subject, after ->> 'moved')
    when act = 'crm_stage.mapped' then format('Mapped %s to stage "%s".', subject, after ->> 'stage')
    when act = 'crm_activity_type.mapped' then format('Mapped %s to activity code %s.', subject, after ->> 'code')
    when act like 'crm%.unmapped' then format('Unmapped %s.', subject)
    when act = 'crm_run.started' then format('Started %s of %s.', after ->> 'kind', after ->> 'crm')
    when act = 'crm_run.canceled' then format('Canceled %s.', subject)
    when act = 'crm_difference.resolved' then format('Resolved %s with %s.', subject, after ->> 'take')
    when act = 'crm_account.paused' then format('Paused %s.', subject)
    when act = 'crm_account.resumed' then format('Resumed %s.', subject)
    when act like '%.secret_rotated' then format('Rotated the secret of %s.', subject)
    when act like '%.secret_set' then format('Set the secret of %s.', subject)
    when act like '%.rotated' then format('Rotated %s.', subject)
    when act like '%.revoked' then format('Revoked %s.', subject)
    when act like '%.connected' then format('Connected %s.', subject)
    when act like '%.disconnected' then format('Disconnected %s.', subject)
    when act like '%.created' then format('Created %s.', subject)
    when act like '%.deleted' then format('Deleted %s.', subject)
    when changed = 1 and jsonb_typeof(after -> member) = 'null' then format('Cleared %s of %s.', members, subject)
    when changed = 1 and jsonb_typeof(before -> member) = 'null' and jsonb_typeof(after -> member) in ('number', 'boolean', 'string')
      then format('Set %s of %s to %s.', members, subject, left(after ->> member, 100))
    when changed = 1 and jsonb_typeof(after -> member) in ('number', 'boolean', 'string') and before -> member <> after -> member
      then format('Changed %s of %s from %s to %s.', members, subject, left(before ->> member, 100), left(after ->> member, 100))
    else format('Changed %s of %s.', members, subject)
  end;
end
$function$;

create or replace function private.checked_crm_settings (
  settings jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  choices constant jsonb := '{"direction": ["in", "both"], "conflict": ["crm", "placar", "latest"], "on_delete": ["keep", "delete"]}';
  item    record;
begin
  for item in select * from jsonb_each(settings) as s (name, value) order by 1 loop
    if choices ? item.name then
      perform private.expect_one_of('settings.' || item.name, item.value #>> '{}', array(select jsonb_array_elements_text(choices -> item.name)));
    elsif item.name = 'create_out' then
      if jsonb_typeof(item.value) <> 'boolean' then
        perform private.refuse_argument('settings.create_out', 'must be true or false');
      end if;
    elsif item.name = 'pipelines' then
      if item.value <> '"all"' and (jsonb_typeof(item.value) <> 'array' or jsonb_array_length(item.value) = 0
          or exists (select from jsonb_array_elements(item.value) as p where jsonb_typeof(p) not in ('string', 'number'))) then
        perform private.refuse_argument('settings.pipelines', 'must be "all" or a list of ids of pipelines');
      end if;
    elsif item.name = 'objects' then
      if jsonb_typeof(item.value) <> 'array' then
        perform private.refuse_argument('settings.objects', 'must be a list', '{leads,deals,activities}');
      end if;
      perform private.expect_all_of('settings.objects', array(select jsonb_array_elements_text(item.value)), '{leads,deals,activities}');
    elsif item.name = 'fields' then
      perform private.expect_crm_fields(item.value);
    else
      perform private.refuse_argument('settings.' || left(item.name, 100), 'is unknown',
                                      '{direction,conflict,on_delete,pipelines,create_out,objects,fields}');
    end if;
  end loop;
  return case when jsonb_typeof(settings -> 'pipelines') = 'array'
    then jsonb_set(settings, '{pipelines}', to_jsonb(array(select jsonb_array_elements_text(settings -> 'pipelines')))) else settings end;
end
$function$;

create or replace function private.compare_sides (
  here         jsonb,
  there        jsonb,
  agreed_here  jsonb,
  agreed_there jsonb,
  winner       text,
  choices      jsonb default '{}'::jsonb
)
  returns table (
    take jsonb,
    send jsonb
  )
  language sql
  immutable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_object_agg(f.key, f.theirs) filter (where f.side = 'theirs'), '{}'),
         coalesce(jsonb_object_agg(f.key, f.ours) filter (where f.side = 'ours'), '{}')
  from (
    select t.key, t.value as theirs, o.ours,
           case
             when t.value = o.ours then 'both'
             when choices ? t.key then choices ->> t.key
             when changed.there and changed.here then winner
             when changed.there then 'theirs'
             when changed.here then 'ours'
             else 'both'
           end as side
    from jsonb_each(there) as t,
    lateral (select coalesce(here -> t.key, 'null') as ours) as o,
    lateral (select t.value <> coalesce(agreed_there -> t.key, 'null') as there,
                    o.ours <> coalesce(agreed_here -> t.key, 'null') as here) as changed
  ) as f
$function$;

create or replace function private.connect_crm (
  tenant      text,
  crm         text,
  credentials text,
  settings    text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
declare
  own         constant uuid  := private.tenant_named(tenant);
  given       constant jsonb := private.json_of('credentials', credentials);
  wanted      jsonb;
  former      constant public.crm_accounts := (select a from public.crm_accounts a where a.tenant_id = own and a.crm = connect_crm.crm);
  account     public.crm_accounts;
  secrets     private.crm_secrets;
begin
  perform private.expect_one_of('crm', crm, array(select c.name from private.crms c order by 1));
  wanted := private.checked_crm_settings(private.json_of('settings', settings));
  perform private.expect_crm_credentials(crm, given);
  insert into public.crm_accounts as a (tenant_id, crm, settings) values (own, connect_crm.crm, wanted)
  on conflict on constraint crm_accounts_tenant_id_crm_key do update
  set settings = a.settings || excluded.settings, reason = null, disconnected_at = null, forgotten_at = null, checked_at = null, last_reconciled_at = null, waiting_until = null, failures = 0,
      mailed_at = null,
      status = 'connecting',
      -- Another workspace has connected it since: the check says so.
      vendor_id = case when not exists (
        select from public.crm_accounts o where o.crm = a.crm and o.vendor_id = a.vendor_id and o.id <> a.id and o.status <> 'disconnected')
        then a.vendor_id end
  returning * into account;
  if not given ? 'refresh_token' and (select c.is_authorized_in_browser from private.crms c where c.name = crm) then
    update public.crm_accounts a set status = 'authorizing' where a.id = account.id;
  end if;
  select s.* into secrets from private.crm_secrets s where s.account_id = account.id for update;
  insert into private.crm_secrets as s (account_id, credentials, webhook_secret)
  values (
    account.id, private.keep_secret(secrets.credentials, given::text, 'crm_credentials_' || account.id, 'Credentials of an account at a CRM.'),
    coalesce(secrets.webhook_secret, private.keep_secret(
      null, private.random_base62(43), 'crm_webhook_' || account.id, 'Proves webhooks of a CRM.')))
  on conflict on constraint crm_secrets_pkey do update
  set credentials = excluded.credentials, webhook_secret = excluded.webhook_secret, refreshing_until = null,
      -- Webhooks with these ids may be those of other programs in another company.
      webhook_reference = case when former.forgotten_at is null then s.webhook_reference end;
  if former.status = 'disconnected' then
    perform private.queue_changes_here(former, account.settings);
  end if;
  perform private.wake_crm(account.id);
  return account.id;
end
$function$;

create or replace function private.crm_account_with_id (
  account_id text
)
  returns public.crm_accounts
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  account public.crm_accounts;
begin
  select a.* into account from public.crm_accounts a where a.id = crm_account_with_id.account_id and a.forgotten_at is null;
  if not found then
    perform private.refuse_argument('account_id', 'no such CRM account');
  end if;
  return account;
end
$function$;

create or replace function private.crm_differences_about (
  tenant_id uuid,
  address   text,
  ids       text[]
)
  returns SETOF public.crm_differences
  language sql
  stable
  set search_path to ''
  AS $function$
  select d.* from public.crm_differences d
  where d.tenant_id = crm_differences_about.tenant_id
    and (d.placar_id = any (ids)
         or private.is_about(jsonb_build_array(case jsonb_typeof(d.ours) when 'object' then d.ours - 'owner_id' else d.ours end, d.theirs), address, ids))
$function$;

create or replace function private.crm_differences_of (
  account public.crm_accounts,
  record  jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  faults jsonb := coalesce(record -> 'faults', '[]');
begin
  if record ->> 'owner' is not null and private.user_of_crm(account, record ->> 'owner') is null then
    faults := faults || jsonb_build_object('kind', 'unknown_owner', 'field', 'owner_id', 'theirs', coalesce(
      (select to_jsonb(c.email) from public.crm_users c where c.account_id = account.id and c.crm_id = record ->> 'owner'), record -> 'owner'));
  end if;
  if record ->> 'stage' is not null and private.stage_of_crm(account, record ->> 'stage') is null then
    faults := faults || jsonb_build_object('kind', 'unmapped_stage', 'field', 'stage_id', 'theirs', coalesce(
      (select to_jsonb(c.name) from public.crm_stages c where c.account_id = account.id and c.crm_id = record ->> 'stage'), record -> 'stage'));
  end if;
  return faults;
end
$function$;

create or replace function private.crm_is_at_work (
  account public.crm_accounts
)
  returns boolean
  language sql
  immutable
RETURN ((account).status = ANY (ARRAY['active'::text, 'connecting'::text, 'failing'::text]));

create or replace function private.crm_lead_is_taken (
  account public.crm_accounts,
  address text,
  own_id  text
)
  returns boolean
  language sql
  stable
  set search_path to ''
  AS $function$
  select exists (select from public.leads l where l.tenant_id = account.tenant_id and l.email = address and l.id::text is distinct from own_id)
$function$;

create or replace function private.crm_previews_of (
  tenant_id uuid,
  address   text,
  ids       text[]
)
  returns SETOF public.crm_preview_rows
  language sql
  stable
  set search_path to ''
  AS $function$
  select p.* from public.crm_preview_rows p
  where p.tenant_id = crm_previews_of.tenant_id
    and (private.is_about(p.fields - 'owner_id', address, ids) or p.placar_id = any (ids)
         or exists (select from private.crm_records_of(crm_previews_of.tenant_id, ids) r
                    join public.crm_runs u on u.account_id = r.account_id where u.id = p.run_id and (r.kind, r.crm_id) = (p.kind, p.crm_id)))
$function$;

create or replace function private.crm_reconcile_at (
  account           public.crm_accounts,
  reconcile_seconds integer,
  poll_seconds      integer
)
  returns timestamp with time zone
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(private.crm_run_due_at(
    account, 'reconcile', account.last_reconciled_at, case account.webhook_state when 'polling' then poll_seconds else reconcile_seconds end), now())
$function$;

create or replace function private.crm_records_of (
  tenant_id uuid,
  ids       text[]
)
  returns table (
    account_id text,
    kind       text,
    crm_id     text,
    placar_id  text
  )
  language sql
  stable
  set search_path to ''
  AS $function$
  select l.account_id, l.kind, l.crm_id, l.placar_id from public.crm_links l
  where l.tenant_id = crm_records_of.tenant_id and l.kind in ('lead', 'deal') and l.placar_id = any (ids)
$function$;

create or replace function private.crm_run_due_at (
  account  public.crm_accounts,
  run_kind text,
  done_at  timestamp with time zone,
  seconds  integer
)
  returns timestamp with time zone
  language sql
  stable
  set search_path to ''
  AS $function$
  select greatest(done_at, (
    select max(r.finished_at) from public.crm_runs r
    -- Those before the last check may be of other credentials or settings.
    where r.account_id = account.id and r.kind = run_kind and r.status in ('failed', 'canceled') and r.finished_at > account.checked_at))
    + make_interval(secs => seconds)
$function$;

create or replace function private.delete_crm_account (
  account_id text
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  delete from public.crm_accounts a where a.id = account_id;
  delete from public.jobs j where j.name = 'sync-crm' and j.key = account_id
$function$;

create or replace function private.delete_record (
  tenant_id uuid,
  kind      text,
  id        text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if kind = 'lead' then
    delete from public.leads l where l.tenant_id = delete_record.tenant_id and l.id::text = delete_record.id;
  else
    delete from public.deals d where d.tenant_id = delete_record.tenant_id and d.id::text = delete_record.id;
  end if;
end
$function$;

create or replace function private.end_crm_refusal (
  link public.crm_links
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  update public.crm_links l set refused = null where l.account_id = link.account_id and l.kind = link.kind and l.crm_id = link.crm_id;
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = link.account_id and d.record = link.kind and d.crm_id = link.crm_id and d.kind = 'refused_there' and d.resolved_at is null
$function$;

create or replace function private.end_crm_run (
  run public.crm_runs
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update public.crm_accounts a
  set imported_at = case when run.kind = 'import' then coalesce(a.imported_at, clock_timestamp()) else a.imported_at end,
      reconciled_to = case when run.kind in ('import', 'reconcile') then greatest(a.reconciled_to, run.started_at) else a.reconciled_to end,
      last_reconciled_at = case when run.kind = 'reconcile' or run.kind = 'import' and not run.left_out then clock_timestamp()
                                when run.kind <> 'import' then a.last_reconciled_at end,
      last_compared_at = case when run.kind in ('import', 'compare') then clock_timestamp() else a.last_compared_at end
  where a.id = run.account_id;
end
$function$;

create or replace function private.erase_crm_records (
  tenant_id uuid,
  address   text,
  ids       text[]
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  erased jsonb := '{}';
  n      bigint;
begin
  update public.crm_events e set body = 'Erased'
  where e.tenant_id = erase_crm_records.tenant_id and e.body <> 'Erased'
    and (private.mentions(e.body, address)
         or exists (select from private.crm_records_of(tenant_id, ids) r where (r.account_id, r.kind, r.crm_id) = (e.account_id, e.kind, e.crm_id)));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('crm_events', n);
  update public.crm_preview_rows p set name = null, fields = null
  from private.crm_previews_of(tenant_id, address, ids) as o
  where p.tenant_id = o.tenant_id and p.id = o.id;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('crm_preview_rows', n);
  update public.crm_differences d set ours = null, theirs = null
  from private.crm_differences_about(tenant_id, address, ids) as o
  where d.tenant_id = o.tenant_id and d.id = o.id;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('crm_differences', n);
  delete from public.crm_links l
  where l.tenant_id = erase_crm_records.tenant_id and l.kind = 'lead' and l.placar_id = any (ids);
  get diagnostics n = row_count;
  update public.crm_links l set agreed_here = '{}', agreed_there = '{}', refused = null
  where l.tenant_id = erase_crm_records.tenant_id and l.kind = 'deal' and l.placar_id = any (ids);
  erased := erased || jsonb_build_object('crm_links', n);
  delete from private.crm_creations c using public.crm_accounts a
  where a.id = c.account_id and a.tenant_id = erase_crm_records.tenant_id and c.placar_id = any (ids);
  delete from public.crm_users u where u.tenant_id = erase_crm_records.tenant_id and u.email = address;
  get diagnostics n = row_count;
  return erased || jsonb_build_object('crm_users', n);
end
$function$;

create or replace function private.erase_email (
  tenant_id uuid,
  address   text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  replacement constant text := 'erased-' || left(replace(gen_random_uuid()::text, '-', ''), 16) || '@erased.invalid';
  ids         text[];
  account_id  uuid;
  erased      jsonb := '{}';
  n           bigint;
begin
  select coalesce(array_agg(r.id), '{}') into ids from private.records_of_person(tenant_id, address) r where r.kind <> 'players';
  ids := ids || private.deleted_records_of_person(tenant_id, address);

  perform set_config('app.maintenance', 'on', true);
  -- The player comes first, so that rows changed to the new address find it.
  update public.players p set email = replacement where p.tenant_id = erase_email.tenant_id and p.email = address;
  delete from private.user_accounts t
  where t.tenant_id = erase_email.tenant_id and t.user_id::text = any (ids)
  returning t.auth_user_id into account_id;
  -- Before the records, which their links name.
  erased := private.erase_crm_records(tenant_id, address, ids)
         || private.erase_records(tenant_id, address, replacement, ids)
         || private.erase_payments(tenant_id, address, replacement, ids)
         || private.erase_traces(tenant_id, address, replacement, ids);
  erased := erased || jsonb_build_object('texts', private.erase_texts(tenant_id, address, replacement));
  update public.tenants t set owner_email = null where t.id = tenant_id and lower(t.owner_email) = address;
  update public.admin_changes c set actor_name = null
  where c.tenant_id = erase_email.tenant_id and c.actor_kind = 'person' and c.actor_id = any (ids);
  update public.admin_changes c set subject_name = null, summary = c.act
  where c.tenant_id = erase_email.tenant_id and c.subject_kind = 'user' and c.subject_id = any (ids);

  -- Last, to include the events that the statements above emit.
  update public.events e set data = private.erased_json(app.event_data(e), address, replacement, ids), values_id = null
  where e.tenant_id = erase_email.tenant_id and private.is_about(app.event_data(e), address, ids);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('events', n);

  perform set_config('app.maintenance', '', true);
  perform private.schedule_auth_sync(tenant_id, address, account_id);
  insert into private.erasures (tenant_id, email_hash, replacement, erased)
  values (tenant_id, sha256(convert_to(address, 'UTF8')), replacement, erased);
  return erased;
end
$function$;

create or replace function private.expect_crm_credentials (
  crm         text,
  credentials jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  forms constant jsonb := (select c.credentials from private.crms c where c.name = crm);
  form  jsonb;
  name  text;
begin
  -- The form with which it shares the first member it has; the first one otherwise.
  select f.value into form from jsonb_array_elements(forms) with ordinality as f (value, place)
  order by (select count(*) from jsonb_object_keys(credentials) as k where f.value ? k and k <> 'optional') desc, f.place limit 1;
  for name in select k from jsonb_object_keys(credentials) as k where not form ? k or k = 'optional' order by 1 loop
    perform private.refuse_argument('credentials.' || left(name, 100), 'is unknown',
                                    array(select k from jsonb_object_keys(form) as k where k <> 'optional' order by 1));
  end loop;
  for name in select k from jsonb_object_keys(form) as k where k <> 'optional' order by 1 loop
    if not credentials ? name then
      continue when coalesce(form -> 'optional' ? name, false);
      perform private.refuse_argument('credentials.' || name, 'is required');
    elsif jsonb_typeof(credentials -> name) <> 'string' or credentials ->> name !~ (form ->> name) then
      perform private.refuse_argument('credentials.' || name, 'is not in the format of this CRM');
    end if;
  end loop;
end
$function$;

create or replace function private.expect_crm_fields (
  fields jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  item record;
begin
  if jsonb_typeof(fields) <> 'object' then
    perform private.refuse_argument('settings.fields', 'is not a JSON object');
  end if;
  for item in select * from jsonb_each(fields) as f (record, names) order by 1 loop
    perform private.expect_one_of('settings.fields', item.record, '{lead,deal}');
    if jsonb_typeof(item.names) <> 'object' then
      perform private.refuse_argument('settings.fields.' || item.record, 'is not a JSON object');
    end if;
    perform private.refuse_argument(
      format('settings.fields.%s.%s', item.record, left(n.ours, 100)), 'is not a member that can be mapped',
      case item.record when 'lead' then '{custom_fields.<name>,phone,position,source,company}'::text[] else '{custom_fields.<name>,company}' end)
    from jsonb_each(item.names) as n (ours, theirs)
    where n.ours !~ '^custom_fields\.[^\x01-\x1f]{1,100}$'
      and not n.ours = any (case item.record when 'lead' then '{phone,position,source,company}'::text[] else '{company}' end);
    perform private.refuse_argument(format('settings.fields.%s.%s', item.record, left(n.ours, 100)), 'must be the name of a field in the CRM')
    from jsonb_each(item.names) as n (ours, theirs)
    where jsonb_typeof(n.theirs) <> 'string' or n.theirs #>> '{}' !~ '^[!-~]{1,200}$';
  end loop;
end
$function$;

create or replace function private.export_person (
  tenant_id uuid,
  email     text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  address constant text := lower(btrim(email));
  emails  constant text[] := private.emails_of_person(tenant_id, address);
  found_  jsonb;
  ids     text[];
  result  jsonb := jsonb_build_object('email', address);
  item    record;
  rows_   jsonb;
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('email', email);
  select coalesce(jsonb_object_agg(kind, of_kind), '{}'), coalesce(array_agg(distinct one), '{}')
  into found_, ids
  from (
    select r.kind, array_agg(distinct r.id) as of_kind
    from unnest(emails) as a (email), private.records_of_person(export_person.tenant_id, a.email) r group by r.kind
  ) as k, unnest(k.of_kind) as one;

  found_ := found_ || jsonb_build_object('emails', to_jsonb(emails));
  -- First the person's own rows, then rows that reference them.
  for item in
    select * from (values
      ('players', 'id', 'players'), ('users', 'id', 'users'), ('collaborators', 'id', 'collaborators'), ('leads', 'id', 'leads'),
      ('merged_leads', 'lead_id', 'merged_leads'), ('deals', 'id', 'deals'), ('deal_activities', 'id', 'deal_activities'), ('invoices', 'id', 'invoices'),
      ('payouts', 'id', 'payouts'), ('invitations', 'user_id', 'users'), ('activities', 'collaborator_id', 'collaborators'),
      ('point_entries', 'player_id', 'players'), ('earned_badges', 'player_id', 'players'),
      ('completed_challenges', 'player_id', 'players'), ('tax_documents', 'invoice_id', 'invoices'),
      ('refunds', 'id', 'refunds'), ('disputes', 'invoice_id', 'invoices'), ('crm_links', 'placar_id', 'leads'),
      ('crm_users', 'email', 'emails')
    ) as t (name, by_column, kind)
  loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(t) - $3), ''[]'') from public.%I t where t.tenant_id = $1 and t.%I::text = any ($2)',
      item.name, item.by_column)
    into rows_
    using export_person.tenant_id, array(select jsonb_array_elements_text(coalesce(found_ -> item.kind, '[]'))),
          '{tenant_id,search,token_hash,public_token}'::text[];
    result := result || jsonb_build_object(item.name, rows_);
  end loop;

  select coalesce(jsonb_agg(to_jsonb(e) - 'tenant_id' order by e.id), '[]') into rows_
  from public.crm_events e
  where e.tenant_id = export_person.tenant_id
    and (exists (select from unnest(emails) as a (email) where private.mentions(e.body, a.email))
         or exists (select from private.crm_records_of(export_person.tenant_id, ids) r
                    where (r.account_id, r.kind, r.crm_id) = (e.account_id, e.kind, e.crm_id)));
  result := result || jsonb_build_object(
    'crm_events', rows_,
    'crm_preview_rows', (
      select coalesce(jsonb_agg(distinct to_jsonb(p) - 'tenant_id'), '[]')
      from unnest(emails) as a (email), private.crm_previews_of(export_person.tenant_id, a.email, ids) as p),
    'crm_differences', (
      select coalesce(jsonb_agg(distinct to_jsonb(d) - 'tenant_id'), '[]')
      from unnest(emails) as a (email), private.crm_differences_about(export_person.tenant_id, a.email, ids) as d));
  -- Records that the person only owns are about other people.
  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'data', app.event_data(e), 'created_at', e.created_at) order by e.id), '[]')
  into rows_
  from public.events e where e.tenant_id = export_person.tenant_id and exists (
    select from unnest(emails) as a (email) where private.is_about(app.event_data(e) - '{owner_id,leader_id}'::text[], a.email, ids)
  );
  return result || jsonb_build_object('events', rows_);
end
$function$;

create or replace function private.forget_crm_secrets()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  delete from vault.secrets s where s.id in (old.credentials, old.webhook_secret);
  return null;
end
$function$;

create or replace function private.forget_seen()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  delete from private.crm_seen s where s.run_id = new.id;
  return null;
end
$function$;

create or replace function private.in_terms_of_crm (
  account  public.crm_accounts,
  sent     jsonb,
  pipeline text
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select sent - '{owner_id,stage_id,lead_id,company}'::text[]
    || case when sent ? 'owner_id' then jsonb_build_object('owner', (
         select c.crm_id from public.users u join public.crm_users c on c.account_id = account.id and c.email = u.email
         where u.tenant_id = account.tenant_id and u.id::text = sent ->> 'owner_id'
         order by c.place, c.crm_id limit 1)) else '{}' end
    || case when sent ? 'stage_id' then jsonb_build_object('stage', (
         select c.crm_id from public.crm_stages c
         where c.account_id = account.id and c.is_present and c.closes is null and private.reads_pipeline(account, c.pipeline)
           and private.stage_of_crm(account, c.crm_id)::text = sent ->> 'stage_id'
         order by c.pipeline is not distinct from in_terms_of_crm.pipeline desc, c.stage_id is not null desc, c.place limit 1)) else '{}' end
    || case when sent ? 'lead_id' then jsonb_build_object('contact', (
         select min(l.crm_id) from public.crm_links l
         where l.account_id = account.id and l.kind = 'lead' and l.state = 'linked' and l.placar_id in (
           select sent ->> 'lead_id' union all
           select m.lead_id::text from public.merged_leads m
           where m.tenant_id = account.tenant_id and m.merged_into::text = sent ->> 'lead_id'))) else '{}' end
$function$;

create or replace function private.json_of (
  argument text,
  given    text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  parsed jsonb;
begin
  begin
    parsed := given::jsonb;
  -- The context of any other error would contain the text.
  exception when data_exception or program_limit_exceeded then
    parsed := null;
  end;
  if jsonb_typeof(parsed) is distinct from 'object' then
    perform private.refuse_argument(argument, 'is not a JSON object');
  end if;
  return parsed;
end
$function$;

create or replace function private.keep_link (
  account      public.crm_accounts,
  kind         text,
  placar_id    text,
  record       jsonb,
  agreed_here  jsonb,
  agreed_there jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  deals text[] := '{}';
begin
  -- A record that was deleted in the CRM and made there again under another id.
  delete from public.crm_links l
  where l.account_id = account.id and l.kind = kind and l.placar_id = placar_id and l.crm_id <> record ->> 'id' and l.state = 'gone';
  insert into public.crm_links as l
    (tenant_id, account_id, kind, placar_id, crm_id, crm_updated_at, pipeline, contact, agreed_here, agreed_there)
  values (account.tenant_id, account.id, kind, placar_id, record ->> 'id', (record ->> 'updated_at')::timestamptz,
          record ->> 'pipeline', record ->> 'contact', agreed_here, agreed_there)
  on conflict on constraint crm_links_pkey do update
  set placar_id = excluded.placar_id, state = 'linked', crm_updated_at = excluded.crm_updated_at, pipeline = excluded.pipeline,
      contact = excluded.contact, agreed_here = excluded.agreed_here, agreed_there = excluded.agreed_there;
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = account.id and d.record = kind and d.resolved_at is null
    and (d.crm_id = record ->> 'id' and d.kind in ('deleted_there', 'read_failed')
         -- Of a former link of the record, or of attempts to create it there.
         or d.placar_id = placar_id and (d.kind = 'deleted_there' or d.crm_id is null));
  delete from private.crm_creations c where c.account_id = account.id and c.kind = kind and c.placar_id = placar_id;
  if kind = 'lead' then
    -- Deals that came when their contact was no lead, and deals of ours that were sent without it.
    if account.settings ->> 'direction' = 'both' then
      deals := array(select d.id::text from public.deals d where d.tenant_id = account.tenant_id and d.lead_id = placar_id::uuid);
    end if;
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at)
    select account.tenant_id, account.id, 'deal', l.crm_id, now() from public.crm_links l
    where l.account_id = account.id and l.kind = 'deal' and l.state = 'linked' and l.agreed_there ->> 'lead_id' is distinct from placar_id
      and (l.contact = record ->> 'id' or l.placar_id = any (deals));
  end if;
end
$function$;

create or replace function private.lead_with_id (
  tenant_id uuid,
  id        text
)
  returns public.leads
  language sql
  stable
  set search_path to ''
  AS $function$
  select l from public.leads l
  where l.tenant_id = lead_with_id.tenant_id and l.id in (lead_with_id.id::uuid, (
    select m.merged_into from public.merged_leads m where m.tenant_id = lead_with_id.tenant_id and m.lead_id = lead_with_id.id::uuid))
$function$;

create or replace function private.linked_id (
  account public.crm_accounts,
  kind    text,
  crm_id  text
)
  returns text
  language sql
  stable
  set search_path to ''
  AS $function$
  select l.placar_id from public.crm_links l
  where l.account_id = account.id and l.kind = linked_id.kind and l.crm_id = linked_id.crm_id
$function$;

create or replace function private.lock_record (
  tenant_id uuid,
  kind      text,
  present   jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if kind = 'lead' then
    select to_jsonb(l) into present from public.leads l
    where l.tenant_id = lock_record.tenant_id and l.id = (present ->> 'id')::uuid for no key update;
  else
    select to_jsonb(d) into present from public.deals d
    where d.tenant_id = lock_record.tenant_id and d.id = (present ->> 'id')::uuid for no key update;
  end if;
  return present;
end
$function$;

create or replace function private.mail_about_crm()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.mail_owner(
    new.tenant_id, format('crm-failing:%s:%s', new.id, extract(epoch from now())), 'crm_failing',
    jsonb_build_object('crm', (select c.title from private.crms c where c.name = new.crm), 'reason', new.reason));
  new.mailed_at := now();
  return new;
end
$function$;

create or replace function private.merge_as_in_crm (
  account public.crm_accounts,
  kind    text,
  record  jsonb
)
  returns text[]
  language plpgsql
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  merge constant jsonb := record -> 'merge';
  losers text[] := '{}';
begin
  if merge ->> 'former_id' is not null then
    update public.crm_links l set crm_id = record ->> 'id'
    where l.account_id = account.id and l.kind = kind and l.crm_id = merge ->> 'former_id'
      and not exists (select from public.crm_links o where o.account_id = account.id and o.kind = kind and o.crm_id = record ->> 'id');
  end if;
  if kind <> 'lead' then
    return losers;
  end if;
  with gone as (
    update public.crm_links l set state = 'gone', gone_at = null
    where l.account_id = account.id and l.kind = 'lead' and l.crm_id <> record ->> 'id'
      and l.crm_id in (select jsonb_array_elements_text(merge -> 'losers'))
      -- A change of the loser may have been told before the merge.
      and (l.state = 'linked' or l.gone_at > now() - interval '10 minutes')
    returning l.crm_id, l.placar_id
  ), resolved as (
    update public.crm_differences d set resolved_at = clock_timestamp() from gone g
    where d.account_id = account.id and d.record = 'lead' and d.crm_id = g.crm_id and d.kind = 'deleted_there' and d.resolved_at is null
  )
  select coalesce(array_agg(g.placar_id), '{}') into losers from gone g;
  return losers;
end
$function$;

create or replace function private.move_link_of_merged_lead()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  account public.crm_accounts;
  their_id text;
begin
  for account in select a.* from public.crm_accounts a where a.tenant_id = new.tenant_id order by a.id loop
    continue when not exists (
      select from public.crm_links l
      where l.account_id = account.id and l.kind = 'lead' and l.placar_id = new.lead_id::text and l.state = 'linked');
    delete from public.crm_links l
    where l.account_id = account.id and l.kind = 'lead' and l.placar_id = new.merged_into::text and l.state = 'gone';
    update public.crm_links l set placar_id = new.merged_into::text
    where l.account_id = account.id and l.kind = 'lead' and l.placar_id = new.lead_id::text
      and not exists (
        select from public.crm_links w where w.account_id = account.id and w.kind = 'lead' and w.placar_id = new.merged_into::text)
    returning l.crm_id into their_id;
    if found and account.status <> 'disconnected' then
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at)
      values (account.tenant_id, account.id, 'lead', their_id, now() + interval '1 second');
      perform private.wake_crm(account.id, now() + interval '1 second');
    end if;
  end loop;
  return null;
end
$function$;

create or replace function private.note_changes_for_crms()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  account_id text;
begin
  if not exists (select from written w join public.crm_accounts a on a.tenant_id = w.tenant_id and a.status <> 'disconnected') then
    return null;
  end if;
  for account_id in
    with queued as (
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, placar_id, due_at)
      select distinct a.tenant_id, a.id, w.kind, l.crm_id, w.record_id, now() + interval '1 second'
      from (
        select n.tenant_id, n.origin, n.type, split_part(n.type, '.', 1) as kind, n.data ->> 'id' as record_id
        from written n where n.interface = 'records' and split_part(n.type, '.', 1) in ('lead', 'deal')
      ) as w
      join public.crm_accounts a on a.tenant_id = w.tenant_id and a.status <> 'disconnected'
      left join public.crm_links l on l.account_id = a.id and l.kind = w.kind and l.placar_id = w.record_id
      where w.origin is distinct from 'crm:' || a.crm
        and (l.state = 'linked'
             or exists (select from private.crm_creations c where c.account_id = a.id and c.kind = w.kind and c.placar_id = w.record_id)
             or l.state is null and w.type in ('lead.created', 'deal.created')
                and a.settings ->> 'direction' = 'both' and coalesce((a.settings ->> 'create_out')::boolean, false))
      returning crm_pending.account_id
    )
    select distinct q.account_id from queued q order by 1
  loop
    perform private.wake_crm(account_id, now() + interval '1 second');
  end loop;
  return null;
end
$function$;

create or replace function private.note_crm_difference (
  account     public.crm_accounts,
  record_kind text,
  their_id    text,
  our_id      text,
  difference  jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  insert into public.crm_differences as d (tenant_id, account_id, kind, record, crm_id, placar_id, field, ours, theirs)
  values (account.tenant_id, account.id, difference ->> 'kind', record_kind, their_id, our_id, coalesce(difference ->> 'field', ''),
          difference -> 'ours', difference -> 'theirs')
  on conflict (account_id, record, coalesce(crm_id, placar_id), kind, field) where resolved_at is null
  do update set ours = excluded.ours, theirs = excluded.theirs, placar_id = excluded.placar_id
$function$;

create or replace function private.picked_answers (
  there jsonb,
  send  jsonb
)
  returns jsonb
  language sql
  immutable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_object_agg(s.key, coalesce(there -> s.key, s.value)), '{}') from jsonb_each(send) as s
$function$;

create or replace function private.picked_values (
  record jsonb,
  names  text[]
)
  returns jsonb
  language sql
  immutable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_object_agg(n.name, coalesce(
    case when n.name like 'custom_fields.%' then record -> 'custom_fields' -> substr(n.name, 15) else record -> n.name end, 'null')), '{}')
  from unnest(names) as n (name)
$function$;

create or replace function private.preview_crm_record (
  run     public.crm_runs,
  account public.crm_accounts,
  kind    text,
  record  jsonb,
  place   bigint
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.queue_changes_here (
  account  public.crm_accounts,
  settings jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  insert into private.crm_pending (tenant_id, account_id, kind, placar_id, due_at)
  select account.tenant_id, account.id, r.kind, r.id::text, now()
  from (
    select 'lead' as kind, e.id, e.created_at from public.leads e where e.tenant_id = account.tenant_id
    union all
    select 'deal', d.id, d.created_at from public.deals d where d.tenant_id = account.tenant_id
  ) as r
  where r.created_at > account.disconnected_at and settings ->> 'direction' = 'both' and coalesce((settings ->> 'create_out')::boolean, false)
    and not exists (select from public.crm_links l where l.account_id = account.id and l.kind = r.kind and l.placar_id = r.id::text);
  insert into private.crm_pending (tenant_id, account_id, kind, crm_id, placar_id, can_wait, due_at)
  select l.tenant_id, l.account_id, l.kind, l.crm_id, l.placar_id, true, now()
  from public.crm_links l,
  lateral (
    select to_jsonb(e) as present, e.updated_at from public.leads e where l.kind = 'lead' and e.tenant_id = l.tenant_id and e.id = l.placar_id::uuid
    union all
    select to_jsonb(d), d.updated_at from public.deals d where l.kind = 'deal' and d.tenant_id = l.tenant_id and d.id = l.placar_id::uuid
  ) as r
  where l.account_id = account.id and l.kind in ('lead', 'deal') and l.state = 'linked'
    -- Comparing the values of all would take seconds. What changed earlier was queued and compared while the account was at work.
    and r.updated_at > coalesce(account.last_reconciled_at - interval '1 day', '-infinity')
    and private.picked_values(r.present, array(select jsonb_object_keys(l.agreed_here))) <> l.agreed_here
$function$;

create or replace function private.queue_crm_differences (
  account   public.crm_accounts,
  all_kinds boolean             default false
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  insert into private.crm_pending (tenant_id, account_id, kind, crm_id, can_wait, due_at)
  select distinct account.tenant_id, account.id, d.record, d.crm_id, true, now()
  from public.crm_differences d
  where d.account_id = account.id and d.resolved_at is null and d.kind <> 'deleted_there' and d.crm_id is not null
    and (all_kinds or d.kind <> 'missing_email' or d.record <> 'lead' or d.id in (
      select o.id from public.crm_differences o
      where o.tenant_id = account.tenant_id and o.account_id = account.id and o.kind = 'missing_email' and o.record = 'lead' and o.resolved_at is null
      order by o.found_at limit 100))
    and not exists (select from private.crm_pending p where p.account_id = account.id and p.kind = d.record and p.crm_id = d.crm_id)
$function$;

create or replace function private.queue_unseen_links (
  run public.crm_runs
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  insert into private.crm_pending (tenant_id, account_id, kind, crm_id, can_wait, due_at)
  select l.tenant_id, l.account_id, l.kind, l.crm_id, true, now()
  from public.crm_links l
  where l.account_id = run.account_id and l.state = 'linked' and l.created_at < run.started_at
    and not exists (select from private.crm_seen s where s.run_id = run.id and s.kind = l.kind and s.crm_id = l.crm_id)
$function$;

create or replace function private.reads_pipeline (
  account  public.crm_accounts,
  pipeline text
)
  returns boolean
  language sql
  immutable
RETURN
  (COALESCE(((account).settings -> 'pipelines'::text), '"all"'::jsonb) ?| ARRAY['all'::text,
  pipeline]);

create or replace function private.record_crm_account_change()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  account constant public.crm_accounts := coalesce(new, old);
  before_ jsonb;
  after_  jsonb;
begin
  -- The deletion of a forgotten account was recorded when an admin asked for it.
  if not private.is_audited() or tg_op = 'DELETE' and account.forgotten_at is not null then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(m, old.settings -> m), jsonb_object_agg(m, new.settings -> m) into before_, after_
    from (select jsonb_object_keys(old.settings || new.settings)) as members (m)
    where old.settings -> m is distinct from new.settings -> m;
  end if;
  perform private.add_change(
    account.tenant_id,
    'crm_account.' || case
      when tg_op = 'INSERT' then 'connected'
      when tg_op = 'DELETE' or new.forgotten_at is not null then 'deleted'
      when old.disconnected_at is distinct from new.disconnected_at then case when new.disconnected_at is null then 'connected' else 'disconnected' end
      when new.status = 'paused' and old.status <> 'paused' then 'paused'
      when old.status = 'paused' and new.status <> 'paused' then 'resumed'
      else 'updated' end,
    'crm_account', account.id, account.crm, before_,
    case tg_op when 'INSERT' then jsonb_build_object('crm', new.crm) || new.settings else after_ end);
  return null;
end
$function$;

create or replace function private.record_crm_change()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  data    constant jsonb := to_jsonb(new);
  tenant  constant uuid  := (data ->> 'tenant_id')::uuid;
  was     constant jsonb := case tg_op when 'UPDATE' then to_jsonb(old) end;
  account public.crm_accounts;
begin
  if not private.is_audited() then
    return null;
  end if;
  select a.* into account from public.crm_accounts a where a.id = data ->> 'account_id';
  case tg_table_name
    when 'crm_secrets' then
      perform private.add_change(account.tenant_id, 'crm_account.updated', 'crm_account', account.id, account.crm,
                                 '{"credentials": "replaced"}', '{"credentials": "replaced"}');
    when 'crm_stages' then
      perform private.add_change(
        tenant, case when new.stage_id is null then 'crm_stage.unmapped' else 'crm_stage.mapped' end, 'crm_stage', data ->> 'crm_id', data ->> 'name',
        jsonb_build_object('stage', (select s.name from public.pipeline_stages s where s.tenant_id = tenant and s.id::text = was ->> 'stage_id')),
        jsonb_build_object('stage', (select s.name from public.pipeline_stages s where s.tenant_id = tenant and s.id::text = data ->> 'stage_id')));
    when 'crm_activity_types' then
      perform private.add_change(
        tenant, case when data ->> 'code' is null then 'crm_activity_type.unmapped' else 'crm_activity_type.mapped' end, 'crm_activity_type',
        data ->> 'crm_type', data ->> 'crm_type', jsonb_build_object('code', was -> 'code'), jsonb_build_object('code', data -> 'code'));
    when 'crm_runs' then
      perform private.add_change(
        tenant, case tg_op when 'INSERT' then 'crm_run.started' else 'crm_run.canceled' end, 'crm_run', data ->> 'id', data ->> 'kind',
        case tg_op when 'UPDATE' then jsonb_build_object('status', was -> 'status') end,
        case tg_op when 'UPDATE' then jsonb_build_object('status', data -> 'status') else jsonb_build_object('crm', account.crm, 'kind', data -> 'kind') end);
    when 'crm_differences' then
      perform private.add_change(
        tenant, 'crm_difference.resolved', 'crm_difference', data ->> 'id', data ->> 'kind', '{"take": null}',
        jsonb_build_object('take', private.side_taken(new)));
  end case;
  return null;
end
$function$;

create or replace function private.sendable_values (
  account  public.crm_accounts,
  wanted   jsonb,
  pipeline text
)
  returns table (
    send   jsonb,
    sent   jsonb,
    faults jsonb
  )
  language sql
  stable
  set search_path to ''
  AS $function$
  with in_their_terms as materialized (select private.in_terms_of_crm(account, wanted, pipeline) as terms)
  select coalesce(jsonb_object_agg(m.ours, m.value) filter (where m.fits), '{}'),
         coalesce(jsonb_object_agg(m.theirs, m.value_there) filter (where m.fits), '{}'),
         coalesce(jsonb_agg(jsonb_build_object('kind', m.fault, 'field', m.ours, 'ours', m.value)) filter (where not m.fits and m.fault is not null), '[]')
  from (
    select n.ours, n.theirs, n.fault, n.value, t.terms -> n.theirs as value_there,
           t.terms ? n.theirs and (n.value = 'null' or t.terms -> n.theirs <> 'null') as fits
    from in_their_terms t, (
      select w.key as ours, w.value, coalesce(i.theirs, w.key) as theirs, i.fault
      from jsonb_each(wanted) as w
      left join (values ('owner_id', 'owner', 'unknown_owner'), ('stage_id', 'stage', 'unmapped_stage'), ('lead_id', 'contact', 'missing_email'))
        as i (ours, theirs, fault) on i.ours = w.key
    ) as n
  ) as m
$function$;

create or replace function private.set_crm_differences (
  account     public.crm_accounts,
  record_kind text,
  their_id    text,
  our_id      text,
  found_now   jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = account.id and d.record = record_kind and d.crm_id = their_id and d.resolved_at is null
    and d.kind not in ('refused_there', 'deleted_there')
    and not exists (
      select from jsonb_array_elements(found_now) as f (value)
      where f.value ->> 'kind' = d.kind and coalesce(f.value ->> 'field', '') = d.field);
  select private.note_crm_difference(account, record_kind, their_id, our_id, f.value) from jsonb_array_elements(found_now) as f (value)
$function$;

create or replace function private.set_crm_settings (
  account_id text,
  settings   jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
  given   constant jsonb := private.checked_crm_settings(settings);
  present constant jsonb := '{"direction": "in", "conflict": "crm", "on_delete": "keep", "pipelines": "all", "create_out": false,
                              "objects": ["leads", "deals", "activities"], "fields": {"lead": {}, "deal": {}}}' || account.settings;
begin
  -- As after connecting again: webhooks are set up for the fields, and what differs is compared.
  update public.crm_accounts a
  set settings = a.settings || given, checked_at = null, last_reconciled_at = null
  where a.id = account.id and exists (select from jsonb_each(given) as g where g.value <> present -> g.key);
  if found then
    perform private.wake_crm(account.id);
  end if;
end
$function$;

create or replace function private.side_taken (
  difference public.crm_differences
)
  returns text
  language sql
  stable
  set search_path to ''
  AS $function$
  select case
    when difference.kind <> 'deleted_there' then (
      select v.value from private.crm_pending p, jsonb_each_text(p.take) as v
      where p.account_id = difference.account_id and p.kind = difference.record and p.crm_id = difference.crm_id and p.take <> '{}'
      order by p.id desc limit 1)
    when exists (select from public.leads l where l.tenant_id = difference.tenant_id and l.id::text = difference.placar_id)
      or exists (select from public.deals d where d.tenant_id = difference.tenant_id and d.id::text = difference.placar_id) then 'ours'
    else 'theirs' end
$function$;

create or replace function private.stage_of_crm (
  account   public.crm_accounts,
  crm_stage text
)
  returns uuid
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(c.stage_id, (
    select s.id from public.pipeline_stages s
    where s.tenant_id = c.tenant_id and lower(normalize(s.name, nfc)) = lower(normalize(c.name, nfc))))
  from public.crm_stages c where c.account_id = account.id and c.crm_id = crm_stage
$function$;

create or replace function private.start_crm_run (
  account  public.crm_accounts,
  run_kind text
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.store_tombstones (
  move private.tenant_moves
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  insert into private.moved_callers as c (kind, name, move_id, secret_hashes, ip_allowlist, expires_at)
  select 'api_key', encode(k.key_hash, 'hex'), move.id, null::text[], k.ip_allowlist, k.expires_at
  from public.api_keys k where k.tenant_id = move.tenant_id and k.revoked_at is null
  union all
  select 'oauth_client', o.client_id, move.id,
         array(select encode(s.secret_hash, 'hex') from private.oauth_client_secrets s where s.oauth_client_id = o.id and coalesce(s.expires_at > now(), true)),
         null, null
  from public.oauth_clients o where o.tenant_id = move.tenant_id and o.revoked_at is null
  union all
  select 'provider_account', a.id, move.id, null, null, null from public.provider_accounts a where a.tenant_id = move.tenant_id
  union all
  -- Accounts at CRMs, whose ids differ from those at providers.
  select 'provider_account', a.id, move.id, null, null, null from public.crm_accounts a where a.tenant_id = move.tenant_id
  union all
  select 'file', encode(sha256(convert_to(f.token, 'UTF8')), 'hex'), move.id, null, null, null
  from (
    select i.public_token as token from public.invoices i where i.tenant_id = move.tenant_id
    union all select d.public_token from public.tax_documents d where d.tenant_id = move.tenant_id
  ) as f where f.token is not null
  union all
  select 'invitation', encode(i.token_hash, 'hex'), move.id, null, null, i.expires_at
  from public.invitations i where i.tenant_id = move.tenant_id and i.token_hash is not null
  on conflict (kind, name) do update
  set move_id = excluded.move_id, secret_hashes = excluded.secret_hashes, ip_allowlist = excluded.ip_allowlist, expires_at = excluded.expires_at
$function$;

create or replace function private.try_crm_record (
  account public.crm_accounts,
  kind    text,
  record  jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  words text;
begin
  return (select o from app.apply_crm_records(account.id, kind, jsonb_build_array(record)) as o);
exception when data_exception or integrity_constraint_violation or plpgsql_error then
  get stacked diagnostics words = message_text;
  perform private.note_crm_difference(account, kind, record ->> 'id', null, jsonb_build_object('kind', 'read_failed', 'theirs', words));
  return jsonb_build_object('action', 'failed', 'id', record ->> 'id');
end
$function$;

create or replace function private.unlisted_crm_ids (
  account public.crm_accounts,
  owners  text[],
  stages  text[]
)
  returns SETOF text
  language sql
  stable
  set search_path to ''
  AS $function$
  select 'owner:' || o.id from unnest(owners) as o (id)
  where not exists (select from public.crm_users u where u.account_id = account.id and u.crm_id = o.id)
  union
  select 'stage:' || o.id from unnest(stages) as o (id)
  where not exists (select from public.crm_stages s where s.account_id = account.id and s.crm_id = o.id)
$function$;

create or replace function private.user_of_crm (
  account  public.crm_accounts,
  crm_user text
)
  returns uuid
  language sql
  stable
  set search_path to ''
  AS $function$
  select u.id from public.crm_users c
  join public.users u on u.tenant_id = c.tenant_id and u.email = c.email
  where c.account_id = account.id and c.crm_id = crm_user
$function$;

create or replace function private.values_there (
  account public.crm_accounts,
  kind    text,
  record  jsonb
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select record -> 'values'
    || case when record ? 'owner' then jsonb_build_object('owner_id', private.user_of_crm(account, record ->> 'owner')) else '{}' end
    || case when kind = 'deal' then jsonb_build_object('lead_id', (private.lead_with_id(
         account.tenant_id, private.linked_id(account, 'lead', record ->> 'contact'))).id) else '{}' end
    -- Without a stage in the CRM, the deal keeps its own.
    || case when kind = 'deal' and record ->> 'stage' is not null then jsonb_build_object(
         'stage_id', coalesce(private.stage_of_crm(account, record ->> 'stage'), app.stage_of('{}'))) else '{}' end
$function$;

create or replace function private.wake_crm (
  account_id text,
  due_at     timestamp with time zone default now()
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_variable
declare
  tenant   uuid;
  status   text;
  -- Requests and jobs publish their jobs with the wait. The sweep, which SQL of admins calls, publishes only those that are due.
  begins_at constant timestamptz := case when current_setting('role') in ('api', 'payments', 'manage', 'worker') then due_at else now() end;
begin
  select a.tenant_id, a.status into tenant, status from public.crm_accounts a where a.id = account_id for share;
  insert into public.jobs as j (tenant_id, name, key, payload, due_at)
  values (tenant, 'sync-crm', account_id, jsonb_build_object('account_id', account_id), begins_at)
  on conflict on constraint jobs_name_key_key do update
  set due_at = excluded.due_at, published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null,
      attempts = j.attempts + 1
  where coalesce(j.locked_until < now(), true)
    -- Webhooks go on while the credentials are rejected, which are tried once a minute.
    and (j.due_at > excluded.due_at and status <> 'failing' or j.finished_at is not null or j.failed_at is not null);
end
$function$;

create or replace function private.winner_of (
  account          public.crm_accounts,
  changed_here_at  timestamp with time zone,
  changed_there_at timestamp with time zone
)
  returns text
  language sql
  immutable
  set search_path to ''
  AS $function$
  select case coalesce(account.settings ->> 'conflict', 'crm')
    when 'placar' then 'ours'
    when 'latest' then case when changed_here_at > changed_there_at then 'ours' else 'theirs' end
    else 'theirs' end
$function$;

create or replace function private.with_values (
  record  jsonb,
  changed jsonb
)
  returns jsonb
  language sql
  immutable
  set search_path to ''
  AS $function$
  select record
      || coalesce((select jsonb_object_agg(c.key, c.value) from jsonb_each(changed) as c where c.key not like 'custom_fields.%'), '{}')
      || jsonb_build_object('custom_fields', (
           select (record -> 'custom_fields') - array(
             select substr(c.key, 15) from jsonb_each(changed) as c where c.key like 'custom_fields.%' and c.value = 'null')
           || coalesce((select jsonb_object_agg(substr(c.key, 15), c.value) from jsonb_each(changed) as c
                        where c.key like 'custom_fields.%' and c.value <> 'null'), '{}')))
$function$;

create or replace function private.write_record (
  tenant_id uuid,
  kind      text,
  present   jsonb,
  changed   jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  written constant jsonb := private.with_values(present, changed);
begin
  if kind = 'lead' then
    update public.leads l
    set (name, email, phone, company, position, source, owner_id, custom_fields) =
        (select r.name, r.email, r.phone, r.company, r.position, r.source, r.owner_id, r.custom_fields
         from jsonb_populate_record(null::public.leads, written) as r)
    where l.tenant_id = write_record.tenant_id and l.id = (present ->> 'id')::uuid;
  else
    update public.deals d
    set (name, value, currency, stage_id, status, owner_id, lead_id, expected_close_date, loss_reason, closed_at, company, custom_fields) =
        (select r.name, r.value, r.currency, r.stage_id, r.status, r.owner_id, r.lead_id, r.expected_close_date, r.loss_reason, r.closed_at,
                r.company, r.custom_fields
         from jsonb_populate_record(null::public.deals, written) as r)
    where d.tenant_id = write_record.tenant_id and d.id = (present ->> 'id')::uuid;
  end if;
end
$function$;

alter table "private"."crm_pending"
  add constraint "crm_pending_tenant_id_fkey" foreign key (tenant_id) references public.tenants(id)
    on delete cascade;

alter table "public"."crm_accounts"
  add constraint "crm_accounts_crm_fkey" foreign key (crm) references private.crms(name);

alter table "public"."crm_accounts"
  add constraint "crm_accounts_tenant_id_fkey" foreign key (tenant_id) references public.tenants(id)
    on delete cascade;

alter table "public"."crm_stages"
  add constraint "crm_stages_tenant_id_stage_id_fkey" foreign key (tenant_id, stage_id)
    references public.pipeline_stages(tenant_id, id) on delete set null (stage_id);

create view "admin"."crm_activity_types" with (security_invoker=true) AS  SELECT account_id,
    crm_type,
    code
   FROM public.crm_activity_types t;

create view "admin"."crm_preview" with (security_invoker=true) AS  SELECT run_id,
    kind,
    action,
    crm_id,
    placar_id,
    name,
    fields,
    reason
   FROM public.crm_preview_rows p;

create index crm_pending_account_idx on private.crm_pending using btree (account_id, due_at);

create unique index crm_accounts_vendor_idx on public.crm_accounts using btree (crm, vendor_id)
  where (status <> 'disconnected'::text);

create index crm_activity_types_account_idx on public.crm_activity_types
  using btree (tenant_id, account_id);

create index crm_differences_account_idx on public.crm_differences
  using btree (tenant_id, account_id, found_at);

create unique index crm_differences_open_idx on public.crm_differences
  using btree (account_id, record, COALESCE(crm_id, placar_id), kind, field)
  where (resolved_at is null);

create index crm_differences_record_idx on public.crm_differences using btree (account_id, crm_id)
  where (resolved_at is null);

create index crm_events_account_idx on public.crm_events using btree (tenant_id, account_id);

create index crm_events_received_idx on public.crm_events using btree (received_at);

create index crm_links_account_idx on public.crm_links using btree (tenant_id, account_id);

create index crm_links_contact_idx on public.crm_links using btree (account_id, contact)
  where (kind = 'deal'::text);

create index crm_preview_rows_created_idx on public.crm_preview_rows using btree (created_at);

create index crm_preview_rows_email_idx on public.crm_preview_rows
  using btree (run_id, ((fields #>> '{email,1}'::text[])))
  where ((kind = 'lead'::text) AND (placar_id is null));

create index crm_preview_rows_placar_idx on public.crm_preview_rows using btree (run_id, placar_id)
  where (kind = 'lead'::text);

create index crm_preview_rows_run_idx on public.crm_preview_rows using btree (tenant_id, run_id);

create index crm_runs_account_idx on public.crm_runs using btree (tenant_id, account_id, created_at);

create unique index crm_runs_open_idx on public.crm_runs using btree (account_id, kind)
  where (status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text]));

create index crm_stages_account_idx on public.crm_stages using btree (tenant_id, account_id);

create index crm_stages_stage_idx on public.crm_stages using btree (tenant_id, stage_id)
  where (stage_id is not null);

create index crm_users_account_idx on public.crm_users using btree (tenant_id, account_id);

create index crm_users_email_idx on public.crm_users using btree (account_id, email);

create trigger audit_credentials
  after update of credentials on private.crm_secrets
  for each row
  when ((new.credentials IS NOT NULL))
  execute function private.record_crm_change();

create trigger crm_secrets_forget
  after delete on private.crm_secrets
  for each row
  execute function private.forget_crm_secrets();

create trigger audit_rows
  after insert or delete on public.crm_accounts
  for each row
  execute function private.record_crm_account_change();

create trigger audit_updates
  after update of settings, disconnected_at, forgotten_at, status on public.crm_accounts
  for each row
  when
    (((old.settings <> new.settings) OR (old.disconnected_at IS DISTINCT FROM new.disconnected_at)
    OR ((old.forgotten_at IS NULL) AND (new.forgotten_at IS
    NOT NULL)) OR ((old.status = 'paused'::text) <> (new.status = 'paused'::text))))
  execute function private.record_crm_account_change();

create trigger crm_accounts_mail_failing
  before update of status on public.crm_accounts
  for each row
  when
    (((new.status = 'failing'::text) AND (old.status <> 'failing'::text) AND (old.mailed_at IS
    NULL)))
  execute function private.mail_about_crm();

create trigger crm_accounts_set_updated_at
  before update on public.crm_accounts
  for each row
  execute function private.set_updated_at();

create trigger audit_mapping_inserts
  after insert on public.crm_activity_types
  for each row
  when ((new.code IS NOT NULL))
  execute function private.record_crm_change();

create trigger audit_mapping
  after update of code on public.crm_activity_types
  for each row
  when ((old.code IS DISTINCT FROM new.code))
  execute function private.record_crm_change();

create trigger audit_decisions
  after update of resolved_at on public.crm_differences
  for each row
  when (((old.resolved_at IS NULL) AND (new.resolved_at IS NOT NULL)))
  execute function private.record_crm_change();

create trigger audit_cancels
  after update of status on public.crm_runs
  for each row
  when (((new.status = 'canceled'::text) AND (old.status <> 'canceled'::text)))
  execute function private.record_crm_change();

create trigger audit_starts
  after insert on public.crm_runs
  for each row
  execute function private.record_crm_change();

create trigger crm_runs_forget_seen
  after update of status on public.crm_runs
  for each row
  when (((new.kind = 'compare'::text) AND (new.finished_at IS NOT NULL)))
  execute function private.forget_seen();

create trigger audit_mapping
  after update of stage_id on public.crm_stages
  for each row
  when ((old.stage_id IS DISTINCT FROM new.stage_id))
  execute function private.record_crm_change();

create trigger events_note_for_crms
  after insert on public.events referencing NEW table as written
  for each STATEMENT
  execute function private.note_changes_for_crms();

create trigger merged_leads_move_links
  after insert on public.merged_leads
  for each row
  when ((new.lead_id <> new.merged_into))
  execute function private.move_link_of_merged_lead();

create policy "Admins see their accounts" on "public"."crm_accounts"
  for select
  to "manage"
  using (((tenant_id = ( select app.tenant_id() as tenant_id)) AND (forgotten_at is null)));

create policy "Jobs manage accounts of CRMs" on "public"."crm_accounts"
  for all
  to "worker"
  using (true)
  with check (true);

create policy "Admins see their types" on "public"."crm_activity_types"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their differences" on "public"."crm_differences"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their webhooks" on "public"."crm_events"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their links" on "public"."crm_links"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their previews" on "public"."crm_preview_rows"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their runs" on "public"."crm_runs"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their stages" on "public"."crm_stages"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

create policy "Admins see their users" on "public"."crm_users"
  for select
  to "manage"
  using ((tenant_id = ( select app.tenant_id() as tenant_id)));

comment on column "private"."crm_creations"."send" is 'Our values that were sent; null if the CRM refused them.';

comment on column "private"."crm_creations"."sent" is 'The same in the CRM''s terms.';

comment on column "private"."crm_creations"."started_at" is 'When it was last sent.';

comment on column "private"."crm_pending"."can_wait" is 'Whether it comes after webhooks and runs, or at the end of the run that queued it.';

comment on column "private"."crm_pending"."crm_id" is 'Null if the record is here and may have to be created in the CRM.';

comment on column "private"."crm_pending"."due_at" is 'Several hints within this time are one read.';

comment on column "private"."crm_pending"."merge" is 'A merge in the CRM with this record as the winner.';

comment on column "private"."crm_pending"."take" is 'Members whose side an admin chose: ours or theirs.';

comment on column "private"."crm_pending"."tries" is 'How often reading it failed for a reason that may lie in the record.';

comment on column "private"."crm_secrets"."credentials" is 'Vault id of the credentials and OAuth tokens, as JSON; null after they are deleted.';

comment on column "private"."crm_secrets"."refreshing_until" is 'Until then, one worker exchanges the refresh token, which can be used once.';

comment on column "private"."crm_secrets"."state_hash" is 'SHA-256 of the state of an authorization in progress.';

comment on column "private"."crm_secrets"."webhook_reference" is 'What removes our webhooks at the CRM.';

comment on column "private"."crm_secrets"."webhook_secret" is 'Vault id of the secret that proves the CRM''s webhooks.';

comment on column "private"."crms"."credentials" is 'The forms of credentials: members with their patterns; a member in "optional" may be missing.';

comment on column "private"."crms"."is_authorized_in_browser" is 'Whether a person agrees in the CRM, unless the credentials have a refresh_token.';

comment on column "private"."crms"."title" is 'Its name in sentences.';

comment on column "public"."crm_accounts"."callback_url" is 'URL that the CRM sends webhooks to, without the secret.';

comment on column "public"."crm_accounts"."checked_at" is 'When credentials, users, stages and webhooks were last read.';

comment on column "public"."crm_accounts"."counts_since" is 'Start of the first import; activities that were done before do not count.';

comment on column "public"."crm_accounts"."crm" is 'rd_station, pipedrive or hubspot.';

comment on column "public"."crm_accounts"."failures" is 'Consecutive requests without a response or with a limit that has no time.';

comment on column "public"."crm_accounts"."forgotten_at" is 'When an admin deleted the account; its row is kept until its webhooks at the CRM are removed.';

comment on column "public"."crm_accounts"."former_urls" is 'Earlier values of callback_url: webhooks that a person set up still come from there, and are signed over it.';

comment on column "public"."crm_accounts"."imported_at" is 'End of the first import; until then, webhooks are kept and nothing else is read.';

comment on column "public"."crm_accounts"."last_event_at" is 'When the last webhook arrived.';

comment on column "public"."crm_accounts"."last_reconciled_at" is 'When changes were last read without a webhook.';

comment on column "public"."crm_accounts"."mailed_at" is 'When the tenant''s owner was told that it is failing; null once it worked again.';

comment on column "public"."crm_accounts"."reason" is 'Why the account is failing, or why a connecting one waits, in plain language.';

comment on column "public"."crm_accounts"."reconciled_to" is 'Changes at the CRM until this time were read.';

comment on column "public"."crm_accounts"."rejected_events" is 'Webhooks without a valid proof; counts at most ten per minute.';

comment on column "public"."crm_accounts"."rejected_lately" is 'Number counted in the minute from rejected_since.';

comment on column "public"."crm_accounts"."rejected_since" is 'Start of the minute in which rejected webhooks were last counted.';

comment on column "public"."crm_accounts"."requests_free_at" is 'When the CRM''s limit allows several requests at once again.';

comment on column "public"."crm_accounts"."settings" is 'Settings given to admin.connect_crm.';

comment on column "public"."crm_accounts"."status" is 'authorizing until a person agreed at the CRM; connecting until the credentials are verified; failing while they or a webhook do not work.';

comment on column "public"."crm_accounts"."unknown_ids" is 'Owners (owner:7) and stages (stage:7) of records that the CRM did not list when it was last asked for them; empty after each check.';

comment on column "public"."crm_accounts"."vendor_id" is 'Id of the company at the CRM; two tenants cannot connect the same one.';

comment on column "public"."crm_accounts"."waiting_until" is 'No requests are sent to the CRM until then; null if they may be.';

comment on column "public"."crm_accounts"."webhook_setup" is 'With by_hand: the text with which a person sets webhooks up in the CRM.';

comment on column "public"."crm_accounts"."webhook_state" is 'How changes are told: active webhooks, those that a person sets up in the CRM (by_hand), or none, so that changes are polled.';

comment on column "public"."crm_activity_types"."code" is '001 to 999; null if activities of this type are not read.';

comment on column "public"."crm_activity_types"."crm_type" is 'Type in the CRM, such as call, meetings or task:email.';

comment on column "public"."crm_differences"."crm_id" is 'Null if the record is not in the CRM yet.';

comment on column "public"."crm_differences"."field" is 'The member that differs, as it is named here; empty if it is the whole record.';

comment on column "public"."crm_differences"."found_at" is 'When it was found.';

comment on column "public"."crm_differences"."kind" is 'What kind of difference: docs/connectors.md says what to do about each.';

comment on column "public"."crm_differences"."ours" is 'Our value.';

comment on column "public"."crm_differences"."placar_id" is 'Our id; null if the record is not here.';

comment on column "public"."crm_differences"."record" is 'Kind of the record.';

comment on column "public"."crm_differences"."resolved_at" is 'When the difference was gone; null while it is there.';

comment on column "public"."crm_differences"."theirs" is 'The value in the CRM, or its words.';

comment on column "public"."crm_events"."body" is 'The body as it arrived; null for further events of the same body.';

comment on column "public"."crm_events"."crm_id" is 'The record that it is about; null for events of no interest.';

comment on column "public"."crm_events"."event_id" is 'The vendor''s id of the event, or the SHA-256 of its body.';

comment on column "public"."crm_links"."agreed_here" is 'Our mapped values when both sides last agreed: a value that differs was changed here since.';

comment on column "public"."crm_links"."agreed_there" is 'The CRM''s values at that time, in our terms. They differ from ours where the CRM writes a value in another way.';

comment on column "public"."crm_links"."contact" is 'Id of the deal''s first contact in the CRM, which may be no lead yet.';

comment on column "public"."crm_links"."crm_id" is 'Id in the CRM.';

comment on column "public"."crm_links"."crm_updated_at" is 'When the record in the CRM changed last, as far as it was read.';

comment on column "public"."crm_links"."gone_at" is 'When a change in the CRM told that its record is gone, which may have been a merge; null if a comparison found it.';

comment on column "public"."crm_links"."kind" is 'lead, deal or activity.';

comment on column "public"."crm_links"."pipeline" is 'Id of the deal''s pipeline in the CRM.';

comment on column "public"."crm_links"."placar_id" is 'Id of the lead or deal; external_id of an activity.';

comment on column "public"."crm_links"."refused" is 'Values that the CRM refused; they are sent again only after they change.';

comment on column "public"."crm_links"."state" is 'gone if the record was deleted or merged in the CRM.';

comment on column "public"."crm_preview_rows"."action" is 'What an import would do: create, update, link or skip.';

comment on column "public"."crm_preview_rows"."crm_id" is 'Id in the CRM.';

comment on column "public"."crm_preview_rows"."fields" is 'Members that would change, each with its value and the one that it would get.';

comment on column "public"."crm_preview_rows"."kind" is 'lead or deal.';

comment on column "public"."crm_preview_rows"."name" is 'Name in the CRM.';

comment on column "public"."crm_preview_rows"."placar_id" is 'The record that is here; null if it would be created.';

comment on column "public"."crm_preview_rows"."reason" is 'Why it would be skipped.';

comment on column "public"."crm_preview_rows"."run_id" is 'The preview; see admin.crm_runs.';

comment on column "public"."crm_runs"."created" is 'Created here.';

comment on column "public"."crm_runs"."cursor" is 'Where the next page begins; null at the begin of a phase.';

comment on column "public"."crm_runs"."failed" is 'Could not be applied.';

comment on column "public"."crm_runs"."finished_at" is 'When it ended; null before.';

comment on column "public"."crm_runs"."kind" is 'preview, import, reconcile or compare.';

comment on column "public"."crm_runs"."left_out" is 'Whether an import left out records that changed since it began; a reconciliation follows.';

comment on column "public"."crm_runs"."linked" is 'Linked with a record that was here with the same values.';

comment on column "public"."crm_runs"."phase" is 'What is read: users and stages, then leads, deals and activities, then again what differs and what a comparison has not listed.';

comment on column "public"."crm_runs"."read" is 'Leads, deals and activities that were read; those below are parts of it.';

comment on column "public"."crm_runs"."since" is 'Only records that changed in the CRM since then; null: all.';

comment on column "public"."crm_runs"."skipped" is 'Not carried over: admin.crm_preview and admin.crm_differences say why.';

comment on column "public"."crm_runs"."started_at" is 'When the first page was read; null while queued.';

comment on column "public"."crm_runs"."unchanged" is 'Linked before, and the same.';

comment on column "public"."crm_runs"."updated" is 'Updated here.';

comment on column "public"."crm_runs"."waiting_until" is 'When it goes on after a limit of the CRM, or because that does not answer; null if it does not wait.';

comment on column "public"."crm_stages"."closes" is 'What a deal in this stage is; null for open ones.';

comment on column "public"."crm_stages"."crm_id" is 'Id of the stage in the CRM.';

comment on column "public"."crm_stages"."is_present" is 'Whether the CRM still has the stage.';

comment on column "public"."crm_stages"."name" is 'Name in the CRM.';

comment on column "public"."crm_stages"."pipeline" is 'Id of the pipeline in the CRM.';

comment on column "public"."crm_stages"."pipeline_name" is 'Name of the pipeline in the CRM.';

comment on column "public"."crm_stages"."place" is 'Its place in the CRM''s list of stages.';

comment on column "public"."crm_stages"."read_at" is 'When it was read since the last complete check; null otherwise.';

comment on column "public"."crm_stages"."stage_id" is 'Set by admin.map_crm_stage; otherwise, the stage of the same name is used.';

comment on column "public"."crm_users"."place" is 'Its place in the CRM''s list of users, several of which may have one address; null if it is not listed any more.';

comment on function "admin"."authorize_crm"(text) is 'Returns a link that works once within ten minutes: an admin of the CRM opens it and agrees.';

comment on function "admin"."cancel_crm_run"(text) is 'Stops a run; what it applied stays.';

comment on function "admin"."compare_crm"(text) is 'Compares all ids with the links and finds deletions, as each day; returns the run''s id.';

comment on function "admin"."connect_crm"(text, text, text, text) is 'Connects a tenant (slug or id) to rd_station, pipedrive or hubspot, with credentials and settings as JSON, and returns the account id; again keeps the id.';

comment on function "admin"."crm_webhook_setup"(text) is 'Text of the file with which a person sets webhooks up at HubSpot: webhooks-hsmeta.json.';

comment on function "admin"."disconnect_crm"(text) is 'Stops an account: its webhooks are removed and its credentials deleted. Records and links stay; connecting again goes on with them.';

comment on function "admin"."forget_crm"(text) is 'Deletes a disconnected account with its links, events and differences. The records stay.';

comment on function "admin"."import_crm"(text) is 'Reads all records of the CRM in silence: no webhooks, points, automations or mails; returns the run''s id.';

comment on function "admin"."map_crm_activity"(text, text, text) is 'Maps a type of activity in the CRM to a code of activity sync; null: activities of this type are not read.';

comment on function "admin"."map_crm_stage"(text, text, uuid) is 'Maps a stage of the CRM to a stage here; null: to the one with its name.';

comment on function "admin"."pause_crm"(text) is 'Stops reading and writing at the CRM; its webhooks are kept for 30 days.';

comment on function "admin"."preview_crm"(text) is 'Lists in admin.crm_preview what an import would do, without doing it; returns the run''s id.';

comment on function "admin"."reconcile_crm"(text) is 'Reads what changed in the CRM since the last time, as each hour; returns the run''s id.';

comment on function "admin"."resolve_crm_difference"(text, text) is 'Writes one side of a difference on the other: take "ours" or "theirs". For a record that was deleted there, "theirs" deletes ours.';

comment on function "admin"."resume_crm"(text) is 'Goes on with a paused account: what its webhooks told meanwhile is read.';

comment on function "app"."apply_crm_page"(text, text, jsonb, text, text, text, text, boolean) is
  'Applies a page of a run and stores where the next one begins; false, without a change, if the run is not at this page any more.';

comment on function "app"."apply_crm_records"(text, text, jsonb, text[]) is
  'Applies records of one kind that were read in a CRM and those that are gone there; returns for each what was done and what is to be sent.';

comment on function "app"."authorize_crm"(text) is 'A link with which an admin of the CRM agrees; works once within ten minutes.';

comment on function "app"."begin_crm_creation"(text, text, text, boolean) is
  'Notes that a record is sent to be created in the CRM, and returns its values; null if it is gone. Returns those of an earlier attempt, with its time, if the answer may be lost and the CRM was not searched.';

comment on function "app"."begin_crm_work"(text, text, integer, integer, integer) is
  'An account with its credentials, for its job (worker only). Queues the reconciliation and comparison that are due.';

comment on function "app"."cancel_crm_run"(text) is 'Stops a run of the tenant; what it applied stays.';

comment on function "app"."claim_crm_pending"(text, integer, boolean) is 'Records of an account that are due, with all that is queued about each: those that come before runs, or those that can wait (worker only).';

comment on function "app"."claim_crm_vendor"(text, text) is 'Whether the account may be of this company at the CRM; marks it as failing if not.';

comment on function "app"."connect_crm"(text, text, text) is 'Connects the tenant to a CRM. Returns the refusal, if an error would be logged with the credentials, so that a later statement raises it.';

comment on function "app"."contacts_to_read"(text, text[]) is 'Those of these contacts that have no link, and no open difference either, which says why they are no leads.';

comment on function "app"."count_rejected_crm_event"(text) is 'Counts a webhook without a valid proof, at most ten per minute.';

comment on function "app"."crm_access_token"(text, text) is 'The access token, unless the CRM rejected it, or the refresh token for the one worker that is to exchange it, or is_refreshing for the others (worker only).';

comment on function "app"."crm_may_write"(text) is 'Whether an account was neither paused nor disconnected since its worker began (worker only).';

comment on function "app"."crm_receiver"(text) is 'What verifies the webhooks of an account (worker only).';

comment on function "app"."crm_webhook_setup"(text) is 'The text with which a person sets up the webhooks of the tenant''s account in the CRM.';

comment on function "app"."delete_crm_credentials"(text) is 'Deletes the credentials of a disconnected account, once its webhooks are removed.';

comment on function "app"."end_crm_authorization"(text) is 'Goes on with an account after a person agreed in the CRM.';

comment on function "app"."end_crm_pending"(bigint[]) is 'Deletes queued rows whose work is done.';

comment on function "app"."end_crm_refresh"(text, text) is 'Lets another worker exchange the refresh token after this exchange failed.';

comment on function "app"."end_crm_work"(text, uuid, integer, timestamp
  with time zone, integer, integer, integer) is 'When the work of an account goes on; null if nothing is to be done until an admin changes the account.';

comment on function "app"."expect_crm_rights"(text) is 'Rejects callers who cannot read and write leads and deals, and accounts at CRMs of other tenants.';

comment on function "app"."fail_crm_account"(text, text) is 'Marks an account as failing. Its credentials are tried again every minute.';

comment on function "app"."fail_crm_run"(text, text) is 'Ends a run because of an error.';

comment on function "app"."map_crm_activities"(text, jsonb) is 'Sets the codes of all types of activities of a CRM ([{"crm_type", "code"}]); those that are not listed are unmapped.';

comment on function "app"."map_crm_stages"(text, jsonb) is 'Sets the stages, by id or name, of all stages of a CRM ([{"crm_id", "stage"}]); those that are not listed are unmapped.';

comment on function "app"."moved_link"(text, text) is 'New address of the tenant of a link: a file or invitation by hex SHA-256 of its token, or an account at a provider or CRM by id; null if it has not moved.';

comment on function "app"."new_crm_ids"(text, text[], text[]) is 'Those of these owners and stages, such as owner:7, for which the CRM has to be asked again: they are not known, and it was not asked before.';

comment on function "app"."next_crm_run"(text) is 'The run of an account to go on with, or null.';

comment on function "app"."pause_crm_requests"(text, double precision, integer, text) is
  'Sends nothing to the CRM for some seconds, because of its limit or because it does not answer; runs that wait say why, and so does an account that is being connected.';

comment on function "app"."record_crm_inspection"(text, jsonb) is 'Stores users, stages and types of activities of an account. Returns whether all were read.';

comment on function "app"."record_crm_webhooks"(text, text, text, text) is 'Stores the state of our webhooks; the account is active then.';

comment on function "app"."remember_crm_ids"(text, text[], text[]) is 'Remembers which of these owners and stages the CRM, which was just asked, does not list.';

comment on function "app"."report_crm_created"(text, text, text, jsonb, jsonb) is
  'Links a record with the one that was created in the CRM.';

comment on function "app"."report_crm_refused"(text, text, text, text, jsonb, text) is
  'Stores that the CRM refused our values, in its words; they are sent again after they change.';

comment on function "app"."report_crm_written"(text, text, text, jsonb, jsonb) is
  'Stores that the CRM has our values ("send", in our terms) and how it wrote them, so that its webhook about it changes nothing.';

comment on function "app"."resolve_crm_difference"(text, text) is 'Writes one side of a difference of the tenant on the other: "ours" or "theirs".';

comment on function "app"."retry_crm_pending"(bigint[], text) is 'Postpones records that could not be read or applied; after five tries, they become differences "read_failed".';

comment on function "app"."set_crm_settings"(text, jsonb) is 'Replaces the settings that are named of the tenant''s account at a CRM.';

comment on function "app"."set_crm_state"(text, text) is 'Makes the tenant''s account at a CRM paused, resumed, disconnected or forgotten.';

comment on function "app"."start_crm_run"(text, text) is 'Starts a run of the tenant''s active account at a CRM and returns its id.';

comment on function "app"."store_crm_events"(text, jsonb, text) is 'Stores a webhook and queues the records that it is about, unless it arrived before. Waits for no other transaction: false if app.wake_crm is still to be called.';

comment on function "app"."store_crm_tokens"(text, text, text, integer, text) is
  'Stores tokens in Vault, unless the account got other credentials since the refresh token that was exchanged for them.';

comment on function "app"."take_crm_state"(text, text) is 'Uses up the state of an authorization; false if it is not the last one or too old.';

comment on function "app"."unlinked_crm_ids"(text, text, text[]) is 'Those of these records of a CRM that have no link.';

comment on function "app"."wake_crm"(text) is 'Schedules the work of an account (worker only).';

comment on function "private"."apply_crm_activity"(public.crm_accounts, jsonb) is
  'Records a done activity of a mapped type, once ever: undone and done again changes nothing.';

comment on function "private"."apply_crm_deal"(public.crm_accounts, jsonb, boolean) is
  'Applies a deal: ours by link, else a new one. A preview writes nothing.';

comment on function "private"."apply_crm_gone"(public.crm_accounts, text, text) is
  'Ends the link of a record that was deleted in the CRM; voids an activity, and deletes a lead or deal if the account is set to.';

comment on function "private"."apply_crm_lead"(public.crm_accounts, jsonb, boolean) is
  'Applies a contact: its lead by link, else by address, else a new one. A preview writes nothing.';

comment on function
  "private"."apply_older_record"(public.crm_accounts, text, public.crm_links, jsonb, boolean) is
  'Takes nothing of a read that is older than what was applied before. What changed here is compared with that, and sent.';

comment on function
  "private"."apply_to_record"(public.crm_accounts, text, public.crm_links, jsonb, jsonb, jsonb,
  jsonb, boolean) is 'Compares a record in stored form with the CRM''s values ("there"), writes what is to be taken, and returns what is to be sent.';

comment on function "private"."ask_for_crm_run"(text, text) is 'Starts a run of an active account and returns its id.';

comment on function "private"."checked_crm_settings"(jsonb) is 'Settings of an account at a CRM, with ids as texts. Rejects an unknown member or value, by its name.';

comment on function "private"."compare_sides"(jsonb, jsonb, jsonb, jsonb, text, jsonb) is
  'Which members to take from the CRM and which to send there; winner (theirs or ours) decides those that changed on both sides.';

comment on function "private"."connect_crm"(text, text, text, text) is 'Creates a tenant''s account at a CRM, or replaces its credentials and the settings that are named, and schedules a check.';

comment on function "private"."crm_account_with_id"(text) is 'The account at a CRM with this id; rejects an unknown one.';

comment on function "private"."crm_differences_about"(uuid, text, text[]) is
  'Differences about the person with this address and these records.';

comment on function "private"."crm_differences_of"(public.crm_accounts, jsonb) is
  'Differences of a record as it was read: invalid values, an owner who is no user here, a stage that is not mapped.';

comment on function "private"."crm_is_at_work"(public.crm_accounts) is 'Whether the connector may read and write at the CRM.';

comment on function "private"."crm_lead_is_taken"(public.crm_accounts, text, text) is
  'Whether another lead has this address.';

comment on function "private"."crm_previews_of"(uuid, text, text[]) is 'Rows of previews about the person with this address and these records.';

comment on function "private"."crm_reconcile_at"(public.crm_accounts, integer, integer) is
  'When the next reconciliation of an imported account is due.';

comment on function "private"."crm_records_of"(uuid, text[]) is 'The records in CRMs that are linked with these leads and deals.';

comment on function "private"."crm_run_due_at"(public.crm_accounts, text, timestamp
  with time zone, integer) is 'When the next reconciliation or comparison is due, also after one that failed or was canceled; null before the first.';

comment on function "private"."delete_crm_account"(text) is 'Deletes an account at a CRM and its job.';

comment on function "private"."delete_record"(uuid, text, text) is 'Deletes a lead or deal.';

comment on function "private"."end_crm_refusal"(public.crm_links) is 'Forgets values that the CRM refused and that are not to be sent any more.';

comment on function "private"."end_crm_run"(public.crm_runs) is 'What the end of a run changes in its account.';

comment on function "private"."erase_crm_records"(uuid, text, text[]) is 'Erases webhooks, previews, differences and agreed values about a person for private.erase_email; returns row counts by table.';

comment on function "private"."expect_crm_credentials"(text, jsonb) is 'Rejects credentials with a member that is missing, unknown or malformed, by its name and without its value.';

comment on function "private"."expect_crm_fields"(jsonb) is 'Rejects a mapping of fields with an unknown record or member.';

comment on function "private"."forget_crm_secrets"() is 'Trigger: deletes an account''s credentials from Vault when the account is deleted.';

comment on function "private"."forget_seen"() is 'Trigger: deletes the ids that a comparison has listed when it ends, is canceled or fails.';

comment on function "private"."in_terms_of_crm"(public.crm_accounts, jsonb, text) is
  'Values to send, with the CRM''s ids of owner, stage and contact, null if it has none; without the company''s name.';

comment on function "private"."json_of"(text, text) is 'Parses an argument that is a JSON object, and rejects anything else without repeating it.';

comment on function "private"."keep_link"(public.crm_accounts, text, text, jsonb, jsonb, jsonb) is
  'Stores the link of a record that was applied.';

comment on function "private"."lead_with_id"(uuid, text) is 'The lead with this id, or the one that it was merged into here; null if it was deleted.';

comment on function "private"."linked_id"(public.crm_accounts, text, text) is
  'Our id of a CRM''s record; null if it has no link.';

comment on function "private"."lock_record"(uuid, text, jsonb) is 'Locks a lead or deal, and returns it as it is; null if it was deleted.';

comment on function "private"."mail_about_crm"() is 'Trigger: emails the tenant''s owner when an account at a CRM starts failing, once until it works again.';

comment on function "private"."merge_as_in_crm"(public.crm_accounts, text, jsonb) is
  'Ends the links of the losers of a merge, and moves that of a winner with another id; returns the leads of the losers.';

comment on function "private"."move_link_of_merged_lead"() is 'Trigger: the winner of a merge here goes on with the loser''s record in a CRM, unless it has one of its own.';

comment on function "private"."note_changes_for_crms"() is 'Trigger: queues records that changed here and are linked with a CRM, unless the change came from there.';

comment on function "private"."note_crm_difference"(public.crm_accounts, text, text, text, jsonb) is
  'Notes a difference {"kind", "field", "ours", "theirs"} of a record, unless it is open already.';

comment on function "private"."picked_answers"(jsonb, jsonb) is 'The values of the CRM for the members that were sent.';

comment on function "private"."picked_values"(jsonb, text[]) is 'Members of a record in stored form by name, null if missing.';

comment on function
  "private"."preview_crm_record"(public.crm_runs, public.crm_accounts, text, jsonb, bigint) is
  'Notes what an import would do with a record, the first 10 000 of a run.';

comment on function "private"."queue_changes_here"(public.crm_accounts, jsonb) is
  'Queues for an account, as it was disconnected, and its settings since: records that were created here meanwhile, and linked ones whose values here are not those that both sides agreed on.';

comment on function "private"."queue_crm_differences"(public.crm_accounts, boolean) is
  'Queues the records with an open difference to be read and applied again; of the contacts without an address a hundred, unless all are to be.';

comment on function "private"."queue_unseen_links"(public.crm_runs) is 'Queues the links whose records a comparison has not listed: reading them shows whether they are deleted.';

comment on function "private"."reads_pipeline"(public.crm_accounts, text) is
  'Whether the account''s settings include the deals of a pipeline.';

comment on function "private"."record_crm_account_change"() is 'Trigger: adds a change of an account at a CRM to the audit trail, with its settings.';

comment on function "private"."record_crm_change"() is 'Trigger: adds new credentials, a mapping, a run or a resolved difference of a CRM to the audit trail, without data of persons.';

comment on function "private"."sendable_values"(public.crm_accounts, jsonb, text) is
  'Those of our values that the CRM can have, in our terms and in its own, and a difference for each owner, stage and lead that it does not have.';

comment on function "private"."set_crm_differences"(public.crm_accounts, text, text, text, jsonb) is
  'Replaces the open differences of a record: new ones are added, and those that are gone are resolved.';

comment on function "private"."set_crm_settings"(text, jsonb) is 'Replaces the settings of an account that are named.';

comment on function "private"."side_taken"(public.crm_differences) is 'The side that an admin chose for a difference: ours or theirs.';

comment on function "private"."stage_of_crm"(public.crm_accounts, text) is 'The stage that a CRM''s stage is mapped to, else the one of its name.';

comment on function "private"."start_crm_run"(public.crm_accounts, text) is
  'Queues a run, or returns the one of its kind that is not finished.';

comment on function "private"."try_crm_record"(public.crm_accounts, text, jsonb) is
  'Applies a record. One that does not fit here becomes a difference "read_failed".';

comment on function "private"."unlisted_crm_ids"(public.crm_accounts, text[], text[]) is
  'Those of these owners and stages that are not among the users and stages of the CRM that are known.';

comment on function "private"."user_of_crm"(public.crm_accounts, text) is 'The user with the email address of the CRM''s user; null if there is none.';

comment on function "private"."values_there"(public.crm_accounts, text, jsonb) is
  'The values of a record in the CRM by our members, with our ids of owner, lead and stage; the first stage if its own is not mapped.';

comment on function "private"."wake_crm"(text, timestamp
  with time zone) is 'Schedules the work of an account at a CRM, unless a worker is on it or it is due earlier.';

comment on function "private"."winner_of"(public.crm_accounts, timestamp with time zone, timestamp
  with time zone) is 'The side whose value counts if both changed it, by the account''s setting "conflict".';

comment on function "private"."with_values"(jsonb, jsonb) is 'A record with changed members; a custom field of null is removed.';

comment on function "private"."write_record"(uuid, text, jsonb, jsonb) is 'Writes the members of a lead or deal that a connector can change.';

comment on table "private"."crm_creations" is 'Records of ours that are being created in a CRM. If the answer was lost, the CRM is searched before the record is sent again.';

comment on table "private"."crm_pending" is 'Records to read in a CRM and to compare with ours.';

comment on table "private"."crm_secrets" is 'Vault ids of the credentials of accounts at CRMs.';

comment on table "private"."crm_seen" is 'Ids that a comparison has listed; deleted at its end.';

comment on table "private"."crms" is 'CRMs that tenants can connect; one for each folder of shared/connectors/crms.';

comment on table "public"."crm_accounts" is 'Tenants'' accounts at CRMs, whose credentials are stored in Vault.';

comment on table "public"."crm_activity_types" is 'Types of activities in a CRM, and the codes of activity sync that they are mapped to.';

comment on table "public"."crm_differences" is 'Differences between records here and in a CRM that were not carried over.';

comment on table "public"."crm_events" is 'Webhooks of CRMs, kept 30 days. They are hints: the records are read again.';

comment on table "public"."crm_links" is 'Records here and their records in a CRM.';

comment on table "public"."crm_preview_rows" is 'What an import would do, kept seven days; at most 10 000 rows of a run.';

comment on table "public"."crm_runs" is 'Runs through the records of a CRM, with their progress.';

comment on table "public"."crm_stages" is 'Stages of a CRM, and the stages here that they are mapped to.';

comment on table "public"."crm_users" is 'Users of a CRM; each is the user here who has its email address.';

comment on view "admin"."crm_activity_types" is 'Types of activities of CRMs and the codes that they are mapped to; types without a code are not read.';

comment on view "admin"."crm_preview" is 'What an import would do with each record: create, update, link or skip, and the members that would change.';

revoke all on function "admin"."authorize_crm"(text) from public;

revoke all on function "admin"."cancel_crm_run"(text) from public;

revoke all on function "admin"."compare_crm"(text) from public;

revoke all on function "admin"."connect_crm"(text, text, text, text) from public;

revoke all on function "admin"."crm_webhook_setup"(text) from public;

revoke all on function "admin"."disconnect_crm"(text) from public;

revoke all on function "admin"."forget_crm"(text) from public;

revoke all on function "admin"."import_crm"(text) from public;

revoke all on function "admin"."map_crm_activity"(text, text, text) from public;

revoke all on function "admin"."map_crm_stage"(text, text, uuid) from public;

revoke all on function "admin"."pause_crm"(text) from public;

revoke all on function "admin"."preview_crm"(text) from public;

revoke all on function "admin"."reconcile_crm"(text) from public;

revoke all on function "admin"."resolve_crm_difference"(text, text) from public;

revoke all on function "admin"."resume_crm"(text) from public;

revoke all
  on function "app"."apply_crm_page"(text, text, jsonb, text, text, text, text, boolean)
  from public;

grant execute
  on function "app"."apply_crm_page"(text, text, jsonb, text, text, text, text, boolean)
  to "worker";

revoke all on function "app"."apply_crm_records"(text, text, jsonb, text[]) from public;

grant execute on function "app"."apply_crm_records"(text, text, jsonb, text[]) to "worker";

revoke all on function "app"."authorize_crm"(text) from public;

grant execute on function "app"."authorize_crm"(text) to "manage";

revoke all on function "app"."begin_crm_creation"(text, text, text, boolean) from public;

grant execute on function "app"."begin_crm_creation"(text, text, text, boolean) to "worker";

revoke all on function "app"."begin_crm_work"(text, text, integer, integer, integer) from public;

grant execute on function "app"."begin_crm_work"(text, text, integer, integer, integer) to "worker";

revoke all on function "app"."cancel_crm_run"(text) from public;

grant execute on function "app"."cancel_crm_run"(text) to "manage";

revoke all on function "app"."claim_crm_pending"(text, integer, boolean) from public;

grant execute on function "app"."claim_crm_pending"(text, integer, boolean) to "worker";

revoke all on function "app"."claim_crm_vendor"(text, text) from public;

grant execute on function "app"."claim_crm_vendor"(text, text) to "worker";

revoke all on function "app"."connect_crm"(text, text, text) from public;

grant execute on function "app"."connect_crm"(text, text, text) to "manage";

revoke all on function "app"."contacts_to_read"(text, text[]) from public;

grant execute on function "app"."contacts_to_read"(text, text[]) to "worker";

revoke all on function "app"."count_rejected_crm_event"(text) from public;

grant execute on function "app"."count_rejected_crm_event"(text) to "worker";

revoke all on function "app"."crm_access_token"(text, text) from public;

grant execute on function "app"."crm_access_token"(text, text) to "worker";

revoke all on function "app"."crm_may_write"(text) from public;

grant execute on function "app"."crm_may_write"(text) to "worker";

revoke all on function "app"."crm_receiver"(text) from public;

grant execute on function "app"."crm_receiver"(text) to "worker";

revoke all on function "app"."crm_webhook_setup"(text) from public;

grant execute on function "app"."crm_webhook_setup"(text) to "manage";

revoke all on function "app"."delete_crm_credentials"(text) from public;

grant execute on function "app"."delete_crm_credentials"(text) to "worker";

revoke all on function "app"."end_crm_authorization"(text) from public;

grant execute on function "app"."end_crm_authorization"(text) to "worker";

revoke all on function "app"."end_crm_pending"(bigint[]) from public;

grant execute on function "app"."end_crm_pending"(bigint[]) to "worker";

revoke all on function "app"."end_crm_refresh"(text, text) from public;

grant execute on function "app"."end_crm_refresh"(text, text) to "worker";

revoke all
  on function "app"."end_crm_work"(text, uuid, integer, timestamp
    with time zone, integer, integer, integer)
  from public;

grant execute
  on function "app"."end_crm_work"(text, uuid, integer, timestamp
    with time zone, integer, integer, integer)
  to "worker";

revoke all on function "app"."expect_crm_rights"(text) from public;

grant execute on function "app"."expect_crm_rights"(text) to "manage";

revoke all on function "app"."fail_crm_account"(text, text) from public;

grant execute on function "app"."fail_crm_account"(text, text) to "worker";

revoke all on function "app"."fail_crm_run"(text, text) from public;

grant execute on function "app"."fail_crm_run"(text, text) to "worker";

revoke all on function "app"."map_crm_activities"(text, jsonb) from public;

grant execute on function "app"."map_crm_activities"(text, jsonb) to "manage";

revoke all on function "app"."map_crm_stages"(text, jsonb) from public;

grant execute on function "app"."map_crm_stages"(text, jsonb) to "manage";

revoke all on function "app"."new_crm_ids"(text, text[], text[]) from public;

grant execute on function "app"."new_crm_ids"(text, text[], text[]) to "worker";

revoke all on function "app"."next_crm_run"(text) from public;

grant execute on function "app"."next_crm_run"(text) to "worker";

revoke all on function "app"."pause_crm_requests"(text, double precision, integer, text) from public;

grant execute
  on function "app"."pause_crm_requests"(text, double precision, integer, text)
  to "worker";

revoke all on function "app"."record_crm_inspection"(text, jsonb) from public;

grant execute on function "app"."record_crm_inspection"(text, jsonb) to "worker";

revoke all on function "app"."record_crm_webhooks"(text, text, text, text) from public;

grant execute on function "app"."record_crm_webhooks"(text, text, text, text) to "worker";

revoke all on function "app"."remember_crm_ids"(text, text[], text[]) from public;

grant execute on function "app"."remember_crm_ids"(text, text[], text[]) to "worker";

revoke all on function "app"."report_crm_created"(text, text, text, jsonb, jsonb) from public;

grant execute on function "app"."report_crm_created"(text, text, text, jsonb, jsonb) to "worker";

revoke all on function "app"."report_crm_refused"(text, text, text, text, jsonb, text) from public;

grant execute
  on function "app"."report_crm_refused"(text, text, text, text, jsonb, text)
  to "worker";

revoke all on function "app"."report_crm_written"(text, text, text, jsonb, jsonb) from public;

grant execute on function "app"."report_crm_written"(text, text, text, jsonb, jsonb) to "worker";

revoke all on function "app"."resolve_crm_difference"(text, text) from public;

grant execute on function "app"."resolve_crm_difference"(text, text) to "manage";

revoke all on function "app"."retry_crm_pending"(bigint[], text) from public;

grant execute on function "app"."retry_crm_pending"(bigint[], text) to "worker";

revoke all on function "app"."set_crm_settings"(text, jsonb) from public;

grant execute on function "app"."set_crm_settings"(text, jsonb) to "manage";

revoke all on function "app"."set_crm_state"(text, text) from public;

grant execute on function "app"."set_crm_state"(text, text) to "manage";

revoke all on function "app"."start_crm_run"(text, text) from public;

grant execute on function "app"."start_crm_run"(text, text) to "manage";

revoke all on function "app"."store_crm_events"(text, jsonb, text) from public;

grant execute on function "app"."store_crm_events"(text, jsonb, text) to "worker";

revoke all on function "app"."store_crm_tokens"(text, text, text, integer, text) from public;

grant execute on function "app"."store_crm_tokens"(text, text, text, integer, text) to "worker";

revoke all on function "app"."take_crm_state"(text, text) from public;

grant execute on function "app"."take_crm_state"(text, text) to "worker";

revoke all on function "app"."unlinked_crm_ids"(text, text, text[]) from public;

grant execute on function "app"."unlinked_crm_ids"(text, text, text[]) to "worker";

revoke all on function "app"."wake_crm"(text) from public;

grant execute on function "app"."wake_crm"(text) to "worker";

revoke all on function "private"."apply_crm_activity"(public.crm_accounts, jsonb) from public;

revoke all on function "private"."apply_crm_deal"(public.crm_accounts, jsonb, boolean) from public;

revoke all on function "private"."apply_crm_gone"(public.crm_accounts, text, text) from public;

revoke all on function "private"."apply_crm_lead"(public.crm_accounts, jsonb, boolean) from public;

revoke all
  on function
    "private"."apply_older_record"(public.crm_accounts, text, public.crm_links, jsonb, boolean)
  from public;

revoke all
  on function
    "private"."apply_to_record"(public.crm_accounts, text, public.crm_links, jsonb, jsonb, jsonb,
    jsonb, boolean)
  from public;

revoke all on function "private"."ask_for_crm_run"(text, text) from public;

revoke all on function "private"."checked_crm_settings"(jsonb) from public;

revoke all
  on function "private"."compare_sides"(jsonb, jsonb, jsonb, jsonb, text, jsonb)
  from public;

revoke all on function "private"."connect_crm"(text, text, text, text) from public;

revoke all on function "private"."crm_account_with_id"(text) from public;

revoke all on function "private"."crm_differences_about"(uuid, text, text[]) from public;

revoke all on function "private"."crm_differences_of"(public.crm_accounts, jsonb) from public;

revoke all on function "private"."crm_is_at_work"(public.crm_accounts) from public;

revoke all on function "private"."crm_lead_is_taken"(public.crm_accounts, text, text) from public;

revoke all on function "private"."crm_previews_of"(uuid, text, text[]) from public;

revoke all
  on function "private"."crm_reconcile_at"(public.crm_accounts, integer, integer)
  from public;

revoke all on function "private"."crm_records_of"(uuid, text[]) from public;

revoke all
  on function "private"."crm_run_due_at"(public.crm_accounts, text, timestamp
    with time zone, integer)
  from public;

revoke all on function "private"."delete_crm_account"(text) from public;

revoke all on function "private"."delete_record"(uuid, text, text) from public;

revoke all on function "private"."end_crm_refusal"(public.crm_links) from public;

revoke all on function "private"."end_crm_run"(public.crm_runs) from public;

revoke all on function "private"."erase_crm_records"(uuid, text, text[]) from public;

revoke all on function "private"."expect_crm_credentials"(text, jsonb) from public;

revoke all on function "private"."expect_crm_fields"(jsonb) from public;

revoke all on function "private"."forget_crm_secrets"() from public;

revoke all on function "private"."forget_seen"() from public;

revoke all on function "private"."in_terms_of_crm"(public.crm_accounts, jsonb, text) from public;

revoke all on function "private"."json_of"(text, text) from public;

revoke all
  on function "private"."keep_link"(public.crm_accounts, text, text, jsonb, jsonb, jsonb)
  from public;

revoke all on function "private"."lead_with_id"(uuid, text) from public;

revoke all on function "private"."linked_id"(public.crm_accounts, text, text) from public;

revoke all on function "private"."lock_record"(uuid, text, jsonb) from public;

revoke all on function "private"."mail_about_crm"() from public;

revoke all on function "private"."merge_as_in_crm"(public.crm_accounts, text, jsonb) from public;

revoke all on function "private"."move_link_of_merged_lead"() from public;

revoke all on function "private"."note_changes_for_crms"() from public;

revoke all
  on function "private"."note_crm_difference"(public.crm_accounts, text, text, text, jsonb)
  from public;

revoke all on function "private"."picked_answers"(jsonb, jsonb) from public;

revoke all on function "private"."picked_values"(jsonb, text[]) from public;

revoke all
  on function
    "private"."preview_crm_record"(public.crm_runs, public.crm_accounts, text, jsonb, bigint)
  from public;

revoke all on function "private"."queue_changes_here"(public.crm_accounts, jsonb) from public;

revoke all on function "private"."queue_crm_differences"(public.crm_accounts, boolean) from public;

revoke all on function "private"."queue_unseen_links"(public.crm_runs) from public;

revoke all on function "private"."reads_pipeline"(public.crm_accounts, text) from public;

revoke all on function "private"."record_crm_account_change"() from public;

revoke all on function "private"."record_crm_change"() from public;

revoke all on function "private"."sendable_values"(public.crm_accounts, jsonb, text) from public;

revoke all
  on function "private"."set_crm_differences"(public.crm_accounts, text, text, text, jsonb)
  from public;

revoke all on function "private"."set_crm_settings"(text, jsonb) from public;

revoke all on function "private"."side_taken"(public.crm_differences) from public;

revoke all on function "private"."stage_of_crm"(public.crm_accounts, text) from public;

revoke all on function "private"."start_crm_run"(public.crm_accounts, text) from public;

revoke all on function "private"."try_crm_record"(public.crm_accounts, text, jsonb) from public;

revoke all on function "private"."unlisted_crm_ids"(public.crm_accounts, text[], text[]) from public;

revoke all on function "private"."user_of_crm"(public.crm_accounts, text) from public;

revoke all on function "private"."values_there"(public.crm_accounts, text, jsonb) from public;

revoke all on function "private"."wake_crm"(text, timestamp with time zone) from public;

revoke all
  on function "private"."winner_of"(public.crm_accounts, timestamp with time zone, timestamp
    with time zone)
  from public;

revoke all on function "private"."with_values"(jsonb, jsonb) from public;

revoke all on function "private"."write_record"(uuid, text, jsonb, jsonb) from public;

grant select on table "public"."crm_accounts" to "manage";

grant select, update on table "public"."crm_accounts" to "worker";

grant select on table "public"."crm_activity_types" to "manage";

grant select on table "public"."crm_differences" to "manage";

grant select on table "public"."crm_events" to "manage";

grant select on table "public"."crm_links" to "manage";

grant select on table "public"."crm_preview_rows" to "manage";

grant select on table "public"."crm_runs" to "manage";

grant select on table "public"."crm_stages" to "manage";

grant select on table "public"."crm_users" to "manage";

alter table "private"."crm_pending"
  add constraint "crm_pending_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_activity_types"
  add constraint "crm_activity_types_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_differences"
  add constraint "crm_differences_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_events"
  add constraint "crm_events_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_links"
  add constraint "crm_links_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_runs"
  add constraint "crm_runs_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_stages"
  add constraint "crm_stages_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

alter table "public"."crm_users"
  add constraint "crm_users_tenant_id_account_id_fkey" foreign key (tenant_id, account_id)
    references public.crm_accounts(tenant_id, id) on delete cascade;

create view "admin"."crm_accounts" with (security_invoker=true) AS  SELECT a.id,
    a.tenant_id,
    t.slug AS tenant,
    a.crm,
    a.status,
    a.reason,
    a.webhook_state,
    a.last_event_at,
    a.rejected_events,
    a.last_reconciled_at,
    a.waiting_until,
    a.settings,
    a.created_at
   FROM (public.crm_accounts a
     JOIN public.tenants t ON ((t.id = a.tenant_id)))
  WHERE (a.forgotten_at IS NULL);

create view "admin"."crm_links" with (security_invoker=true) AS  SELECT l.account_id,
    l.kind,
    l.placar_id,
    l.crm_id,
    l.state,
    l.crm_updated_at
   FROM public.crm_links l
UNION ALL
 SELECT c.account_id,
    'user'::text AS kind,
    (u.id)::text AS placar_id,
    c.crm_id,
    'linked'::text AS state,
    NULL::timestamp with time zone AS crm_updated_at
   FROM (public.crm_users c
     JOIN public.users u ON (((u.tenant_id = c.tenant_id) AND (u.email = c.email))))
UNION ALL
 SELECT s.account_id,
    'stage'::text AS kind,
    (private.stage_of_crm(a.*, s.crm_id))::text AS placar_id,
    s.crm_id,
        CASE
            WHEN s.is_present THEN 'linked'::text
            ELSE 'gone'::text
        END AS state,
    NULL::timestamp with time zone AS crm_updated_at
   FROM (public.crm_stages s
     JOIN public.crm_accounts a ON ((a.id = s.account_id)))
  WHERE (private.stage_of_crm(a.*, s.crm_id) IS NOT NULL);

create view "admin"."crm_stages" with (security_invoker=true) AS  SELECT s.account_id,
    s.crm_id,
    s.name,
    s.pipeline,
    s.pipeline_name,
    s.closes,
    s.is_present,
    s.stage_id AS mapped_to,
    private.stage_of_crm(a.*, s.crm_id) AS stage_id
   FROM (public.crm_stages s
     JOIN public.crm_accounts a ON ((a.id = s.account_id)));

create unique index crm_accounts_id_idx on public.crm_accounts using btree (id);

alter table "private"."crm_creations"
  add constraint "crm_creations_account_id_fkey" foreign key (account_id)
    references public.crm_accounts(id) on delete cascade;

alter table "private"."crm_secrets"
  add constraint "crm_secrets_account_id_fkey" foreign key (account_id)
    references public.crm_accounts(id) on delete cascade;

comment on view "admin"."crm_accounts" is 'Accounts at CRMs of all tenants: status and reason, webhooks, limits, settings.';

comment on view "admin"."crm_links" is 'Which record here is which record in a CRM: leads, deals and activities, users by address, and stages by mapping or name.';

comment on view "admin"."crm_stages" is 'Stages of CRMs, with the stage here that each is mapped to or shares its name with.';

create view "admin"."crm_differences" with (security_invoker=true) AS  SELECT id,
    account_id,
    kind,
    record,
    crm_id,
    placar_id,
    field,
    ours,
    theirs,
    found_at,
    resolved_at
   FROM public.crm_differences d;

comment on view "admin"."crm_differences" is 'Differences between records here and in a CRM; resolved_at is null while one is open.';

alter table "public"."crm_preview_rows"
  add constraint "crm_preview_rows_tenant_id_run_id_fkey" foreign key (tenant_id, run_id)
    references public.crm_runs(tenant_id, id) on delete cascade;

create view "admin"."crm_runs" with (security_invoker=true) AS  SELECT id,
    account_id,
    kind,
    status,
    phase,
    read,
    created,
    updated,
    linked,
    unchanged,
    skipped,
    failed,
    waiting_until,
    error,
    started_at,
    finished_at
   FROM public.crm_runs r;

create unique index crm_runs_id_idx on public.crm_runs using btree (id);

alter table "private"."crm_seen"
  add constraint "crm_seen_run_id_fkey" foreign key (run_id) references public.crm_runs(id)
    on delete cascade;

comment on view "admin"."crm_runs" is 'Previews, imports, reconciliations and comparisons of CRMs, with their progress.';

comment on column admin.crm_accounts.created_at is 'When it was created.';

comment on column admin.crm_accounts.crm is 'rd_station, pipedrive or hubspot.';

comment on column admin.crm_accounts.id is 'Id of the row.';

comment on column admin.crm_accounts.last_event_at is 'When the last webhook arrived.';

comment on column admin.crm_accounts.last_reconciled_at is 'When changes were last read without a webhook.';

comment on column admin.crm_accounts.reason is 'Why the account is failing, or why a connecting one waits, in plain language.';

comment on column admin.crm_accounts.rejected_events is 'Webhooks without a valid proof; counts at most ten per minute.';

comment on column admin.crm_accounts.settings is 'Settings given to admin.connect_crm.';

comment on column admin.crm_accounts.status is 'authorizing until a person agreed at the CRM; connecting until the credentials are verified; failing while they or a webhook do not work.';

comment on column admin.crm_accounts.tenant is 'Short name (slug) of the tenant.';

comment on column admin.crm_accounts.tenant_id is 'The tenant; admin.tenants has its name.';

comment on column admin.crm_accounts.waiting_until is 'No requests are sent to the CRM until then; null if they may be.';

comment on column admin.crm_accounts.webhook_state is 'How changes are told: active webhooks, those that a person sets up in the CRM (by_hand), or none, so that changes are polled.';

comment on column admin.crm_activity_types.account_id is 'The account at a CRM; see admin.crm_accounts.';

comment on column admin.crm_activity_types.code is '001 to 999; null if activities of this type are not read.';

comment on column admin.crm_activity_types.crm_type is 'Type in the CRM, such as call, meetings or task:email.';

comment on column admin.crm_differences.account_id is 'The account at a CRM; see admin.crm_accounts.';

comment on column admin.crm_differences.crm_id is 'Null if the record is not in the CRM yet.';

comment on column admin.crm_differences.field is 'The member that differs, as it is named here; empty if it is the whole record.';

comment on column admin.crm_differences.found_at is 'When it was found.';

comment on column admin.crm_differences.id is 'Id of the row.';

comment on column admin.crm_differences.kind is 'What kind of difference: docs/connectors.md says what to do about each.';

comment on column admin.crm_differences.ours is 'Our value.';

comment on column admin.crm_differences.placar_id is 'Our id; null if the record is not here.';

comment on column admin.crm_differences.record is 'Kind of the record.';

comment on column admin.crm_differences.resolved_at is 'When the difference was gone; null while it is there.';

comment on column admin.crm_differences.theirs is 'The value in the CRM, or its words.';

comment on column admin.crm_links.account_id is 'The account at a CRM; see admin.crm_accounts.';

comment on column admin.crm_links.crm_id is 'Id in the CRM.';

comment on column admin.crm_links.crm_updated_at is 'When the record in the CRM changed last, as far as it was read.';

comment on column admin.crm_links.kind is 'lead, deal, activity, user or stage.';

comment on column admin.crm_links.placar_id is 'Id of the lead or deal; external_id of an activity.';

comment on column admin.crm_links.state is 'gone if the record was deleted or merged in the CRM.';

comment on column admin.crm_preview.action is 'What an import would do: create, update, link or skip.';

comment on column admin.crm_preview.crm_id is 'Id in the CRM.';

comment on column admin.crm_preview.fields is 'Members that would change, each with its value and the one that it would get.';

comment on column admin.crm_preview.kind is 'lead or deal.';

comment on column admin.crm_preview.name is 'Name in the CRM.';

comment on column admin.crm_preview.placar_id is 'The record that is here; null if it would be created.';

comment on column admin.crm_preview.reason is 'Why it would be skipped.';

comment on column admin.crm_preview.run_id is 'The preview; see admin.crm_runs.';

comment on column admin.crm_runs.account_id is 'The account at a CRM; see admin.crm_accounts.';

comment on column admin.crm_runs.created is 'Created here.';

comment on column admin.crm_runs.error is 'Why it failed; null if it succeeded.';

comment on column admin.crm_runs.failed is 'Could not be applied.';

comment on column admin.crm_runs.finished_at is 'When it ended; null before.';

comment on column admin.crm_runs.id is 'Id of the row.';

comment on column admin.crm_runs.kind is 'preview, import, reconcile or compare.';

comment on column admin.crm_runs.linked is 'Linked with a record that was here with the same values.';

comment on column admin.crm_runs.phase is 'What is read: users and stages, then leads, deals and activities, then again what differs and what a comparison has not listed.';

comment on column admin.crm_runs.read is 'Leads, deals and activities that were read; those below are parts of it.';

comment on column admin.crm_runs.skipped is 'Not carried over: admin.crm_preview and admin.crm_differences say why.';

comment on column admin.crm_runs.started_at is 'When the first page was read; null while queued.';

comment on column admin.crm_runs.status is 'Current status.';

comment on column admin.crm_runs.unchanged is 'Linked before, and the same.';

comment on column admin.crm_runs.updated is 'Updated here.';

comment on column admin.crm_runs.waiting_until is 'When it goes on after a limit of the CRM, or because that does not answer; null if it does not wait.';

comment on column admin.crm_stages.account_id is 'The account at a CRM; see admin.crm_accounts.';

comment on column admin.crm_stages.closes is 'What a deal in this stage is; null for open ones.';

comment on column admin.crm_stages.crm_id is 'Id of the stage in the CRM.';

comment on column admin.crm_stages.is_present is 'Whether the CRM still has the stage.';

comment on column admin.crm_stages.mapped_to is 'Stage here that admin.map_crm_stage set; null if it is found by name.';

comment on column admin.crm_stages.name is 'Name in the CRM.';

comment on column admin.crm_stages.pipeline is 'Id of the pipeline in the CRM.';

comment on column admin.crm_stages.pipeline_name is 'Name of the pipeline in the CRM.';

comment on column admin.crm_stages.stage_id is 'Stage here that deals of this stage get; null if there is none.';

insert into private.retention (what, days, least_days) values ('crm_events', '30', '1');

insert into private.retention (what, days, least_days) values ('crm_preview_rows', '7', '1');

insert into private.retention (what, days, least_days) values ('crm_runs', '90', '7');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('private.crm_creations', 'copy', 'data of the tenant', '{account_id,kind,placar_id}', 't.account_id in (select a.id from public.crm_accounts a where a.tenant_id = $tenant)', '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('private.crm_pending', 'renumber', 'ids are internal', '{account_id,kind,crm_id,placar_id,due_at}', NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('private.crm_secrets', 'vault', 'credentials are in Vault, whose ids differ', '{account_id}', 't.account_id in (select a.id from public.crm_accounts a where a.tenant_id = $tenant)', '{credentials,webhook_secret}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('private.crm_seen', 'stay', 'a comparison begins again', NULL, 't.run_id in (select r.id from public.crm_runs r where r.tenant_id = $tenant)', '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('private.crms', 'stay', 'the same in every project', NULL, '', '{}', 'true');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_accounts', 'copy', 'data of the tenant', NULL, NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_activity_types', 'copy', 'data of the tenant', '{account_id,crm_type}', NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_differences', 'copy', 'data of the tenant', NULL, NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_events', 'renumber', 'ids are internal', '{account_id,event_id}', NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_links', 'copy', 'data of the tenant', '{account_id,kind,crm_id}', NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_preview_rows', 'renumber', 'ids are internal', '{run_id,kind,crm_id}', NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_runs', 'copy', 'runs go on at the destination', NULL, NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_stages', 'copy', 'data of the tenant', '{account_id,crm_id}', NULL, '{}', 'false');

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values ('public.crm_users', 'copy', 'data of the tenant', '{account_id,crm_id}', NULL, '{}', 'false');

insert into private.crms (name, title, credentials, is_authorized_in_browser) values ('hubspot', 'HubSpot', '[{"access_token": "^[!-~]{1,255}$", "client_secret": "^[!-~]{1,255}$"}, {"service_key": "^[!-~]{1,255}$"}]', 'false');

insert into private.crms (name, title, credentials, is_authorized_in_browser) values ('pipedrive', 'Pipedrive', '[{"domain": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", "api_token": "^[0-9a-f]{40}$"}]', 'false');

insert into private.crms (name, title, credentials, is_authorized_in_browser) values ('rd_station', 'RD Station CRM', '[{"optional": ["refresh_token"], "client_id": "^[!-~]{1,255}$", "client_secret": "^[!-~]{1,255}$", "refresh_token": "^[!-~]+$"}]', 'true');
