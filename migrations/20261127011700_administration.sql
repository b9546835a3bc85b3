set local check_function_bodies = off;

-- Audit trail: who changed the administration of a workspace, when and what. Triggers write it in the transaction of the change, so it
-- covers the API, SQL and Studio alike. Rows are kept for seven years in monthly partitions and are append-only.

create table public.admin_changes (
  id           bigint      generated always as identity,
  at           timestamptz not null default clock_timestamp(),
  transaction  bigint      not null default pg_current_xact_id()::text::bigint,
  tenant_id    uuid,
  tenant       text,
  via          text        not null check (via in ('sql', 'api', 'mcp')),
  actor_kind   text        not null check (actor_kind in ('client', 'api_key', 'person', 'role')),
  actor_id     text,
  actor_name   text,
  on_behalf_of text,
  program      text,
  act          text        not null,
  subject_kind text        not null,
  subject_id   text,
  subject_name text,
  before       jsonb,
  after        jsonb,
  reason       text,
  summary      text        not null,
  request_id   text
) partition by range (at);

comment on table  public.admin_changes is 'Changes of administration with actor, subject and the members that changed; append-only, kept for seven years.';
comment on column public.admin_changes.transaction is 'The same for all changes of one transaction.';
comment on column public.admin_changes.tenant_id is 'Null for changes of the whole deployment.';
comment on column public.admin_changes.tenant is 'The slug, which stays after the tenant is deleted.';
comment on column public.admin_changes.via is 'How the change arrived: sql, api or mcp.';
comment on column public.admin_changes.actor_kind is 'An OAuth client, an API key, a person who is signed in to Supabase Auth, or a database role.';
comment on column public.admin_changes.on_behalf_of is 'The person that the actor claims to act for; not verified.';
comment on column public.admin_changes.program is 'User agent or application_name of the caller; not verified.';
comment on column public.admin_changes.act is 'What was done, such as mission.created.';
comment on column public.admin_changes.before is 'The members that changed, before the change; null if the subject was created.';
comment on column public.admin_changes.after is 'The members that changed, after the change; null if the subject was deleted.';
comment on column public.admin_changes.request_id is 'X-Request-Id of the API request; null for SQL.';

create index admin_changes_tenant_idx  on public.admin_changes (tenant_id, id desc);
create index admin_changes_subject_idx on public.admin_changes (tenant_id, subject_kind, subject_id);
create index admin_changes_request_idx on public.admin_changes (request_id) where request_id is not null;

alter table public.admin_changes enable row level security;

create policy "A tenant sees its own changes" on public.admin_changes
  for select to api using (tenant_id = (select app.tenant_id()));
grant select on public.admin_changes to api;

create trigger admin_changes_append_only
  before update or delete on public.admin_changes
  for each row execute function private.refuse_change();
create trigger admin_changes_no_truncate
  before truncate on public.admin_changes
  execute function private.refuse_change();

create table public.admin_changes_default partition of public.admin_changes default;

comment on table public.admin_changes_default is 'Changes of months without their own partition.';

alter table public.admin_changes_default enable row level security;

create trigger admin_changes_default_no_truncate
  before truncate on public.admin_changes_default
  execute function private.refuse_change();

-- Who acts -------------------------------------------------------------------------------------------------------------

create function private.current_actor(
  out via text, out kind text, out id text, out name text, out on_behalf_of text, out program text, out request_id text)
language plpgsql stable
set search_path = ''
as $$
declare
  acts_as constant text := coalesce(nullif(current_setting('role', true), 'none'), session_user);
  given   jsonb;
begin
  -- Only requests run as these roles, and the statement that sets the role names their caller; others may not name themselves.
  if acts_as in ('api', 'payments', 'manage') then
    given := coalesce(nullif(current_setting('app.actor', true), ''), '{}')::jsonb;
    via := case when given ->> 'via' = 'mcp' then 'mcp' else 'api' end;
    kind := coalesce(given ->> 'kind', 'role');
    id := coalesce(given ->> 'id', acts_as);
    request_id := given ->> 'request_id';
    on_behalf_of := left(given ->> 'on_behalf_of', 255);
    program := left(given ->> 'program', 255);
    name := case kind
      when 'client' then (select c.label from public.oauth_clients c where c.client_id = current_actor.id)
      when 'api_key' then (select k.label from public.api_keys k where k.id::text = current_actor.id)
      else id
    end;
    return;
  end if;
  via := 'sql';
  on_behalf_of := left(nullif(current_setting('placar.on_behalf_of', true), ''), 255);
  program := left(nullif(current_setting('application_name'), ''), 255);
  if session_user = 'authenticator' then
    -- PostgREST: the claims of the token that it verified.
    given := coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
    if given ->> 'role' = 'authenticated' then
      kind := 'person';
      id := given ->> 'sub';
      name := given ->> 'email';
      return;
    end if;
  end if;
  kind := 'role';
  id := coalesce(given ->> 'role', session_user);
  name := id;
end
$$;

comment on function private.current_actor() is 'Who acts in this transaction, for the audit trail.';

-- What was done ----------------------------------------------------------------------------------------------------------

-- A replaced value shows nothing of itself, so it did not change from anything to anything.
create function private.change_summary(act text, subject_kind text, subject_name text, before jsonb, after jsonb, reason text) returns text
language sql immutable
set search_path = ''
as $$
  with words as (
    select replace(subject_kind, '_', ' ') || coalesce(' "' || subject_name || '"', '') as subject,
           (select string_agg(replace(m, '_', ' '), ', ' order by m) from jsonb_object_keys(coalesce(after, before)) as m) as members,
           (select m from jsonb_object_keys(coalesce(after, before)) as m limit 1) as member,
           (select count(*) from jsonb_object_keys(coalesce(after, before))) as count
  )
  select case
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
    when act like '%.secret_rotated' then format('Rotated the secret of %s.', subject)
    when act like '%.secret_set' then format('Set the secret of %s.', subject)
    when act like '%.rotated' then format('Rotated %s.', subject)
    when act like '%.revoked' then format('Revoked %s.', subject)
    when act like '%.connected' then format('Connected %s.', subject)
    when act like '%.disconnected' then format('Disconnected %s.', subject)
    when act like '%.created' then format('Created %s.', subject)
    when act like '%.deleted' then format('Deleted %s.', subject)
    when count = 1 and jsonb_typeof(after -> member) = 'null' then format('Cleared %s of %s.', members, subject)
    when count = 1 and jsonb_typeof(before -> member) = 'null' and jsonb_typeof(after -> member) in ('number', 'boolean', 'string')
      then format('Set %s of %s to %s.', members, subject, left(after ->> member, 100))
    when count = 1 and jsonb_typeof(after -> member) in ('number', 'boolean', 'string') and before -> member <> after -> member
      then format('Changed %s of %s from %s to %s.', members, subject, left(before ->> member, 100), left(after ->> member, 100))
    else format('Changed %s of %s.', members, subject)
  end
  from words
$$;

comment on function private.change_summary(text, text, text, jsonb, jsonb, text) is 'A change in one English sentence.';

create function private.add_change(
  tenant_id uuid, act text, subject_kind text, subject_id text, subject_name text, before jsonb, after jsonb, reason text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  actor   record;
  summary text := private.change_summary(act, subject_kind, subject_name, before, after, reason);
  earlier bigint;
  calls   text;
begin
  select * into actor from private.current_actor();
  if act = 'activity_code.mapped' then
    select count(*) into earlier from public.activities a
    where a.tenant_id = add_change.tenant_id and a.activity_code = subject_id and a.voided_at is null;
    if earlier > 0 then
      summary := summary || format(' %s recorded before %s too.', case earlier when 1 then '1 activity' else earlier || ' activities' end,
                                   case earlier when 1 then 'counts' else 'count' end);
    end if;
  end if;
  insert into public.admin_changes
    (tenant_id, tenant, via, actor_kind, actor_id, actor_name, on_behalf_of, program, act, subject_kind, subject_id, subject_name,
     before, after, reason, summary, request_id)
  values
    (add_change.tenant_id,
     coalesce((select t.slug from public.tenants t where t.id = add_change.tenant_id), case act when 'tenant.deleted' then subject_name end),
     actor.via, actor.kind, actor.id, actor.name, actor.on_behalf_of, actor.program, act, subject_kind, subject_id, subject_name,
     before, after, reason, summary, actor.request_id);
  -- Functions of the schema admin that return an id or a secret describe the change in a notice.
  get diagnostics calls = pg_context;
  if actor.via = 'sql' and calls ~ 'PL/pgSQL function admin\.|SQL function "' then
    raise notice '%', summary;
  end if;
end
$$;

comment on function private.add_change(uuid, text, text, text, text, jsonb, jsonb, text) is 'Adds a row to the audit trail.';

create function private.is_audited() returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(current_setting('role', true), '') <> 'worker' and coalesce(current_setting('app.upkeep', true), '') <> 'on'
     and coalesce(current_setting('app.audited', true), '') <> 'no'
$$;

comment on function private.is_audited() is
  'Whether to audit this change: not if the service makes it, the tenant is being deleted, or the function records it itself.';

create function private.audited_action(kind text, op text, before jsonb, after jsonb) returns text
language sql stable
set search_path = ''
as $$
  select kind || '.' || case
    when kind = 'activity_code' then case op when 'DELETE' then 'unmapped' else 'mapped' end
    when kind = 'provider_account' and op = 'INSERT' then 'connected'
    when kind = 'provider_account' and after ? 'disconnected_at'
      then case when after ->> 'disconnected_at' is null then 'connected' else 'disconnected' end
    when after ->> 'revoked_at' is not null and op = 'UPDATE' then 'revoked'
    when kind = 'tenant' and op = 'UPDATE' and after ? 'plan' then 'plan_changed'
    when op = 'INSERT' then 'created'
    when op = 'DELETE' then 'deleted'
    else 'updated'
  end
$$;

comment on function private.audited_action(text, text, jsonb, jsonb) is 'The name of a change in the audit trail.';

-- The path of a webhook's URL may contain a secret, as those of chat services do.
create function private.audited_url(url text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(
    (select m[1] || m[2] || case when m[3] in ('', '/') then '' else '/...' end
     from regexp_match(url, '^([^:/]+://)(?:[^/?#@]*@)?([^/?#]*)(.*)$') as m),
    case when url is not null then '...' end)
$$;

comment on function private.audited_url(text) is 'Scheme and host of a URL, with a marker instead of its path and query.';

create function private.audited_value(kind text, member text, value jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select case
    when member = 'mission' then to_jsonb((select m.name from public.missions m where m.id::text = value #>> '{}'))
    when member = 'stage' then to_jsonb((select s.name from public.pipeline_stages s where s.id::text = value #>> '{}'))
    when member = 'user' then to_jsonb((select u.email from public.users u where u.id::text = value #>> '{}'))
    when member = 'url' then to_jsonb(private.audited_url(value #>> '{}'))
    when member = 'settings' then (
      select coalesce(jsonb_object_agg(key, m), '{}') from jsonb_each(value) as s (key, m)
      where key in ('municipal_service_code', 'municipal_service_name', 'services', 'taxes', 'observations', 'deductions',
                    'customer_address', 'profile_id', 'source_currency'))
    else value
  end
$$;

comment on function private.audited_value(text, text, jsonb) is 'A member as the audit trail shows it: names instead of ids, and no secrets.';

create function private.record_change() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  kind    constant text := tg_argv[0];
  old_row constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  subject constant jsonb := coalesce(new_row, old_row);
  subject_kind text := kind;
  before_ jsonb;
  after_  jsonb;
begin
  if not private.is_audited() then
    return null;
  end if;
  select jsonb_object_agg(member, private.audited_value(kind, member, old_row -> col)) filter (where tg_op = 'UPDATE' or old_row ->> col is not null),
         jsonb_object_agg(member, private.audited_value(kind, member, new_row -> col)) filter (where tg_op = 'UPDATE' or new_row ->> col is not null)
  into before_, after_
  from (
    select split_part(m, '=', 1) as col, split_part(m, '=', -1) as member from string_to_table(tg_argv[3], ' ') as m
  ) as members
  where old_row -> col is distinct from new_row -> col;
  if kind = 'webhook' and tg_op = 'UPDATE' and current_setting('app.replaced_headers', true) = subject ->> 'id' then
    before_ := '{"headers": "replaced"}'::jsonb || coalesce(before_, '{}');
    after_ := '{"headers": "replaced"}'::jsonb || coalesce(after_, '{}');
    perform set_config('app.replaced_headers', '', true);
  end if;
  if before_ is null and after_ is null then
    return null;
  end if;
  if kind = 'webhook' and subject ->> 'interface' = 'payments' then
    subject_kind := 'payment_webhook';
  end if;
  perform private.add_change(
    case when kind = 'tenant' then (subject ->> 'id')::uuid else (subject ->> 'tenant_id')::uuid end,
    private.audited_action(subject_kind, tg_op, before_, after_), subject_kind,
    private.audited_subject(subject, tg_argv[1]),
    case when tg_argv[2] = 'url' then private.audited_url(subject ->> 'url') else private.audited_subject(subject, tg_argv[2]) end,
    case when tg_op <> 'INSERT' then before_ end, case when tg_op <> 'DELETE' then after_ end);
  return null;
end
$$;

comment on function private.record_change() is
  'Trigger: adds a row to the audit trail; arguments: kind of subject, columns of its id and name, audited columns (column or column=member).';

create function private.audited_subject(subject jsonb, columns text) returns text
language sql immutable
set search_path = ''
as $$ select string_agg(subject ->> col, ' ' order by place) from string_to_table(columns, '+') with ordinality as c (col, place) $$;

comment on function private.audited_subject(jsonb, text) is 'The values of these columns (joined by +) as one text.';

-- Partitions ----------------------------------------------------------------------------------------------------------------

create function private.maintain_changes(at timestamptz default now()) returns void
language plpgsql
set search_path = ''
as $$
declare
  months_ahead constant integer := 12;
  years_kept   constant integer := 7;
  month        date;
  name         text;
begin
  for month in
    select (date_trunc('month', maintain_changes.at at time zone 'UTC') + make_interval(months => i))::date
    from generate_series(0, months_ahead) as i
    union
    select distinct date_trunc('month', d.at at time zone 'UTC')::date from public.admin_changes_default d
  loop
    perform private.create_month_partition('admin_changes', month, 'Audit trail');
  end loop;
  for name in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.admin_changes'::regclass and c.relname ~ '^admin_changes_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
          <= (least(at, now()) at time zone 'UTC') - make_interval(years => years_kept)
  loop
    execute format('drop table public.%I', name);
  end loop;
end
$$;

comment on function private.maintain_changes(timestamptz) is
  'Creates the audit trail''s partitions for the coming twelve months and drops those older than seven years; safe to repeat.';

create function app.maintain_changes() returns void
language sql security definer
set search_path = ''
begin atomic
  select private.maintain_changes();
end;

comment on function app.maintain_changes() is 'Creates and drops partitions of the audit trail (worker only).';

grant execute on function app.maintain_changes() to worker;

select private.maintain_changes();

-- In Studio -----------------------------------------------------------------------------------------------------------------

create view admin.changes with (security_invoker = true) as
  select id, at, transaction, tenant_id, tenant, via, actor_kind, actor_id, actor_name, on_behalf_of, program, act,
         subject_kind, subject_id, subject_name, before, after, reason, summary, request_id
  from public.admin_changes;

comment on view admin.changes is 'Who changed the administration of a workspace, when and what; order by id.';

do $$
declare
  c record;
begin
  for c in
    select a.attname, coalesce(col_description(a.attrelid, a.attnum), d.description) as about
    from pg_catalog.pg_attribute a
    left join (values
      ('id', 'Orders changes.'), ('at', 'When the change was made.'), ('tenant_id', 'The tenant, or null for the whole deployment.'),
      ('actor_id', 'Client id, key id, id of the person in Auth, or name of the role.'),
      ('actor_name', 'Label of the client or key, email address of the person, or name of the role.'),
      ('subject_kind', 'What was changed, such as mission.'), ('subject_id', 'Its id; null for a person.'),
      ('subject_name', 'Its name.'), ('reason', 'The reason that the actor gave.'),
      ('summary', 'The change in one sentence.')) as d (attname, description) on d.attname = a.attname
    where a.attrelid = 'public.admin_changes'::regclass and a.attnum > 0
  loop
    execute format('comment on column admin.changes.%I is %L', c.attname, c.about);
  end loop;
end
$$;

-- Audit trail: the triggers of the tables whose changes it records.

do $$
declare
  t record;
begin
  for t in
    select * from (values
      ('public.tenants',               'tenant',               'id',       'name',     'name slug plan time_zone language owner_email nfse_cancellation_hours'),
      ('public.plans',                 'plan',                 'name',     'name',     'name requests_per_minute max_users max_invitation_mails_per_day max_webhooks max_webhooks_per_host'),
      ('public.missions',              'mission',              'id',       'name',     'name points'),
      ('public.mission_codes',         'activity_code',        'code',     'code',     'mission_id=mission'),
      ('public.point_rules',           'point_rule',           'id',       'event',    'event points stage_id=stage max_per_day'),
      ('public.tiers',                 'tier',                 'id',       'name',     'name min_points'),
      ('public.badges',                'badge',                'id',       'name',     'name metric threshold'),
      ('public.challenges',            'challenge',            'id',       'name',     'name metric target starts_at ends_at reward_points'),
      ('public.seasons',               'season',               'id',       'name',     'name starts_at ends_at'),
      ('public.pipeline_stages',       'stage',                'id',       'name',     'name position probability'),
      ('public.automations',           'automation',           'id',       'name',     'name event conditions actions active'),
      ('public.api_keys',              'api_key',              'id',       'label',    'label scopes requests_per_hour ip_allowlist expires_at revoked_at'),
      ('public.oauth_clients',         'client',               'client_id', 'label',   'label scopes variant user_id=user revoked_at'),
      ('public.webhook_endpoints',     'webhook',              'id',       'url',      'url events filters changed header_names=headers ordered fold_seconds description variant active paused_at deactivated_at'),
      ('public.provider_accounts',     'provider_account',     'id',       'provider', 'provider settings disconnected_at'),
      ('public.provider_routes',       'provider_route',       'kind+region+currency+method', 'kind+region+currency+method', 'provider preference min_amount max_amount'),
      ('public.payout_approval_rules', 'payout_approval_rule', 'currency', 'currency', 'currency above_amount'),
      ('public.cost_centers',          'cost_center',          'code',     'name',     'code name is_default'),
      ('private.retention',            'retention',            'what',     'what',     'days'),
      ('public.due_limits',            'due_limit',            'tenant_id', 'tenant_id', 'fine_percent interest_percent_month'),
      ('private.fiscal_rules',         'fiscal_rule',          'regime+rule', 'regime+rule', 'sent_from required_from'),
      ('private.tenant_moves',         'move',                 'id', 'slug', 'state moved_to'),
      ('private.deployment',           'deployment',           'environment', 'environment', 'environment sweep_url')
    ) as audited (of_table, kind, id_column, name_column, columns)
  loop
    -- The deletion of a tenant is recorded by audit_deletion.
    execute format('create trigger audit_rows after %s on %s for each row execute function private.record_change(%L, %L, %L, %L)',
                   case t.kind when 'tenant' then 'insert' else 'insert or delete' end,
                   t.of_table, t.kind, t.id_column, t.name_column, t.columns);
    -- Only statements that set an audited column run the trigger, so that the service's own updates cost nothing.
    execute format('create trigger audit_updates after update of %s on %s for each row execute function private.record_change(%L, %L, %L, %L)',
                   (select string_agg(quote_ident(split_part(m, '=', 1)), ', ') from string_to_table(t.columns, ' ') as m),
                   t.of_table, t.kind, t.id_column, t.name_column, t.columns);
  end loop;
end
$$;

-- Tables that requests and jobs write all the time: only these rows run the function.

create function private.record_correction() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not private.is_audited() then
    return null;
  end if;
  case tg_table_name
    when 'point_entries' then
      perform private.add_change(
        new.tenant_id, 'points.adjusted', 'player', new.player_id::text,
        (select p.email from public.players p where p.tenant_id = new.tenant_id and p.id = new.player_id),
        null, jsonb_build_object('points', new.points), new.note);
    when 'balance_transactions' then
      perform private.add_change(
        new.tenant_id, 'balance.adjusted', 'balance', new.id, new.id,
        null, jsonb_build_object('amount', new.amount, 'currency', new.currency), new.reason);
    when 'activities' then
      perform private.add_change(
        new.tenant_id, 'activity.voided', 'activity', new.external_id, new.external_id,
        jsonb_build_object('voided_at', null), jsonb_build_object('voided_at', new.voided_at), new.void_reason);
    when 'players' then
      perform private.add_change(
        new.tenant_id, case when new.opted_out_of_rankings then 'ranking.opted_out' else 'ranking.opted_in' end, 'player', new.id::text, new.email,
        jsonb_build_object('opted_out', old.opted_out_of_rankings), jsonb_build_object('opted_out', new.opted_out_of_rankings));
    when 'payouts' then
      perform private.add_change(
        new.tenant_id, 'payout.' || new.approval, 'payout', new.id, new.id,
        jsonb_build_object('approval', old.approval), jsonb_build_object('approval', new.approval),
        case when new.approval = 'rejected' then new.failure_reason end);
  end case;
  return null;
end
$$;

comment on function private.record_correction() is 'Trigger: adds a manual correction or decision to the audit trail.';

create trigger audit_adjustments after insert on public.point_entries
  for each row when (new.reason = 'adjustment') execute function private.record_correction();
create trigger audit_adjustments after insert on public.balance_transactions
  for each row when (new.type = 'adjustment' and new.invoice_id is null and new.payout_id is null and new.provider is null)
  execute function private.record_correction();
create trigger audit_voids after update of voided_at on public.activities
  for each row when (old.voided_at is null and new.voided_at is not null) execute function private.record_correction();
create trigger audit_opt_outs after update of opted_out_of_rankings on public.players
  for each row when (old.opted_out_of_rankings is distinct from new.opted_out_of_rankings) execute function private.record_correction();
create trigger audit_decisions after update of approval on public.payouts
  for each row when (old.approval = 'waiting' and new.approval in ('approved', 'rejected')) execute function private.record_correction();

-- Secrets: that one was replaced, and nothing of it.

create function private.record_rotation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  replaced constant jsonb := '{"secret": "replaced"}';
  client   public.oauth_clients;
  webhook  public.webhook_endpoints;
  account  public.provider_accounts;
begin
  if not private.is_audited() then
    return null;
  end if;
  case tg_table_name
    when 'oauth_client_secrets' then
      select * into client from public.oauth_clients c where c.id = new.oauth_client_id;
      if exists (select from private.oauth_client_secrets s where s.oauth_client_id = client.id and s.id < new.id) then
        perform private.add_change(client.tenant_id, 'client.secret_rotated', 'client', client.client_id, client.label, replaced, replaced);
      end if;
    when 'webhook_secrets' then
      select * into webhook from public.webhook_endpoints w where w.id = new.endpoint_id;
      if exists (select from private.webhook_secrets s where s.endpoint_id = webhook.id and s.id < new.id) then
        perform private.add_change(
          webhook.tenant_id, case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end || '.secret_rotated',
          case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end,
          webhook.id::text, private.audited_url(webhook.url), replaced, replaced);
      end if;
    when 'provider_secrets' then
      select * into account from public.provider_accounts a where a.id = new.account_id;
      perform private.add_change(account.tenant_id, 'provider_account.updated', 'provider_account', account.id, account.provider, replaced, replaced);
  end case;
  return null;
end
$$;

comment on function private.record_rotation() is 'Trigger: adds to the audit trail that a secret was replaced.';

create trigger audit_rotations after insert on private.oauth_client_secrets for each row execute function private.record_rotation();
create trigger audit_rotations after insert on private.webhook_secrets for each row execute function private.record_rotation();
create trigger audit_rotations after update of api_key_hash, withdrawal_token_hash on private.provider_secrets
  for each row when (old.api_key_hash is distinct from new.api_key_hash or old.withdrawal_token_hash is distinct from new.withdrawal_token_hash)
  execute function private.record_rotation();

-- Audit trail: rows about people and tenants that are erased, exported, deleted or moved, and changes that only some callers make.

-- People and tenants that are erased, exported or deleted ----------------------------------------------------------------------

create function private.erase_changes(tenant_id uuid, players text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.upkeep', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null
  where c.tenant_id = erase_changes.tenant_id and c.subject_kind = 'player' and c.subject_id = any (players);
  perform set_config('app.upkeep', '', true);
end
$$;

comment on function private.erase_changes(uuid, text[]) is 'Empties the changes of an erased player in the audit trail.';

create function admin.export_person(tenant_id uuid, email text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  data constant jsonb := private.export_person(tenant_id, email);
begin
  perform private.add_change(tenant_id, 'person.exported', 'person', null, null, null, null);
  return data;
end
$$;

comment on function admin.export_person(uuid, text) is
  'All data of a tenant about a person by email address, as JSON by table; the audit trail records the export.';

create function private.empty_changes(tenant_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.upkeep', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null, on_behalf_of = null,
      actor_name = case when c.actor_kind = 'person' then null else c.actor_name end
  where c.tenant_id = empty_changes.tenant_id;
  perform set_config('app.upkeep', '', true);
end
$$;

comment on function private.empty_changes(uuid) is 'Removes the content of a tenant''s audit trail, whose rows stay.';

create function private.record_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.empty_changes(old.id);
  perform private.add_change(old.id, 'tenant.deleted', 'tenant', old.id::text, old.slug, null, null);
  return null;
end
$$;

comment on function private.record_deletion() is 'Trigger: empties the audit trail of a deleted tenant and records the deletion.';

create function private.record_move_end() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.empty_changes(new.tenant_id);
  return null;
end
$$;

comment on function private.record_move_end() is 'Trigger: empties the audit trail of a tenant that has left this project.';

create trigger empty_changes after update of state on private.tenant_moves
  for each row when (new.direction = 'out' and new.state = 'finished' and old.state <> 'finished') execute function private.record_move_end();

create trigger audit_deletion after delete on public.tenants for each row execute function private.record_deletion();

-- What only some callers do -------------------------------------------------------------------------------------------------

create function private.record_merge() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- A merge by a request is one of its records, not of administration.
  if private.is_audited() and coalesce(current_setting('role', true), '') <> 'api' then
    perform private.add_change(new.tenant_id, 'lead.merged', 'lead', new.merged_into::text, null,
                               null, jsonb_build_object('merged_lead', new.lead_id));
  end if;
  return null;
end
$$;

comment on function private.record_merge() is 'Trigger: adds a merge of leads by an admin to the audit trail.';

create trigger audit_merges after insert on public.merged_leads for each row execute function private.record_merge();

create function admin.move_external_ids(from_client text, to_client text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  moved  constant bigint := private.move_external_ids(from_client, to_client);
  client public.oauth_clients;
begin
  if moved > 0 then
    select * into client from public.oauth_clients c where c.client_id = to_client;
    perform private.add_change(client.tenant_id, 'external_ids.moved', 'client', client.client_id, client.label,
                               jsonb_build_object('client', from_client), jsonb_build_object('client', to_client, 'moved', moved));
  end if;
  return moved;
end
$$;

comment on function admin.move_external_ids(text, text) is
  'Moves all external ids of a client to another client of the same tenant, and returns how many.';

create function admin.export_tenant(tenant_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  data constant jsonb := private.export_tenant(tenant_id);
begin
  perform private.add_change(tenant_id, 'tenant.exported', 'tenant', tenant_id::text, data #>> '{tenant,slug}', null, null);
  return data;
end
$$;

comment on function admin.export_tenant(uuid) is
  'All data of a tenant as JSON by table, without secrets and without the request log; the audit trail records the export.';

create function private.expect_rotatable(key public.api_keys) returns void
language plpgsql
set search_path = ''
as $$
declare
  other public.api_keys;
begin
  -- The key that replaced this one, or the one that this one replaced.
  select k.* into other
  from private.credential_holders h
  join public.api_keys k on k.tenant_id = h.tenant_id
    and k.id::text = case when h.holder = key.id::text then h.credential else h.holder end
  where h.tenant_id = key.tenant_id and key.id::text in (h.holder, h.credential)
    and k.revoked_at is null and coalesce(k.expires_at > now(), true)
  limit 1;
  if other.id is not null then
    perform private.refuse_argument('id', format(
      'API key %s is being rotated; its other key %s works until %s. Revoke one of them first', key.id, other.id,
      coalesce(to_char(other.expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), 'it is revoked')));
  end if;
end
$$;

comment on function private.expect_rotatable(public.api_keys) is
  'Rejects the rotation of a key while the key that replaced it, or the one that it replaced, still works.';

-- Functions of the schema admin accept names where they accept ids, and answer with a sentence.
--
-- Each function exists once. This file generates its other forms: with the slug of the tenant instead of its id, with the name of a
-- mission or stage or the email address of a user instead of an id, and with dates and texts instead of moments, which count in the
-- time zone of the tenant. Functions without a result of their own return their changes, as described in the audit trail.

-- Names instead of ids ------------------------------------------------------------------------------------------------------

-- Default_Ignorable_Code_Point of Unicode, and the blank pattern of Braille.
create function private.normalize_name(name text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select lower(btrim(regexp_replace(normalize(name, nfc),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
    '', 'g')))
$$;

comment on function private.normalize_name(text) is
  'A name for comparisons, which ignore case, spaces around it and characters without a shape.';

create function private.resolve_reference(argument text, value text, ids uuid[], names text[]) returns uuid
language plpgsql immutable
set search_path = ''
as $$
declare
  wanted constant text := private.normalize_name(value);
  found  uuid[];
begin
  if value is null then
    return null;
  end if;
  select array_agg(i.id) into found from unnest(ids) as i (id) where i.id::text = wanted;
  if found is null then
    select array_agg(i.id) into found from unnest(ids, names) as i (id, name) where private.normalize_name(i.name) = wanted;
  end if;
  if found is null and pg_input_is_valid(wanted, 'uuid') then
    -- The function that receives the id rejects it.
    return wanted::uuid;
  elsif found is null then
    perform private.refuse_argument(argument, format('"%s" does not exist in this tenant', left(value, 100)), names);
  elsif cardinality(found) > 1 then
    perform private.refuse_argument(argument, format('several have the name "%s"; use an id', left(value, 100)), found::text[]);
  end if;
  return found[1];
end
$$;

comment on function private.resolve_reference(text, text, uuid[], text[]) is
  'Resolves a text to an id: the id itself or a name (case-insensitive). Null returns null. Rejects unknown and ambiguous names.';

create function private.tenant_id_of(tenant text) returns uuid
language sql stable
set search_path = ''
as $$
  -- The function that receives the id rejects an unknown one.
  select case when tenant is null or pg_input_is_valid(tenant, 'uuid') then tenant::uuid else private.tenant_named(tenant) end
$$;

comment on function private.tenant_id_of(text) is 'The tenant with this slug, or the id that this text is.';

create function private.find_mission(tenant_id uuid, mission text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('mission', mission, array_agg(m.id order by m.name), array_agg(m.name order by m.name))
  from public.missions m where m.tenant_id = find_mission.tenant_id
$$;

comment on function private.find_mission(uuid, text) is 'The mission with this id or name.';

create function private.find_stage(tenant_id uuid, stage text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('stage', stage, array_agg(s.id order by s.position), array_agg(s.name order by s.position))
  from public.pipeline_stages s where s.tenant_id = find_stage.tenant_id
$$;

comment on function private.find_stage(uuid, text) is 'The pipeline stage with this id or name.';

create function private.find_user_by_email(tenant_id uuid, user_email text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('user_email', user_email, array_agg(u.id order by u.email), array_agg(u.email order by u.email))
  from public.users u where u.tenant_id = find_user_by_email.tenant_id
$$;

comment on function private.find_user_by_email(uuid, text) is 'The user with this email address.';

create function private.find_automation(tenant_id uuid, automation text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('automation', automation, array_agg(a.id order by a.name), array_agg(a.name order by a.name))
  from public.automations a where a.tenant_id = find_automation.tenant_id
$$;

comment on function private.find_automation(uuid, text) is 'The automation with this id or name.';

create function private.find_api_key_by_label(tenant_id uuid, label text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('label', find_api_key_by_label.label, array_agg(k.id order by k.label), array_agg(k.label order by k.label))
  from public.api_keys k
  where k.tenant_id = find_api_key_by_label.tenant_id and k.revoked_at is null and coalesce(k.expires_at > now() + interval '24 hours', true)
$$;

comment on function private.find_api_key_by_label(uuid, text) is
  'The API key with this id or label that is neither revoked nor about to expire after a rotation.';

create function private.find_client_by_label(tenant_id uuid, label text) returns text
language sql stable
set search_path = ''
as $$
  select c.client_id from public.oauth_clients c
  where c.id = (
    select private.resolve_reference('label', find_client_by_label.label, array_agg(l.id order by l.label), array_agg(l.label order by l.label))
    from public.oauth_clients l where l.tenant_id = find_client_by_label.tenant_id and l.revoked_at is null)
$$;

comment on function private.find_client_by_label(uuid, text) is 'The client id of the OAuth client with this label that is not revoked.';

create function private.last_change() returns bigint
language sql volatile
set search_path = ''
as $$ select coalesce(pg_sequence_last_value(pg_get_serial_sequence('public.admin_changes', 'id')::regclass), 0) $$;

comment on function private.last_change() is 'The last id of the audit trail, of all transactions.';

create function private.last_summary(after_change bigint default 0) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select string_agg(c.summary, ' ' order by c.id) from public.admin_changes c
     where c.transaction = pg_current_xact_id()::text::bigint and c.at >= statement_timestamp() and c.id > after_change),
    'Nothing changed.')
$$;

comment on function private.last_summary(bigint) is
  'What the current statement changed, as sentences of the audit trail; of several statements in one message, those after a change.';

do $$
declare
  f record;
begin
  for f in
    select p.oid, p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_identity_arguments(p.oid) as identity,
           obj_description(p.oid, 'pg_proc') as about,
           (select string_agg(format('%I => %I.%I', a, p.proname, a), ', ' order by place)
            from unnest(p.proargnames) with ordinality as n (a, place)) as passed
    from pg_catalog.pg_proc p
    where p.pronamespace = 'private'::regnamespace and p.prorettype = 'void'::regtype and p.proname = any (array[
      'set_environment', 'set_plan', 'set_language', 'revoke_api_key', 'set_allowlist', 'revoke_oauth_client', 'deactivate_webhook',
      'reactivate_webhook', 'replay_delivery', 'set_ranking_opt_out', 'void_activity',
      'map_activity_code', 'unmap_activity_code', 'merge_leads', 'set_automation_active', 'set_provider_route',
      'require_payout_approval', 'approve_payout', 'reject_payout', 'register_cost_center', 'set_retention',
      'set_due_limits', 'set_fiscal_rule'])
  loop
    execute format(
      -- The result already describes the change, so no notice is needed.
      'create function admin.%I(%s) returns text language plpgsql set search_path = '''' set client_min_messages = warning as %L',
      f.name, f.arguments, format('declare seen constant bigint := private.last_change(); begin perform private.%I(%s); return private.last_summary(seen); end', f.name, f.passed));
    execute format('comment on function admin.%I(%s) is %L', f.name, f.identity, f.about || ' Returns what changed.');
  end loop;
end
$$;

create function admin.pause_webhook(id uuid) returns text
language plpgsql
set search_path = '' set client_min_messages = warning
as $$
declare
  seen constant bigint := private.last_change();
begin
  if not exists (select from public.webhook_endpoints w where w.id = pause_webhook.id) then
    raise exception 'id: webhook % does not exist', pause_webhook.id using errcode = 'no_data_found';
  end if;
  perform private.pause_webhook(pause_webhook.id);
  return private.last_summary(seen);
end
$$;

comment on function admin.pause_webhook(uuid) is
  'Pauses all deliveries to a webhook until admin.resume_webhook(id), including new events; they are kept for 30 days. Returns what changed.';

create function admin.resume_webhook(id uuid) returns text
language plpgsql
set search_path = '' set client_min_messages = warning
as $$
declare
  seen    constant bigint := private.last_change();
  webhook public.webhook_endpoints;
begin
  select * into webhook from public.webhook_endpoints w where w.id = resume_webhook.id for no key update;
  if not found then
    raise exception 'id: webhook % does not exist', resume_webhook.id using errcode = 'no_data_found';
  elsif not webhook.active then
    raise exception 'id: the webhook is deactivated: %', coalesce(webhook.deactivation_reason, 'deactivated by its client')
      using errcode = 'object_not_in_prerequisite_state', hint = 'Reactivate it with admin.reactivate_webhook(id).';
  end if;
  perform private.resume_webhook(resume_webhook.id);
  return private.last_summary(seen);
end
$$;

comment on function admin.resume_webhook(uuid) is 'Resumes a webhook that is paused or suspended. Returns what changed.';

-- The other forms of each function ----------------------------------------------------------------------------------------------

create function private.create_argument_overloads(of_function regprocedure) returns void
language plpgsql
set search_path = ''
as $$
declare
  f        constant pg_catalog.pg_proc := (select p from pg_catalog.pg_proc p where p.oid = of_function);
  inputs   constant integer := f.pronargs;
  -- Declarations, argument values and types of all forms that have been built up to a parameter.
  forms    jsonb := jsonb_build_array('{"declared": [], "passed": [], "types": [], "changed": false}'::jsonb || jsonb_build_object(
    'tenant', case when 'tenant_id' = any (f.proargnames) then 'tenant_id' else 'tenant' end));
  name     text;
  type     text;
  given    text;
  fallback text;
  other    jsonb;
  form     jsonb;
  next     jsonb;
begin
  for i in 1 .. inputs loop
    name := f.proargnames[i];
    type := format_type(f.proargtypes[i - 1], null);
    given := pg_get_function_arg_default(of_function, i);
    fallback := coalesce(' default ' || given, '');
    other := case
      when name = 'tenant_id' then '[["tenant", "text", "private.tenant_id_of(%1$s.tenant)"]]'
      when name = 'mission_id' then '[["mission", "text", "private.find_mission(%2$s, %1$s.mission)"]]'
      when name = 'stage_id' then '[["stage", "text", "private.find_stage(%2$s, %1$s.stage)"]]'
      when name = 'user_id' then '[["user_email", "text", "private.find_user_by_email(%2$s, %1$s.user_email)"]]'
      when type = 'timestamp with time zone' then jsonb_build_array(
        jsonb_build_array(quote_ident(name), 'text', format('private.moment_of(%%2$s, %L, %%1$s.%s)', name, name)),
        jsonb_build_array(quote_ident(name), 'date', format('private.moment_of(%%2$s, %L, %%1$s.%s::text)', name, name)))
      else '[]'
    end;
    next := '[]';
    for form in select * from jsonb_array_elements(forms) loop
      next := next || jsonb_build_array(jsonb_build_object(
        'declared', form -> 'declared' || to_jsonb(array[quote_ident(name) || ' ' || type, fallback]),
        'passed', form -> 'passed' || to_jsonb(format('%I => %I.%I', name, f.proname, name)),
        'types', form -> 'types' || to_jsonb(type), 'changed', form -> 'changed', 'tenant', form -> 'tenant', 'last', form -> 'last'));
      for j in 0 .. jsonb_array_length(other) - 1 loop
        next := next || jsonb_build_array(jsonb_build_object(
          'declared', form -> 'declared' || to_jsonb(array[(other -> j ->> 0) || ' ' || (other -> j ->> 1), '']),
          'passed', form -> 'passed' || to_jsonb(format('%I => %s', name,
            format(other -> j ->> 2, quote_ident(f.proname),
                   case form ->> 'tenant' when 'tenant' then format('private.tenant_id_of(%I.tenant)', f.proname) else format('%I.tenant_id', f.proname) end))),
          'types', form -> 'types' || to_jsonb(other -> j ->> 1),
          'changed', true, 'tenant', case name when 'tenant_id' then 'tenant' else form ->> 'tenant' end,
          -- A parameter without a default may not follow one with a default.
          'last', case when name = 'tenant_id' then form -> 'last' else to_jsonb(i) end));
      end loop;
    end loop;
    forms := next;
  end loop;
  for form in select * from jsonb_array_elements(forms) loop
    continue when not (form ->> 'changed')::boolean
      or to_regprocedure(format('admin.%I(%s)', f.proname, (select string_agg(t, ', ') from jsonb_array_elements_text(form -> 'types') as t))) is not null;
    execute format(
      'create function admin.%I(%s) returns %s language plpgsql set search_path = '''' as %L', f.proname,
      (select string_agg(format('%s%s', form -> 'declared' ->> (2 * n), case when n >= coalesce((form ->> 'last')::integer, 0) then form -> 'declared' ->> (2 * n + 1) else '' end), ', ' order by n)
       from generate_series(0, inputs - 1) as n),
      pg_get_function_result(of_function),
      format(case when f.proretset then 'begin return query select * from admin.%I(%s); end' else 'begin return admin.%I(%s); end' end,
             f.proname, (select string_agg(p, ', ') from jsonb_array_elements_text(form -> 'passed') as p)));
    execute format('comment on function admin.%I(%s) is %L', f.proname,
                   (select string_agg(t, ', ') from jsonb_array_elements_text(form -> 'types') as t), obj_description(of_function, 'pg_proc'));
  end loop;
end
$$;

comment on function private.create_argument_overloads(regprocedure) is
  'Adds the forms of an admin function that accept a slug for the tenant, names for ids, and dates or text for timestamps.';

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as form from pg_catalog.pg_proc p
    where p.pronamespace = 'admin'::regnamespace and p.prokind = 'f' and 'tenant_id' = any (p.proargnames)
      and not exists (
        -- The existing forms accept text for timestamps.
        select from unnest(p.proargnames, p.proargtypes::oid[]) as a (name, type) where a.name in ('starts_at', 'ends_at') and a.type = 'text'::regtype)
  loop
    perform private.create_argument_overloads(f.form);
  end loop;
end
$$;

-- Keys, clients and automations by name -------------------------------------------------------------------------------------------

create function admin.revoke_api_key(tenant text, label text) returns text
language sql set search_path = ''
begin atomic select admin.revoke_api_key(private.find_api_key_by_label(private.tenant_named(tenant), label)); end;

comment on function admin.revoke_api_key(text, text) is 'Revokes the API key with this label. Returns what changed.';

create function admin.rotate_api_key(tenant text, label text) returns table (id uuid, api_key text)
language sql set search_path = ''
begin atomic select r.id, r.api_key from admin.rotate_api_key(private.find_api_key_by_label(private.tenant_named(tenant), label)) r; end;

comment on function admin.rotate_api_key(text, text) is 'Replaces the API key with this label and returns the new one once; the old key expires in 24 hours.';

create function admin.set_allowlist(tenant text, label text, allowlist cidr[]) returns text
language sql set search_path = ''
begin atomic select admin.set_allowlist(private.find_api_key_by_label(private.tenant_named(tenant), label), allowlist); end;

comment on function admin.set_allowlist(text, text, cidr[]) is 'Sets the IP addresses from which the API key with this label may be used. Returns what changed.';

create function admin.revoke_oauth_client(tenant text, label text) returns text
language sql set search_path = ''
begin atomic select admin.revoke_oauth_client(private.find_client_by_label(private.tenant_named(tenant), label)); end;

comment on function admin.revoke_oauth_client(text, text) is 'Revokes the OAuth client with this label. Returns what changed.';

create function admin.rotate_client_secret(tenant text, label text) returns text
language sql set search_path = ''
begin atomic select admin.rotate_client_secret(private.find_client_by_label(private.tenant_named(tenant), label)); end;

comment on function admin.rotate_client_secret(text, text) is 'Replaces the secret of the OAuth client with this label and returns it once; the old one expires in 24 hours.';

create function admin.set_automation_active(tenant text, automation text, active boolean) returns text
language sql set search_path = ''
begin atomic select admin.set_automation_active(private.find_automation(private.tenant_named(tenant), automation), active); end;

comment on function admin.set_automation_active(text, text, boolean) is 'Starts or stops the automation with this name. Returns what changed.';

-- Why a request failed, in SQL: the request log of a tenant with advice for each failure, and the slug of the tenant in every view.

-- Requests --------------------------------------------------------------------------------------------------------------
create function private.remedy(status integer, reason text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when status < 400 then null
    when status = 401 then case reason
      when 'missing' then 'Send the header Authorization.'
      when 'malformed' then 'Check the format of the header Authorization.'
      when 'unknown_key' then 'Check the API key: no workspace has it. It may have been copied incompletely.'
      when 'wrong_environment' then 'Use a key of this environment: sk_live_ in production, sk_test_ in staging.'
      when 'revoked' then 'The key or client was revoked. Create another one.'
      when 'expired' then 'The key has expired. Create or rotate one.'
      when 'stale_timestamp' then 'Correct the clock of the caller: signatures are valid for 300 s.'
      when 'bad_signature' then 'Check how the caller signs: method, path with query, body as sent, and the key.'
      when 'address_not_allowed' then 'Call from an allowed IP address, or add this one to the key''s allowlist.'
      when 'bad_token' then 'Request another access token. It is invalid or has expired.'
      else 'Check the credentials of the caller.'
    end
    when reason = 'malformed_body' then 'Check the body, which could not be read. Send valid JSON in UTF-8.'
    when reason = 'invalid_scope' then 'Request only scopes that the client has, or grant it the missing ones.'
    when reason = 'invalid_target' then 'Request the token for an address of this service: check audience and resource.'
    when reason = 'idempotency_key_reused' then 'Use another Idempotency-Key. This one belongs to a request with another body or path.'
    when reason in ('invalid_message', 'invalid_params', 'header_mismatch', 'unsupported_version', 'unknown_method')
      then 'Update the MCP client: it sent a message that this server does not support. The response says what is wrong.'
    when reason = 'origin_not_allowed' then 'Call from a program instead of a web page, or add the origin of the page to MCP_ALLOWED_ORIGINS.'
    when reason = 'idempotency_key_in_use' then 'Wait for the first request with this Idempotency-Key, then send it again.'
    when status = 400 or status = 422 and reason in ('validation', 'validation_error')
      then 'Correct the request: fields names the invalid members, and the response describes each.'
    when status = 403 and reason = 'insufficient_scope' then 'Add the missing scope to the key or client, and request another access token.'
    when status = 403 then 'The caller may not do this. Check its scopes, and who owns the record.'
    when status = 404 then 'Check the path and the id. A record of another workspace does not exist for this caller.'
    when status = 405 then 'Use a method that the header Allow of the response names.'
    when status = 406 then 'Accept application/json.'
    when status = 408 then 'Send the body without long pauses. Check the connection of the caller.'
    when status = 409 then 'Read the current state first: the record or the key is used already, or its state does not allow this.'
    when status = 410 then 'It is no longer available. Read the record for its current state.'
    when status = 412 then 'Read the record again and repeat the change with its current ETag.'
    when status = 413 then 'Send a smaller body, for example in several requests.'
    when status = 415 then 'Send application/json.'
    when status = 421 then 'The workspace moved to another address, which the response names.'
    when status = 422 then 'The request names something that does not exist, or the workspace does not allow it. The response says why.'
    when status = 429 then 'Send fewer requests, or wait as long as Retry-After says. A larger plan has higher limits.'
    when status = 501 then 'Connect a payment provider that supports this.'
    when status = 502 then 'The payment provider rejected the order or did not respond. See the response, and admin.provider_accounts.'
    when status in (503, 504) then 'Retry after the time in Retry-After. If it lasts, check the health of the deployment.'
    when status >= 500 then 'This is a fault of Placar. Report it with the request id.'
    else 'See the response of the request.'
  end
$$;

comment on function private.remedy(integer, text) is 'What to do about a failed request, in a sentence; null if it succeeded.';

-- A type of its own, because a column and a parameter of one function cannot both be called status.
create type private.request_entry as (
  at timestamptz, request_id text, function text, method text, path text, status integer, reason text, fields text[], query text[],
  caller_kind text, caller_id text, caller text, ip inet, duration_ms integer, requests integer, remedy text
);

create function admin.requests(tenant text, "from" timestamptz default null, "to" timestamptz default null, status text default null)
returns setof private.request_entry
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  own    constant uuid        := private.tenant_named(tenant);
  ends   constant timestamptz := coalesce(requests."to", now());
  begins constant timestamptz := coalesce(requests."from", ends - interval '24 hours');
begin
  if ends - begins > interval '31 days' then
    perform private.refuse_argument('from', 'must be at most 31 days before to');
  elsif requests.status !~ '^([1-5]\d\d|[45]xx|failed)$' then
    perform private.refuse_argument('status', format('"%s" is not a status', requests.status), array['404', '4xx', '5xx', 'failed']);
  end if;
  return query
    select r.at, r.request_id, r.function, r.method, r.path, r.status::integer, r.reason, r.fields, r.query,
           case when r.client_id is not null then 'client' when r.api_key_id is not null then 'api_key' end,
           coalesce(r.client_id, r.api_key_id::text), coalesce(c.label, k.label), r.ip, r.duration_ms, r.requests,
           private.remedy(r.status, r.reason)
    from public.request_log r
    left join public.api_keys k      on k.id = r.api_key_id
    left join public.oauth_clients c on c.client_id = r.client_id
    where r.tenant_id = own and r.at >= begins and r.at < ends
      and case when requests.status is null then true
               when requests.status = 'failed' then r.status >= 400
               when requests.status like '%xx' then r.status / 100 = left(requests.status, 1)::integer
               else r.status = requests.status::integer end
    order by r.at desc;
end
$$;

comment on function admin.requests(text, timestamptz, timestamptz, text) is
  'The requests of a tenant (slug or id), newest first, with what to do about failures; by default those of the last 24 hours.';

select private.create_argument_overloads('admin.requests(text, timestamptz, timestamptz, text)'::regprocedure);

-- The slug beside the id ----------------------------------------------------------------------------------------------------

do $$
declare
  v record;
begin
  for v in
    select c.oid, c.relname as name from pg_catalog.pg_class c
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v'
      and exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
      and not exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant')
  loop
    execute format(
      'create or replace view admin.%I with (security_invoker = true) as select v.*, (select t.slug from public.tenants t where t.id = v.tenant_id) as tenant from (%s) as v',
      v.name, rtrim(pg_get_viewdef(v.oid), ';'));
    execute format('comment on column admin.%I.tenant is %L', v.name, 'Slug of the tenant.');
  end loop;
end
$$;

-- Administration by the API: its role and its scopes. Requests of /v1/admin run as `manage`, which calls the functions of the schema of
-- the same name. Each of them works in the tenant of its transaction.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'manage') then
    create role manage nologin inherit nobypassrls;
  end if;
end
$$;

-- As every request, those of administration write the request log and idempotency keys.
grant api to manage with inherit true, set false;
grant manage to postgres with inherit false, set true;
grant manage to placar_login with inherit false, set true;

create schema manage;
revoke all on schema manage from public;
grant usage on schema manage to manage;

-- The functions of the schema are called by the role manage only.
alter default privileges in schema manage revoke execute on functions from public;
alter default privileges in schema manage grant execute on functions to manage;
-- Scopes --------------------------------------------------------------------------------------------------------------

create function private.with_implied_scopes(scopes text[]) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select case when 'admin' = any (scopes) then scopes || array[
    'read:leads', 'write:leads', 'read:deals', 'write:deals', 'read:users', 'write:users',
    'read:teams', 'write:teams', 'read:webhooks', 'write:webhooks',
    'read:settings', 'read:audit', 'manage:gamification', 'manage:automations', 'manage:workspace'
  ] else scopes end
$$;

comment on function private.with_implied_scopes(text[]) is
  'These scopes and those that admin includes: all but the ones of payments, access and persons.';

create function private.caller_has(scopes text[]) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  caller constant jsonb := nullif(current_setting('app.caller', true), '')::jsonb;
begin
  return caller is null or (
    private.with_implied_scopes(array(select jsonb_array_elements_text(caller -> 'scopes'))) && caller_has.scopes
    and exists (select from public.oauth_clients c
                where c.client_id = caller ->> 'client_id' and private.with_implied_scopes(c.scopes) && caller_has.scopes));
end
$$;

comment on function private.caller_has(text[]) is
  'Whether the caller of the request has one of these scopes, both in its token and currently; true for SQL.';

-- Administration by the API: missions, tiers, badges, challenges, seasons, stages and automations. They have names, and are created, read,
-- changed and deleted alike. A view of each kind shows its records; `private.managed_kinds` says the rest.

create table private.managed_kinds (
  kind     text   primary key,
  of_table name   not null unique,
  members  text[] not null,
  kept     text
);

comment on table  private.managed_kinds is 'Kinds of records that the admin API manages by id or name.';
comment on column private.managed_kinds.of_table is 'Table of schema public, and view of schema manage.';
comment on column private.managed_kinds.members is 'Columns that a request may set.';
comment on column private.managed_kinds.kept is 'What to do instead if a record cannot be deleted.';

alter table private.managed_kinds enable row level security;

insert into private.managed_kinds (kind, of_table, members, kept) values
  ('mission',    'missions',        '{name,points}', 'Players have completed this mission. Set its points to 0 or unmap its codes.'),
  ('tier',       'tiers',           '{name,min_points}', null),
  ('badge',      'badges',          '{name,metric,threshold}', 'Players have earned this badge. Change its name or raise its threshold.'),
  ('challenge',  'challenges',      '{name,metric,target,starts_at,ends_at,reward_points}', 'Players have completed this challenge. Change its ends_at to end it.'),
  ('season',     'seasons',         '{name,starts_at,ends_at}', null),
  ('stage',      'pipeline_stages', '{name,position,probability}', 'The stage has deals. Move them to another stage first.'),
  ('automation', 'automations',     '{name,event,conditions,actions,active}', null);

-- Errors ----------------------------------------------------------------------------------------------------------------

create function private.reject(
  code text, message text, field text default null, rule text default null, extra jsonb default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A record in `extra` keeps its members that are null.
  raise exception '%', code using errcode = 'PL434', detail = jsonb_build_object('message', message)
    || case when extra is not null then jsonb_build_object('extra', extra) else '{}' end
    || case when field is not null then jsonb_build_object('details', jsonb_build_array(jsonb_build_object('field', field, 'message', rule))) else '{}' end;
end
$$;

comment on function private.reject(text, text, text, text, jsonb) is
  'Rejects a request of administration with an error code of the API, its message, the invalid field and more members of the error.';

create function private.reject_unknown(kind text, ref text, field text, names text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  max_listed constant integer := 20;
begin
  if field is null then
    perform private.reject('not_found', format('There is no %s with this id or name.', replace(kind, '_', ' ')));
  end if;
  perform private.reject('unprocessable', 'The request refers to something that does not exist.', field,
    'does not exist in this workspace' || case
      when not private.caller_has(case kind
        when 'user' then '{read:users}'::text[]
        when 'stage' then '{read:deals,read:settings,manage:workspace}'
        else '{read:settings,manage:gamification}' end) then ''
      when coalesce(cardinality(names), 0) = 0 then '; there are none'
      else '; there are ' || array_to_string(names[1:max_listed], ', ')
           || case when cardinality(names) > max_listed then ' and more' else '' end
    end);
end
$$;

comment on function private.reject_unknown(text, text, text, text[]) is
  'Rejects a reference: with 404 if it is the path (no field), else with 422 and the names that exist, if the caller may read them.';

create function private.managed_table(kind text) returns name
language sql stable
set search_path = ''
as $$ select k.of_table from private.managed_kinds k where k.kind = managed_table.kind $$;

comment on function private.managed_table(text) is 'The table of a kind.';

create function private.managed_id(kind text, ref text, field text default null) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  wanted constant text := private.normalize_name(ref);
  found  uuid[];
  names  text[];
begin
  if pg_input_is_valid(wanted, 'uuid') then
    execute format('select array_agg(r.id) from public.%I r where r.tenant_id = $1 and r.id = $2', private.managed_table(kind))
      into found using own, wanted::uuid;
  end if;
  if found is null then
    execute format('select array_agg(r.id order by r.created_at) from public.%I r where r.tenant_id = $1 and private.normalize_name(r.name) = $2',
                   private.managed_table(kind))
      into found using own, wanted;
  end if;
  if found is null then
    execute format('select array_agg(r.name order by r.name) from public.%I r where r.tenant_id = $1', private.managed_table(kind)) into names using own;
    perform private.reject_unknown(kind, ref, field, names);
  elsif cardinality(found) > 1 then
    perform private.reject('conflict', format('Several records have this name (%s). Use an id.', left(btrim(ref), 100)), field,
                           'is ambiguous', jsonb_build_object('ids', to_jsonb(found)));
  end if;
  return found[1];
end
$$;

comment on function private.managed_id(text, text, text) is
  'The id of the record with this id or name (case-insensitive) in the tenant of the transaction. Rejects unknown and ambiguous ones.';

-- Names -----------------------------------------------------------------------------------------------------------------

create function private.find_name_conflict(of_table name, tenant_id uuid, name text, own_id uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder uuid;
begin
  execute format(
    'select r.id from public.%I r where r.tenant_id = $1 and private.normalize_name(r.name) = private.normalize_name($2) and r.id is distinct from $3 %s limit 1',
    of_table, case when of_table in ('seasons', 'challenges') then 'and r.starts_at < $5 and $4 < r.ends_at' else '' end)
    into holder using tenant_id, name, own_id, starts_at, ends_at;
  return holder;
end
$$;

comment on function private.find_name_conflict(name, uuid, text, uuid, timestamptz, timestamptz) is
  'The record that has this name already; for challenges and seasons, one of an overlapping time.';

create function private.check_name() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  row    constant jsonb := to_jsonb(new);
  holder uuid;
begin
  new.name := normalize(btrim(new.name), nfc);
  if char_length(new.name) not between 1 and 255 or new.name ~ '[[:cntrl:]]' then
    perform private.refuse_argument('name', 'must have 1 to 255 characters, and no control characters');
  elsif private.normalize_name(new.name) !~ '[^[:space:]]' then
    perform private.refuse_argument('name', 'must have a visible character');
  end if;
  perform pg_advisory_xact_lock(hashtextextended(tg_table_name || new.tenant_id::text, 0));
  holder := private.find_name_conflict(tg_table_name, new.tenant_id, new.name, new.id, (row ->> 'starts_at')::timestamptz, (row ->> 'ends_at')::timestamptz);
  if holder is not null then
    raise exception 'name: "%" already exists (id %). Use another name, or change the existing record.', new.name, holder
      using errcode = 'unique_violation', detail = holder::text, constraint = 'name_taken', table = tg_table_name;
  end if;
  return new;
end
$$;

comment on function private.check_name() is 'Trigger: trims the name of a record and rejects one that another record has.';

do $$
declare
  t record;
begin
  for t in select k.of_table, k.of_table in ('seasons', 'challenges') as has_times from private.managed_kinds k loop
    execute format('create trigger check_name before insert on public.%I for each row execute function private.check_name()', t.of_table);
    execute format(
      'create trigger check_new_name before update of name%s on public.%I for each row when (old.name <> new.name%s) execute function private.check_name()',
      case when t.has_times then ', starts_at, ends_at' else '' end, t.of_table,
      case when t.has_times then ' or (old.starts_at, old.ends_at) <> (new.starts_at, new.ends_at)' else '' end);
  end loop;
end
$$;

-- Views -----------------------------------------------------------------------------------------------------------------
-- They belong to the owner, so each names its tenant. `version` is that of the members which a request sets; what the service counts
-- does not change it.

create function private.format_utc(moment timestamptz) returns text
language sql immutable
set search_path = ''
as $$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

comment on function private.format_utc(timestamptz) is 'A moment as the API writes it: UTC with microseconds.';

create function private.version_of(record json, counted text[] default '{}') returns text
language sql immutable
set search_path = ''
as $$ select left(md5((record::jsonb - counted)::text), 20) $$;

comment on function private.version_of(json, text[]) is 'The version of a record, without the members that the service counts.';

create view manage.missions as
  select m.id, m.name, m.created_at, r.record, private.version_of(r.record, '{completions}') as version
  from public.missions m
  cross join lateral (select json_build_object(
    'id', m.id, 'name', m.name, 'points', m.points,
    'codes', array(select mc.code from public.mission_codes mc where mc.tenant_id = m.tenant_id and mc.mission_id = m.id order by mc.code),
    'completions', (select count(*) from public.mission_codes mc
                    join public.activities a on a.tenant_id = mc.tenant_id and a.activity_code = mc.code and a.voided_at is null
                    where mc.tenant_id = m.tenant_id and mc.mission_id = m.id),
    'created_at', private.format_utc(m.created_at)) as record) as r
  where m.tenant_id = (select app.tenant_id());

create view manage.tiers as
  select t.id, t.name, t.created_at, r.record, private.version_of(r.record) as version
  from public.tiers t
  cross join lateral (select json_build_object(
    'id', t.id, 'name', t.name, 'min_points', t.min_points, 'created_at', private.format_utc(t.created_at)) as record) as r
  where t.tenant_id = (select app.tenant_id());

create view manage.badges as
  select b.id, b.name, b.created_at, r.record, private.version_of(r.record, '{earned_by}') as version
  from public.badges b
  cross join lateral (select json_build_object(
    'id', b.id, 'name', b.name, 'metric', b.metric, 'threshold', b.threshold,
    'earned_by', (select count(*) from public.earned_badges e where e.tenant_id = b.tenant_id and e.badge_id = b.id),
    'created_at', private.format_utc(b.created_at)) as record) as r
  where b.tenant_id = (select app.tenant_id());

create view manage.challenges as
  select c.id, c.name, c.created_at, r.record, private.version_of(r.record, '{completed_by}') as version
  from public.challenges c
  cross join lateral (select json_build_object(
    'id', c.id, 'name', c.name, 'metric', c.metric, 'target', c.target,
    'starts_at', private.format_utc(c.starts_at), 'ends_at', private.format_utc(c.ends_at), 'reward_points', c.reward_points,
    'completed_by', (select count(*) from public.completed_challenges d where d.tenant_id = c.tenant_id and d.challenge_id = c.id),
    'created_at', private.format_utc(c.created_at)) as record) as r
  where c.tenant_id = (select app.tenant_id());

create view manage.seasons as
  select s.id, s.name, s.created_at, r.record, private.version_of(r.record) as version
  from public.seasons s
  cross join lateral (select json_build_object(
    'id', s.id, 'name', s.name, 'starts_at', private.format_utc(s.starts_at), 'ends_at', private.format_utc(s.ends_at),
    'created_at', private.format_utc(s.created_at)) as record) as r
  where s.tenant_id = (select app.tenant_id());

create view manage.pipeline_stages as
  select s.id, s.name, s.created_at, r.record, private.version_of(r.record, '{deals}') as version
  from public.pipeline_stages s
  cross join lateral (select json_build_object(
    'id', s.id, 'name', s.name, 'position', s.position, 'probability', s.probability,
    'deals', (select count(*) from public.deals d where d.tenant_id = s.tenant_id and d.stage_id = s.id),
    'created_at', private.format_utc(s.created_at)) as record) as r
  where s.tenant_id = (select app.tenant_id());

create view manage.automations as
  select a.id, a.name, a.created_at, r.record, private.version_of(r.record) as version
  from public.automations a
  cross join lateral (select json_build_object(
    'id', a.id, 'name', a.name, 'event', a.event, 'conditions', a.conditions, 'actions', a.actions, 'active', a.active,
    'created_at', private.format_utc(a.created_at)) as record) as r
  where a.tenant_id = (select app.tenant_id());

comment on view manage.missions is 'Missions of the tenant as the admin API shows them.';
comment on view manage.tiers is 'Tiers of the tenant as the admin API shows them.';
comment on view manage.badges is 'Badges of the tenant as the admin API shows them.';
comment on view manage.challenges is 'Challenges of the tenant as the admin API shows them.';
comment on view manage.seasons is 'Seasons of the tenant as the admin API shows them.';
comment on view manage.pipeline_stages is 'Stages of the tenant as the admin API shows them.';
comment on view manage.automations is 'Automations of the tenant as the admin API shows them.';

-- Reading ---------------------------------------------------------------------------------------------------------------

create function private.admin_record(kind text, id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  answer jsonb;
begin
  execute format('select jsonb_build_object(''record'', v.record, ''version'', v.version) from manage.%I v where v.id = $1', private.managed_table(kind))
    into answer using id;
  return answer;
end
$$;

comment on function private.admin_record(text, uuid) is 'A record as the admin API shows it, with its version.';

create function manage.read_record(kind text, ref text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_record(kind, private.managed_id(kind, ref)) $$;

comment on function manage.read_record(text, text) is 'Reads the record with this id or name.';

create function private.contains_text(text text, search text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$ select strpos(app.fold(normalize(coalesce(text, ''), nfc)), app.fold(normalize(search, nfc))) > 0 $$;

comment on function private.contains_text(text, text) is 'Whether a text contains the search text, ignoring case and accents.';

create function private.search_in(expression text, page jsonb) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select case when page ->> 'search' is null then 'true' else format($c$private.contains_text(%s, $1 ->> 'search')$c$, expression) end $$;

comment on function private.search_in(text, jsonb) is 'The condition of a page with search on an expression of its view, for private.list_page.';

create function private.list_page(of_view text, condition text, sort text, page jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  answer jsonb;
begin
  -- Records can be costly, such as the position of a player, so the rows of the page are found first.
  execute format($sql$
    select jsonb_build_object('total', (select count(*) from manage.%1$I v where %2$s),
      'records', coalesce((
        select jsonb_agg(v.record order by p.place)
        from unnest(array(select v.%4$I from manage.%1$I v where %2$s order by %3$s
                          limit ($1 ->> 'limit')::integer offset ($1 ->> 'offset')::bigint)) with ordinality as p (key, place)
        join manage.%1$I v on v.%4$I = p.key), '[]'))
  $sql$, of_view, condition, sort, case of_view when 'activity_codes' then 'name' when 'cost_centers' then 'code' else 'id' end)
  into answer using page;
  return answer;
end
$$;

comment on function private.list_page(text, text, text, jsonb) is 'A page of a view of schema manage: its records and their total.';

create function manage.list_records(kind text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    private.managed_table(kind),
    private.search_in('v.name', page),
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_records(text, jsonb) is 'A page of records; page has limit, offset, sort (name or created_at), descending and search.';

-- Writing ---------------------------------------------------------------------------------------------------------------

create function private.expect_version(versions jsonb, shown jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if versions is not null and shown is null then
    perform private.reject('precondition_failed', 'The record does not exist, but If-Match requires it.');
  elsif jsonb_typeof(versions) = 'array' and not versions ? (shown ->> 'version') then
    perform private.reject('precondition_failed', 'The record has changed since you read it. Compare it with `current` and retry.',
                           extra => jsonb_build_object('current', shown -> 'record', 'version', shown -> 'version'));
  end if;
end
$$;

comment on function private.expect_version(jsonb, jsonb) is
  'Rejects the request if versions (an array; * is any, null is no condition) lacks the one of the record, or there is no record.';

create function private.check_record_limit(of_table text, condition text, most integer, noun text) returns void
language plpgsql
set search_path = ''
as $$
declare
  used integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('room ' || of_table || app.tenant_id(), 0));
  execute format('select count(*) from %s r where r.tenant_id = $1 and %s', of_table, condition) into used using app.tenant_id();
  if used >= most then
    perform private.reject('unprocessable', format('The workspace has %s %s. The limit is %s. Delete one first.', used, noun, most));
  end if;
end
$$;

comment on function private.check_record_limit(text, text, integer, text) is 'Rejects a record that would be one too many.';

create function private.set_codes(mission_id uuid, codes jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  own  constant uuid := app.tenant_id();
  code text;
begin
  for code in select mc.code from public.mission_codes mc
              where mc.tenant_id = own and mc.mission_id = set_codes.mission_id and not codes ? mc.code order by 1 loop
    perform private.unmap_activity_code(own, code);
  end loop;
  for code in select distinct c from jsonb_array_elements_text(codes) as c order by 1 loop
    perform private.map_activity_code(own, code, mission_id);
  end loop;
end
$$;

comment on function private.set_codes(uuid, jsonb) is 'Maps exactly these activity codes to a mission.';

-- Automations -----------------------------------------------------------------------------------------------------------
create function private.resolve_body(kind text, body jsonb, caller jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  member text;
  action record;
  person uuid;
  fault  text;
begin
  foreach member in array array['starts_at', 'ends_at'] loop
    if body ? member then
      body := jsonb_set(body, array[member], to_jsonb(private.moment_of(own, member, body ->> member)));
    end if;
  end loop;
  if kind = 'automation' and jsonb_typeof(body -> 'actions') = 'array' then
    if body ? 'event' then
      -- Faults of form come before names that do not exist.
      fault := private.automation_fault(body ->> 'event', coalesce(body -> 'conditions', '[]'), (
        select coalesce(jsonb_agg(case when a ->> 'type' = 'move_stage' and a ? 'stage' or a ->> 'type' = 'assign_owner' and a ? 'user'
                                       then '{"type": "add_tag", "tag": "x"}' else a end order by n), '[]')
        from jsonb_array_elements(body -> 'actions') with ordinality as s (a, n)), own);
      if fault is not null then
        perform private.reject('validation', 'Fix these fields.', split_part(fault, ': ', 1), substr(fault, strpos(fault, ': ') + 2));
      end if;
    end if;
    for action in select value as it, ordinality - 1 as n from jsonb_array_elements(body -> 'actions') with ordinality loop
      select key into member from jsonb_each(action.it) where key in ('stage', 'user') and jsonb_typeof(value) <> 'string' order by key limit 1;
      if found then
        perform private.reject('validation', 'Fix these fields.', format('actions[%s].%s', action.n, member), 'must be a string');
      elsif action.it ? 'stage' then
        body := jsonb_set(body, array['actions', action.n::text], action.it - 'stage' || jsonb_build_object(
          'stage_id', private.managed_id('stage', action.it ->> 'stage', format('actions[%s].stage', action.n))));
      elsif action.it ? 'user' then
        perform private.expect_own_scopes('{read:users}', caller, 'Naming a user also requires read:users.');
        select u.id into person from public.users u
        where u.tenant_id = own and lower(btrim(action.it ->> 'user')) in (u.id::text, lower(u.email));
        if not found then
          perform private.reject_unknown('user', action.it ->> 'user', format('actions[%s].user', action.n),
            array(select u.email from public.users u where u.tenant_id = own order by u.email limit 21));
        end if;
        body := jsonb_set(body, array['actions', action.n::text], action.it - 'user' || jsonb_build_object('user_id', person));
      end if;
    end loop;
  end if;
  return body;
end
$$;

comment on function private.resolve_body(text, jsonb, jsonb) is 'Replaces dates by timestamps, and names of stages and users by ids, in a body.';

create function private.expect_valid(kind text, of_row jsonb, old_row jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
declare
  own      constant uuid := app.tenant_id();
  own_id   constant uuid := (old_row ->> 'id')::uuid;
  of_table constant name := private.managed_table(kind);
  holder uuid;
  fault  text;
begin
  -- The lock of private.check_name, so that a record that SQL is creating is found here.
  perform pg_advisory_xact_lock(hashtextextended(of_table || own::text, 0));
  if kind in ('challenge', 'season') and (of_row ->> 'ends_at')::timestamptz <= (of_row ->> 'starts_at')::timestamptz then
    perform private.reject('validation', 'Fix these fields.', 'ends_at', 'must be later than starts_at');
  elsif kind = 'automation' and (of_row -> 'active' = 'true' or of_row - '{name,active}'::text[] <> old_row - '{name,active}'::text[]) then
    -- An automation whose stage or user is gone can still be stopped and renamed.
    fault := private.automation_fault(of_row ->> 'event', of_row -> 'conditions', of_row -> 'actions', own);
    if fault is not null then
      perform private.reject('validation', 'Fix these fields.', split_part(fault, ': ', 1), substr(fault, strpos(fault, ': ') + 2));
    end if;
  elsif kind = 'tier' then
    select t.id into holder from public.tiers t
    where t.tenant_id = own and t.min_points = (of_row ->> 'min_points')::bigint and t.id is distinct from own_id;
    if found then
      perform private.reject('conflict', 'Another tier begins at this number of points.', 'min_points', 'is taken by another tier',
                             jsonb_build_object('existing_id', holder));
    end if;
  end if;
  -- Names that several records had before names were unique stay until they change.
  if (of_row -> 'name', (of_row ->> 'starts_at')::timestamptz, (of_row ->> 'ends_at')::timestamptz)
     is distinct from (old_row -> 'name', (old_row ->> 'starts_at')::timestamptz, (old_row ->> 'ends_at')::timestamptz) then
    holder := private.find_name_conflict(of_table, own, of_row ->> 'name', own_id,
                                  (of_row ->> 'starts_at')::timestamptz, (of_row ->> 'ends_at')::timestamptz);
  end if;
  if holder is not null then
    perform private.reject('conflict', format('Another %s has this name.', kind), 'name', 'is taken',
                           jsonb_build_object('existing_id', holder));
  end if;
end
$$;

comment on function private.expect_valid(text, jsonb, jsonb) is 'Rejects a record (before the change: old_row) whose members contradict each other or are taken.';

create function private.set_members(kind text, id uuid, body jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  of_table  constant name := private.managed_table(kind);
  changes   constant text := (
    select string_agg(format('%1$I = (jsonb_populate_record(r, $3)).%1$I', m), ', ')
    from private.managed_kinds k, unnest(k.members) as m where k.kind = set_members.kind and body ? m);
begin
  if changes is not null then
    execute format('update public.%I r set %s where r.tenant_id = $1 and r.id = $2', of_table, changes) using app.tenant_id(), id, body;
  end if;
  if kind = 'mission' and body ? 'codes' then
    perform private.set_codes(id, body -> 'codes');
  end if;
end
$$;

comment on function private.set_members(text, uuid, jsonb) is 'Sets the members of a record that the body has.';

create function private.expect_automation_scopes(automation jsonb, caller jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  record constant text := split_part(automation ->> 'event', '.', 1);
begin
  -- An automation acts without a token later, so its author needs the scopes of its actions.
  perform private.expect_own_scopes(
    array[case record when 'lead' then 'read:leads' when 'deal' then 'read:deals' else 'read:users' end]
    || array(select distinct case when a ->> 'type' = 'award_points' then 'manage:gamification' when record = 'deal' then 'write:deals' else 'write:leads' end
             from jsonb_array_elements(automation -> 'actions') as a),
    caller, 'An automation can only do what your own token may do.');
end
$$;

comment on function private.expect_automation_scopes(jsonb, jsonb) is
  'Rejects an automation whose event the caller may not read, or whose actions it may not do.';

create function manage.create_record(kind text, body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own      constant uuid := app.tenant_id();
  of_table constant name := private.managed_table(kind);
  given    jsonb := case kind when 'automation' then '{"conditions": [], "active": true}' else '{}'::jsonb end || body;
  new_id   uuid;
begin
  if kind = 'automation' then
    perform private.expect_automation_scopes(given, caller);
  end if;
  given := private.resolve_body(kind, given, caller);
  perform private.check_record_limit('public.' || quote_ident(of_table), 'true', 500, replace(of_table, '_', ' '));
  perform private.expect_valid(kind, given);
  execute format(
    'insert into public.%1$I (tenant_id, %2$s) select $1, %2$s from jsonb_populate_record(null::public.%1$I, $2) returning id', of_table,
    (select string_agg(quote_ident(m), ', ') from private.managed_kinds k, unnest(k.members) as m where k.kind = create_record.kind and given ? m))
    into new_id using own, given;
  if kind = 'mission' and given ? 'codes' then
    perform private.set_codes(new_id, given -> 'codes');
  end if;
  return private.admin_record(kind, new_id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.create_record(text, jsonb, jsonb) is 'Creates a record and returns it.';

create function manage.update_record(kind text, ref text, body jsonb, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own      constant uuid := app.tenant_id();
  own_id   constant uuid := private.managed_id(kind, ref);
  of_table constant name := private.managed_table(kind);
  given    jsonb;
  of_row   jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('room public.' || of_table || own, 0));
  execute format('select to_jsonb(r) from public.%I r where r.tenant_id = $1 and r.id = $2 for update', of_table) into of_row using own, own_id;
  if of_row is null then
    -- Another request deleted it while this one waited for the lock.
    perform private.reject_unknown(kind, ref, null, null);
  end if;
  perform private.expect_version(versions, private.admin_record(kind, own_id));
  -- The scopes come first: what a caller may not do tells it nothing about the names that there are.
  if kind = 'automation' and body <> '{"active": false}' then
    perform private.expect_automation_scopes(of_row || body, caller);
  end if;
  given := private.resolve_body(kind, body, caller);
  perform private.expect_valid(kind, of_row || given, of_row);
  perform private.set_members(kind, own_id, given);
  return private.admin_record(kind, own_id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.update_record(text, text, jsonb, jsonb, jsonb) is 'Changes the members of a record that the body has, and returns the record.';

create function manage.delete_record(kind text, ref text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own     constant uuid := app.tenant_id();
  own_id  constant uuid := private.managed_id(kind, ref);
  kept    constant text := (select k.kept from private.managed_kinds k where k.kind = delete_record.kind);
  is_kept boolean;
begin
  execute format('select true from public.%I r where r.tenant_id = $1 and r.id = $2 for update', private.managed_table(kind)) into is_kept using own, own_id;
  if is_kept is null then
    perform private.reject_unknown(kind, ref, null, null);
  end if;
  perform private.expect_version(versions, private.admin_record(kind, own_id));
  is_kept := case kind
    when 'mission'   then exists (select from public.point_entries e where e.tenant_id = own and e.mission_id = own_id)
    when 'badge'     then exists (select from public.earned_badges e where e.tenant_id = own and e.badge_id = own_id)
    when 'challenge' then exists (select from public.completed_challenges c where c.tenant_id = own and c.challenge_id = own_id)
    when 'stage'     then exists (select from public.deals d where d.tenant_id = own and d.stage_id = own_id)
    else false
  end;
  if is_kept then
    perform private.reject('conflict', kept);
  elsif kind = 'mission' then
    perform private.set_codes(own_id, '[]');
  end if;
  begin
    execute format('delete from public.%I r where r.tenant_id = $1 and r.id = $2', private.managed_table(kind)) using own, own_id;
  exception when foreign_key_violation then
    -- Another request began to use it after the check above.
    perform private.reject('conflict', kept);
  end;
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.delete_record(text, text, jsonb) is 'Deletes a record that nothing else needs.';

-- Administration by the API: activity codes, point rules, players, corrections of points, and activities.

-- Activity codes --------------------------------------------------------------------------------------------------------

create view manage.activity_codes as
  select c.code as name, c.last_received_at as created_at, c.mapped, r.record, private.version_of(r.record, '{activities,last_received_at}') as version
  from (
    select coalesce(mc.code, a.code) as code, mc.mission_id is not null as mapped, mc.mission_id, coalesce(a.activities, 0) as activities, a.last_received_at
    from (select m.code, m.mission_id from public.mission_codes m where m.tenant_id = (select app.tenant_id())) as mc
    full join (
      select s.activity_code as code, count(*) as activities, max(s.created_at) as last_received_at
      from public.activities s where s.tenant_id = (select app.tenant_id()) and s.voided_at is null group by s.activity_code
    ) as a on a.code = mc.code
  ) as c
  left join public.missions m on m.tenant_id = (select app.tenant_id()) and m.id = c.mission_id
  cross join lateral (select json_build_object(
    'code', c.code, 'mission', case when c.mapped then json_build_object('id', m.id, 'name', m.name) end,
    'activities', c.activities, 'last_received_at', private.format_utc(c.last_received_at)) as record) as r;

comment on view manage.activity_codes is 'Activity codes of the tenant that are mapped or were sent.';

create function manage.list_activity_codes(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'activity_codes',
    $c$($1 ->> 'search' is null or strpos(v.name, $1 ->> 'search') > 0) and ($1 ->> 'mapped' is null or v.mapped = ($1 ->> 'mapped')::boolean)$c$,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc nulls last, v.name' else ' nulls first, v.name' end,
    page)
$$;

comment on function manage.list_activity_codes(jsonb) is 'A page of activity codes; page as in manage.list_records, with mapped.';

create function private.admin_code(code text) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select jsonb_build_object('record', v.record, 'version', v.version) from manage.activity_codes v where v.name = code),
    (select jsonb_build_object('record', r, 'version', private.version_of(r, '{activities,last_received_at}'))
     from json_build_object('code', code, 'mission', null, 'activities', 0, 'last_received_at', null) as r))
$$;

comment on function private.admin_code(text) is 'An activity code as the admin API shows it, with its version.';

create function manage.read_activity_code(code text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_code(code) $$;

comment on function manage.read_activity_code(text) is 'Reads an activity code, which may be neither mapped nor sent.';

create function manage.map_activity_code(code text, mission text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('code ' || code || app.tenant_id(), 0));
  perform private.expect_version(versions, private.admin_code(code));
  perform private.map_activity_code(app.tenant_id(), code, private.managed_id('mission', mission, 'mission'));
  return private.admin_code(code) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.map_activity_code(text, text, jsonb) is 'Maps an activity code to a mission (id or name).';

create function manage.unmap_activity_code(code text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('code ' || code || app.tenant_id(), 0));
  perform private.expect_version(versions, private.admin_code(code));
  if not exists (select from public.mission_codes mc where mc.tenant_id = app.tenant_id() and mc.code = unmap_activity_code.code) then
    perform private.reject('not_found', 'The activity code is not mapped to a mission.');
  end if;
  perform private.unmap_activity_code(app.tenant_id(), code);
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.unmap_activity_code(text, jsonb) is 'Unmaps an activity code.';

-- Point rules -----------------------------------------------------------------------------------------------------------

create view manage.point_rules as
  select p.id, p.event as name, p.created_at, r.record, private.version_of(r.record) as version
  from public.point_rules p
  left join public.pipeline_stages s on s.tenant_id = p.tenant_id and s.id = p.stage_id
  cross join lateral (select json_build_object(
    'id', p.id, 'event', p.event, 'points', p.points,
    'stage', case when s.id is not null then json_build_object('id', s.id, 'name', s.name) end,
    'max_per_day', p.max_per_day, 'created_at', private.format_utc(p.created_at)) as record) as r
  where p.tenant_id = (select app.tenant_id());

comment on view manage.point_rules is 'Point rules of the tenant as the admin API shows them.';

create function private.admin_rule(id uuid) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.point_rules v where v.id = admin_rule.id $$;

comment on function private.admin_rule(uuid) is 'A point rule as the admin API shows it, with its version.';

create function manage.list_point_rules(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'point_rules', $c$($1 ->> 'search' is null or strpos(v.name, $1 ->> 'search') > 0)$c$,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_point_rules(jsonb) is 'A page of point rules; page as in manage.list_records.';

create function manage.read_point_rule(id uuid) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  shown constant jsonb := private.admin_rule(id);
begin
  if shown is null then
    perform private.reject_unknown('point_rule', id::text, null, null);
  end if;
  return shown;
end
$$;

comment on function manage.read_point_rule(uuid) is 'Reads a point rule.';

create function manage.set_point_rule(body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  stage  uuid;
  rule   uuid;
  is_new boolean;
begin
  if body ->> 'stage' is not null then
    if body ->> 'event' <> 'deal.stage_changed' then
      perform private.reject('validation', 'Fix these fields.', 'stage', 'is only allowed with the event deal.stage_changed');
    end if;
    stage := private.managed_id('stage', body ->> 'stage', 'stage');
    perform from public.pipeline_stages s where s.tenant_id = own and s.id = stage for key share;
    if not found then
      -- Another request deleted it while this one waited for the lock: names the stages that are left.
      perform private.managed_id('stage', stage::text, 'stage');
    end if;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('room public.point_rules' || own, 0));
  select r.id into rule from public.point_rules r
  where r.tenant_id = own and r.event = body ->> 'event' and r.stage_id is not distinct from stage for update;
  perform private.expect_version(versions, private.admin_rule(rule));
  if rule is null then
    perform private.check_record_limit('public.point_rules', 'true', 500, 'point rules');
  end if;
  perform set_config('manage.status', case when rule is null then '201' else '200' end, true);
  is_new := rule is null;
  rule := admin.set_point_rule(own, body ->> 'event', (body ->> 'points')::integer, stage, (body ->> 'max_per_day')::integer);
  return private.admin_rule(rule) || jsonb_build_object('summary', private.last_summary(), 'made', is_new);
end
$$;

comment on function manage.set_point_rule(jsonb, jsonb) is 'Creates or changes the rule of an event and stage.';

create function manage.delete_point_rule(id uuid, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from public.point_rules r where r.tenant_id = app.tenant_id() and r.id = delete_point_rule.id for update;
  perform private.expect_version(versions, manage.read_point_rule(id));
  delete from public.point_rules r where r.tenant_id = app.tenant_id() and r.id = delete_point_rule.id;
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.delete_point_rule(uuid, jsonb) is 'Deletes a point rule; the points that it awarded stay.';

-- Players and corrections -----------------------------------------------------------------------------------------------

create view manage.players as
  select p.id, coalesce(u.name, c.name, p.email) as name, p.created_at, p.total_points, json_build_object(
    'user_id', u.id, 'collaborator_id', c.id, 'name', coalesce(u.name, c.name), 'email', p.email, 'points', p.total_points,
    'position', case when not p.opted_out_of_rankings then (
      select 1 + count(*) from public.players o
      where o.tenant_id = p.tenant_id and not o.opted_out_of_rankings and o.total_points > p.total_points) end,
    'opted_out', p.opted_out_of_rankings) as record, p.email
  from public.players p
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u         on u.tenant_id = p.tenant_id and u.player_id = p.id
  where p.tenant_id = (select app.tenant_id()) and (c.id is not null or u.id is not null);

comment on view manage.players is 'Players of the tenant: users and collaborators with their points.';

create function manage.list_players(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'players',
    private.search_in('concat_ws(chr(10), v.name, v.email)', page),
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_players(jsonb) is 'A page of players; page as in manage.list_records.';

create function private.find_player_by_email(email text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  player uuid;
begin
  -- A row of players can outlast its user and collaborator.
  select v.id into player from manage.players v where v.email = lower(btrim(find_player_by_email.email));
  if not found then
    perform private.reject_unknown('player', email, 'email', array(select v.email from manage.players v order by v.email limit 21));
  end if;
  return player;
end
$$;

comment on function private.find_player_by_email(text) is 'The player with this email address. Rejects unknown ones.';

create function manage.set_opt_out(email text, opted_out boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  player constant uuid := private.find_player_by_email(email);
  shown  jsonb;
begin
  perform private.set_ranking_opt_out(app.tenant_id(), email, opted_out);
  select v.record into shown from manage.players v where v.id = player;
  if not found then
    -- Another request removed the person in the meantime.
    perform private.find_player_by_email(email);
  end if;
  return jsonb_build_object('record', shown, 'summary', private.last_summary());
end
$$;

comment on function manage.set_opt_out(text, boolean) is 'Hides a player from standings, or shows them again.';

create function manage.adjust_points(email text, points integer, reason text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  player constant uuid := private.find_player_by_email(email);
  entry  constant bigint := admin.adjust_points(app.tenant_id(), email, points, reason);
begin
  return (
    select jsonb_build_object('record', json_build_object(
             'entry_id', entry, 'email', p.email, 'points', adjust_points.points, 'reason', adjust_points.reason, 'total_points', p.total_points),
           'summary', private.last_summary())
    from public.players p where p.tenant_id = app.tenant_id() and p.id = player);
end
$$;

comment on function manage.adjust_points(text, integer, text) is 'Adds points to a player, or deducts them.';

create view manage.activities as
  select a.id, a.external_id as name, a.created_at, a.external_id, c.email, a.activity_code, a.voided_at is not null as voided,
         json_build_object(
           'external_id', a.external_id, 'email', c.email, 'code', a.activity_code, 'created_at', private.format_utc(a.created_at),
           'voided_at', private.format_utc(a.voided_at), 'void_reason', a.void_reason) as record
  from public.activities a
  join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id
  where a.tenant_id = (select app.tenant_id());

comment on view manage.activities is 'Activities of activity sync of the tenant.';

create function manage.list_activities(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'activities',
    -- Only the conditions of filters that were sent, so that an index serves each of them.
    'true'
      || case when page ? 'search' then $c$ and strpos(v.external_id, $1 ->> 'search') > 0$c$ else '' end
      || case when page ? 'external_id' then $c$ and v.external_id = $1 ->> 'external_id'$c$ else '' end
      || case when page ? 'email' then $c$ and v.email = lower(btrim($1 ->> 'email'))$c$ else '' end
      || case when page ? 'code' then $c$ and v.activity_code = $1 ->> 'code'$c$ else '' end
      || case when page ? 'voided' then $c$ and v.voided = ($1 ->> 'voided')::boolean$c$ else '' end,
    case page ->> 'sort' when 'name' then 'v.external_id' else 'v.id' end || case when (page ->> 'descending')::boolean then ' desc' else '' end,
    page)
$$;

comment on function manage.list_activities(jsonb) is 'A page of activities; page as in manage.list_records, with external_id, email, code and voided.';

create function manage.void_activity(external_id text, reason text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (select from public.activities a where a.tenant_id = app.tenant_id() and a.external_id = void_activity.external_id) then
    perform private.reject('unprocessable', 'The request refers to something that does not exist.', 'external_id', 'is not an activity of this workspace');
  end if;
  perform private.void_activity(app.tenant_id(), external_id, reason);
  return (
    select jsonb_build_object('record', v.record, 'summary', private.last_summary())
    from manage.activities v where v.external_id = void_activity.external_id);
end
$$;

comment on function manage.void_activity(text, text) is 'Voids an activity and reverses its points; voiding it again changes nothing.';

-- Administration by the API: settings, plan, the request log and the audit trail.

-- Settings and plan -----------------------------------------------------------------------------------------------------

create function private.admin_settings() returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('record', r.record, 'version', private.version_of(r.record))
  from public.tenants t
  join public.plans p on p.name = t.plan
  cross join lateral (select json_build_object(
    'id', t.id, 'slug', t.slug, 'name', t.name, 'time_zone', t.time_zone, 'language', t.language, 'owner_email', t.owner_email,
    'nfse_cancellation_hours', t.nfse_cancellation_hours, 'plan', t.plan, 'environment', app.environment(),
    'webhook_limits', json_build_object('webhooks', p.max_webhooks, 'webhooks_per_host', p.max_webhooks_per_host)) as record) as r
  where t.id = app.tenant_id()
$$;

comment on function private.admin_settings() is 'The settings of the tenant as the admin API shows them, with their version.';

create function manage.read_settings() returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_settings() $$;

comment on function manage.read_settings() is 'Reads the settings of the tenant.';

create function manage.update_settings(body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from public.tenants t where t.id = app.tenant_id() for no key update;
  perform private.expect_version(versions, private.admin_settings());
  update public.tenants t
  set name = given.name, time_zone = given.time_zone, language = given.language, owner_email = given.owner_email,
      nfse_cancellation_hours = given.nfse_cancellation_hours
  from public.tenants old
  cross join lateral jsonb_populate_record(old, body) as given
  where t.id = app.tenant_id() and old.id = t.id;
  return private.admin_settings() || jsonb_build_object('summary', private.last_summary());
exception when invalid_parameter_value then
  perform private.reject('validation', 'Fix these fields.', 'time_zone', 'must be a time zone of the IANA database, such as America/Sao_Paulo');
end
$$;

comment on function manage.update_settings(jsonb, jsonb) is 'Changes settings of the tenant.';

create function manage.read_plan() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('record', json_build_object(
    'name', p.name,
    'users', json_build_object('used', (select count(*) from public.users u where u.tenant_id = t.id and u.status <> 'deactivated'), 'max', p.max_users),
    'webhooks', json_build_object('used', (select count(*) from public.webhook_endpoints w where w.tenant_id = t.id), 'max', p.max_webhooks),
    'invitation_mails', json_build_object(
      'used', (select count(*) from private.invitation_mails m where m.tenant_id = t.id and m.sent_at > now() - interval '1 day'),
      'max', p.max_invitation_mails_per_day),
    'requests_per_minute', p.requests_per_minute))
  from public.tenants t join public.plans p on p.name = t.plan
  where t.id = app.tenant_id()
$$;

comment on function manage.read_plan() is 'The plan of the tenant and how much of it is used.';

create function manage.list_plans() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('records', jsonb_agg(jsonb_build_object(
    'name', p.name, 'requests_per_minute', p.requests_per_minute, 'users', p.max_users, 'webhooks', p.max_webhooks,
    'invitation_mails', p.max_invitation_mails_per_day) order by p.requests_per_minute, p.name))
  from public.plans p
$$;

comment on function manage.list_plans() is 'All plans with their limits; null is no limit.';

-- Automations: their runs ---------------------------------------------------------------------------------------------

create view manage.automation_runs as
  select r.id, e.type as name, r.created_at, r.automation_id, json_build_object(
    'id', r.id::text, 'event_id', r.event_id, 'event', e.type, 'depth', e.depth, 'matched', r.matched, 'outcome', r.outcome,
    'actions', r.actions, 'error', r.error, 'created_at', private.format_utc(r.created_at)) as record
  from public.automation_runs r
  join public.events e on e.tenant_id = r.tenant_id and e.id = r.event_id
  where r.tenant_id = (select app.tenant_id());

comment on view manage.automation_runs is 'Runs of the tenant''s automations.';

create function manage.list_automation_runs(ref text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'automation_runs',
    format('v.automation_id = %L', private.managed_id('automation', ref))
      || case when page ? 'search' then $c$ and strpos(v.name, $1 ->> 'search') > 0$c$ else '' end,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu", v.id' else 'v.id' end || case when (page ->> 'descending')::boolean then ' desc' else '' end,
    page)
$$;

comment on function manage.list_automation_runs(text, jsonb) is 'A page of the runs of an automation; page as in manage.list_records.';

-- Logs ----------------------------------------------------------------------------------------------------------------

create function private.cursor_of(at timestamptz, key text) returns text
language sql immutable
set search_path = ''
as $$ select translate(encode(convert_to(extract(epoch from at)::text || ' ' || key, 'UTF8'), 'base64'), E'+/=\n', '-_') $$;

comment on function private.cursor_of(timestamptz, text) is 'The cursor after the entry of a log with this time and key.';

create function private.read_cursor(cursor text, out at timestamptz, out key text)
language plpgsql immutable
set search_path = ''
as $$
declare
  parts text[];
begin
  if cursor is null then
    return;
  end if;
  parts := regexp_match(
    convert_from(decode(rpad(translate(cursor, '-_', '+/'), (length(cursor) + 3) / 4 * 4, '='), 'base64'), 'UTF8'), '^(\d{1,12}\.?\d{0,6}) (.*)$');
  if parts is null then
    raise exception 'malformed' using errcode = 'invalid_parameter_value';
  end if;
  at := to_timestamp(parts[1]::numeric);
  key := parts[2];
exception when others then
  perform private.reject('validation', 'Fix these query parameters.', 'after', 'is not a cursor of this list');
end
$$;

comment on function private.read_cursor(text) is 'The time and key of a cursor; nulls for null. Rejects malformed ones.';

-- A plan for all combinations of filters cannot use the index of one of them, so a request id would be searched in the whole log.
create function manage.list_requests(filters jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = 'force_custom_plan'
as $$
declare
  own    constant uuid        := app.tenant_id();
  by_id  constant boolean     := filters ? 'request_id';
  ends   constant timestamptz := coalesce(private.moment_of(own, 'to', filters ->> 'to'), case when by_id then 'infinity' else now() end);
  begins constant timestamptz := coalesce(private.moment_of(own, 'from', filters ->> 'from'), case when by_id then '-infinity' else ends - interval '24 hours' end);
  most   constant integer     := coalesce((filters ->> 'limit')::integer, 50);
  wanted constant text        := filters ->> 'status';
  caller constant text        := private.normalize_name(filters ->> 'caller');
  -- Paths begin with a slash.
  place  constant text        := regexp_replace(filters ->> 'path', '^/?', '/');
  names  constant boolean     := private.caller_has('{manage:access}');
  since  record;
  answer jsonb;
begin
  if not by_id and begins > ends then
    perform private.reject('validation', 'Fix these query parameters.', 'to', 'must not be before from');
  elsif not by_id and ends - begins > interval '31 days' then
    perform private.reject('validation', 'Fix these query parameters.', 'from', 'must be at most 31 days before to');
  end if;
  select * into since from private.read_cursor(filters ->> 'after');
  with entries as (
    select r.*, md5(r.request_id || r.at::text || r.path) as key, case when names then coalesce(c.label, k.label) end as label
    from public.request_log r
    left join public.api_keys k      on k.id = r.api_key_id
    left join public.oauth_clients c on c.client_id = r.client_id
    where r.tenant_id = own and r.at >= begins and r.at < ends
      and (since.at is null or r.at <= since.at)
      and (filters ->> 'request_id' is null or r.request_id = filters ->> 'request_id')
      and (wanted is null
           or case when wanted = 'failed' then r.status >= 400
                   when wanted like '%xx' then r.status / 100 = left(wanted, 1)::integer
                   else r.status = wanted::integer end)
      and (caller is null or filters ->> 'caller' in (r.client_id, r.api_key_id::text)
           or names and caller in (private.normalize_name(c.label), private.normalize_name(k.label)))
      and (filters ->> 'reason' is null or r.reason = filters ->> 'reason')
      and (filters ->> 'function' is null or r.function = filters ->> 'function')
      and (filters ->> 'method' is null or r.method = filters ->> 'method')
      and (place is null or starts_with(r.path, place))
  ), page as (
    select e.* from entries e
    where since.at is null or (e.at, e.key) < (since.at, since.key)
    order by e.at desc, e.key desc
    limit most + 1
  ), shown as (
    select * from page order by at desc, key desc limit most
  )
  select jsonb_build_object(
    'records', coalesce(jsonb_agg(json_build_object(
      'at', private.format_utc(s.at), 'request_id', s.request_id, 'function', s.function, 'method', s.method, 'path', s.path, 'status', s.status,
      'reason', s.reason, 'fields', coalesce(s.fields, '{}'), 'query', coalesce(s.query, '{}'),
      'caller', case when s.client_id is not null then json_build_object('kind', 'client', 'id', s.client_id, 'label', s.label)
                     when s.api_key_id is not null then json_build_object('kind', 'api_key', 'id', s.api_key_id, 'label', s.label) end,
      'ip', host(s.ip), 'duration_ms', s.duration_ms, 'requests', s.requests, 'remedy', private.remedy(s.status, s.reason)
    ) order by s.at desc, s.key desc), '[]'),
    'has_more', (select count(*) > most from page),
    'next_cursor', (select private.cursor_of(l.at, l.key) from shown l order by l.at, l.key limit 1))
  into answer from shown s;
  return answer;
end
$$;

comment on function manage.list_requests(jsonb) is 'A page of the request log, newest first, with what to do about each failure.';

create function manage.read_request(request_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer constant jsonb := manage.list_requests(jsonb_build_object('request_id', request_id, 'limit', 200));
begin
  if answer -> 'records' = '[]' then
    perform private.reject('not_found', 'There is no request with this id.');
  end if;
  return answer;
end
$$;

comment on function manage.read_request(text) is 'The requests with this id; callers may send an id twice.';

create function private.change_scopes() returns table (kind text, scopes text[])
language sql immutable
set search_path = ''
as $$
  select unnest(kinds), scopes from (values
    ('{api_key,client}'::text[], '{manage:access}'::text[]),
    ('{balance,cost_center,due_limit,payment_webhook,payout_approval_rule,provider_account,provider_route}', '{read:payments,manage:payments}'),
    ('{payout}', '{read:payments,manage:payments,approve:payouts}'),
    ('{lead}', '{read:leads}'),
    ('{player}', '{read:users,read:settings,manage:gamification}'),
    ('{webhook}', '{read:webhooks,write:webhooks}'),
    ('{automation}', '{read:settings,manage:automations}'),
    ('{stage,tenant}', '{read:settings,manage:workspace}'),
    ('{activity,activity_code,badge,challenge,mission,point_rule,season,tier}', '{read:settings,manage:gamification}')) as s (kinds, scopes)
$$;

comment on function private.change_scopes() is
  'Scopes of which one permits reading the content of a change, by kind of subject; kinds of the deployment and of persons have none.';

create function manage.list_changes(filters jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = 'force_custom_plan'
as $$
declare
  own    constant uuid        := app.tenant_id();
  ends   constant timestamptz := coalesce(private.moment_of(own, 'to', filters ->> 'to'), 'infinity');
  begins constant timestamptz := coalesce(private.moment_of(own, 'from', filters ->> 'from'), '-infinity');
  most   constant integer     := coalesce((filters ->> 'limit')::integer, 50);
  actor   constant text       := private.normalize_name(filters ->> 'actor');
  subject constant text       := private.normalize_name(filters ->> 'subject');
  cursor constant text        := (select c.key from private.read_cursor(filters ->> 'after') c);
  -- The rows of all changes are shown, but only with what the caller may also read elsewhere.
  hidden constant text[]      := array(select s.kind from private.change_scopes() s where not private.caller_has(s.scopes));
  names  constant boolean     := private.caller_has('{manage:access}');
  since  bigint;
  answer jsonb;
begin
  -- Cursors of other lists have another key.
  if cursor !~ '^\d{1,18}$' then
    perform private.reject('validation', 'Fix these query parameters.', 'after', 'is not a cursor of this list');
  end if;
  since := cursor;
  with page as (
    select c.* from public.admin_changes c
    where c.tenant_id = own and c.at >= begins and c.at < ends and (since is null or c.id < since)
      and (filters ->> 'id' is null or c.id = (filters ->> 'id')::bigint)
      and (filters ->> 'act' is null or c.act = filters ->> 'act'
           or (filters ->> 'act' like '%.*' and starts_with(c.act, left(filters ->> 'act', -1))))
      and (actor is null or filters ->> 'actor' = c.actor_id or actor = private.normalize_name(c.actor_name) and (names or c.actor_kind not in ('client', 'api_key')))
      and (subject is null or filters ->> 'subject' in (c.subject_kind, c.subject_id)
           or subject = private.normalize_name(c.subject_name) and c.subject_kind <> all (hidden))
      and (filters ->> 'via' is null or c.via = filters ->> 'via')
      and (filters ->> 'request_id' is null or c.request_id = filters ->> 'request_id')
    order by c.id desc
    limit most + 1
  ), shown as (
    select p.*, p.subject_kind <> all (hidden) as is_shown from page p order by p.id desc limit most
  )
  select jsonb_build_object(
    'records', coalesce(jsonb_agg(json_build_object(
      'id', s.id::text, 'at', private.format_utc(s.at), 'transaction', s.transaction::text, 'via', s.via,
      'actor', json_build_object('kind', s.actor_kind, 'id', s.actor_id, 'name', case when names or s.actor_kind not in ('client', 'api_key') then s.actor_name end),
      'on_behalf_of', s.on_behalf_of, 'program', s.program, 'act', s.act,
      'subject', json_build_object('kind', s.subject_kind, 'id', s.subject_id, 'name', case when s.is_shown then s.subject_name end),
      'before', case when s.is_shown then s.before end, 'after', case when s.is_shown then s.after end,
      'reason', case when s.is_shown then s.reason end,
      'summary', case when s.is_shown then s.summary else (
        select format('Reading this change needs the scope %s.', array_to_string(c.scopes, ' or '))
        from private.change_scopes() c where c.kind = s.subject_kind) end,
      'request_id', s.request_id
    ) order by s.id desc), '[]'),
    'has_more', (select count(*) > most from page),
    'next_cursor', (select private.cursor_of(l.at, l.id::text) from shown l order by l.id limit 1))
  into answer from shown s;
  return answer;
end
$$;

comment on function manage.list_changes(jsonb) is 'A page of the audit trail of the tenant, newest first.';

create function manage.read_change(id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  found jsonb;
begin
  if id ~ '^\d{1,18}$' then
    found := manage.list_changes(jsonb_build_object('id', id)) -> 'records' -> 0;
  end if;
  if found is null then
    perform private.reject('not_found', 'There is no change with this id.');
  end if;
  return jsonb_build_object('record', found);
end
$$;

comment on function manage.read_change(text) is 'Reads one change of the audit trail.';

-- Administration by the API: API keys and OAuth clients. A caller can only give scopes that it has itself.

create function private.expect_own_scopes(
  scopes text[], given jsonb, message text default 'You can only grant scopes that your own token has.') returns void
language plpgsql
set search_path = ''
as $$
declare
  -- A token may say more than its client has currently.
  own     constant text[] := private.with_implied_scopes(array(select jsonb_array_elements_text(given -> 'scopes')));
  current constant text[] := private.with_implied_scopes((select c.scopes from public.oauth_clients c where c.client_id = given ->> 'client_id'));
  missing text[];
begin
  select array_agg(distinct s order by s) into missing
  from unnest(scopes) as s where not (s = any (own) and s = any (current));
  if missing is not null then
    raise exception 'insufficient_scope' using errcode = 'PL434', detail = jsonb_build_object(
      'message', message, 'scopes', missing,
      'details', (select jsonb_agg(jsonb_build_object('field', 'scopes', 'message', format('this token lacks the scope %s', m))) from unnest(missing) as m));
  end if;
end
$$;

comment on function private.expect_own_scopes(text[], jsonb, text) is
  'Rejects scopes that the caller (scopes of its token, client_id) does not have itself.';

create function private.networks_of(list jsonb) returns cidr[]
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select n into wrong from jsonb_array_elements_text(list) as n where not pg_input_is_valid(n, 'cidr') limit 1;
  if found then
    perform private.reject('validation', 'Fix these fields.', 'ip_allowlist',
                           format('"%s" is not an IP address or network, such as 203.0.113.7 or 2001:db8::/32', left(wrong, 50)));
  end if;
  return array(select n::cidr from jsonb_array_elements_text(list) as n);
end
$$;

comment on function private.networks_of(jsonb) is 'IP addresses and networks of an allowlist. Rejects malformed ones.';

create function private.scopes_for_key(scopes text[]) returns text[]
language sql immutable
set search_path = ''
as $$
  select array(select case s when 'payments:read' then 'read:payments' when 'payments:write' then 'manage:payments'
                             when 'default:sync' then 'manage:gamification' else s end from unnest(scopes) as s)
$$;

comment on function private.scopes_for_key(text[]) is 'The scopes of clients that correspond to scopes of API keys.';

-- API keys --------------------------------------------------------------------------------------------------------------

create view manage.api_keys as
  select k.id, k.label as name, k.created_at, r.record, private.version_of(r.record, '{last_used_at,state}') as version
  from public.api_keys k
  cross join lateral (select json_build_object(
    'id', k.id, 'label', k.label, 'key_start', k.key_start, 'scopes', k.scopes, 'requests_per_hour', k.requests_per_hour,
    'ip_allowlist', array(select case when masklen(n) = case family(n) when 4 then 32 else 128 end then host(n) else n::text end from unnest(k.ip_allowlist) as n),
    'expires_at', private.format_utc(k.expires_at),
    'state', case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'active' end,
    'last_used_at', private.format_utc(k.last_used_at), 'created_at', private.format_utc(k.created_at)) as record) as r
  where k.tenant_id = (select app.tenant_id());

comment on view manage.api_keys is 'API keys of the tenant as the admin API shows them, without secrets.';

create view manage.oauth_clients as
  select c.id, c.client_id, c.label as name, c.created_at, r.record, private.version_of(r.record) as version
  from public.oauth_clients c
  left join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
  cross join lateral (select json_build_object(
    'client_id', c.client_id, 'label', c.label, 'scopes', c.scopes, 'variant', c.variant,
    'user', case when u.id is not null then json_build_object('id', u.id, 'email', u.email) end,
    'state', case when c.revoked_at is not null then 'revoked' else 'active' end,
    'created_at', private.format_utc(c.created_at)) as record) as r
  where c.tenant_id = (select app.tenant_id());

comment on view manage.oauth_clients is 'OAuth clients of the tenant as the admin API shows them, without secrets.';

create function manage.list_access(of_view text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    case of_view when 'api_keys' then 'api_keys' else 'oauth_clients' end,
    private.search_in('v.name', page),
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_access(text, jsonb) is 'A page of api_keys or oauth_clients; page as in manage.list_records.';

create function private.key_id_of(ref text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  wanted constant text := private.normalize_name(ref);
  ids    uuid[];
begin
  select array_agg(k.id) into ids from public.api_keys k where k.tenant_id = app.tenant_id() and k.id::text = wanted;
  if ids is null then
    select array_agg(k.id) into ids from public.api_keys k
    where k.tenant_id = app.tenant_id() and k.revoked_at is null and private.normalize_name(k.label) = wanted;
  end if;
  if ids is null then
    perform private.reject('not_found', 'There is no API key with this id or label.');
  elsif cardinality(ids) > 1 then
    perform private.reject('conflict', 'Several API keys have this label. Use an id.', extra => jsonb_build_object('ids', to_jsonb(ids)));
  end if;
  return ids[1];
end
$$;

comment on function private.key_id_of(text) is 'The API key with this id, or the one with this label that is not revoked.';

create function private.lock_api_key(ref text) returns public.api_keys
language plpgsql
set search_path = ''
as $$
declare
  own_id constant uuid := private.key_id_of(ref);
  found  public.api_keys;
begin
  select * into found from public.api_keys k where k.id = own_id for update;
  return found;
end
$$;

comment on function private.lock_api_key(text) is 'Locks and returns the API key with this id or label.';

create function private.admin_api_key(id uuid) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.api_keys v where v.id = admin_api_key.id $$;

comment on function private.admin_api_key(uuid) is 'An API key as the admin API shows it, with its version.';

create function manage.read_api_key(ref text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_api_key(private.key_id_of(ref)) $$;

comment on function manage.read_api_key(text) is 'Reads an API key by id or label.';

create function manage.create_api_key(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  scopes constant text[] := array(select jsonb_array_elements_text(body -> 'scopes'));
  made   record;
begin
  perform private.expect_own_scopes(private.scopes_for_key(scopes), caller),
          private.check_record_limit('public.api_keys', 'r.revoked_at is null and coalesce(r.expires_at > now(), true)', 100, 'API keys in use');
  select * into made from admin.create_api_key(
    tenant_id => app.tenant_id(), label => body ->> 'label', scopes => scopes,
    requests_per_hour => coalesce((body ->> 'requests_per_hour')::integer, 1000),
    ip_allowlist => private.networks_of(coalesce(body -> 'ip_allowlist', '[]')),
    expires_at => private.moment_of(app.tenant_id(), 'expires_at', body ->> 'expires_at'));
  return jsonb_set(private.admin_api_key(made.id), '{record,api_key}', to_jsonb(made.api_key)) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.create_api_key(jsonb, jsonb) is 'Creates an API key, which the answer shows once.';

create function manage.update_api_key(ref text, body jsonb, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old    constant public.api_keys := private.lock_api_key(ref);
  wanted constant text[] := case when body ? 'scopes' then array(select jsonb_array_elements_text(body -> 'scopes')) else old.scopes end;
  ends   constant timestamptz := case when body ? 'expires_at' then private.moment_of(app.tenant_id(), 'expires_at', body ->> 'expires_at')
                                      else old.expires_at end;
begin
  perform private.expect_version(versions, private.admin_api_key(old.id)), private.expect_own_scopes(private.scopes_for_key(old.scopes || wanted), caller);
  if old.revoked_at is not null then
    perform private.reject('conflict', 'The API key is revoked. Create another one.', extra => '{"state": "revoked"}');
  elsif coalesce(ends, 'infinity') > coalesce(old.expires_at, 'infinity') then
    -- An expired key, or one that was rotated, works again or longer.
    perform private.check_record_limit('public.api_keys', format('r.revoked_at is null and coalesce(r.expires_at > now(), true) and r.id <> %L', old.id),
                                100, 'other API keys in use');
  end if;
  update public.api_keys k set
    label = coalesce(body ->> 'label', k.label), scopes = wanted,
    requests_per_hour = coalesce((body ->> 'requests_per_hour')::integer, k.requests_per_hour),
    ip_allowlist = case when body ? 'ip_allowlist' then private.networks_of(body -> 'ip_allowlist') else k.ip_allowlist end,
    expires_at = ends
  where k.id = old.id;
  return private.admin_api_key(old.id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.update_api_key(text, jsonb, jsonb, jsonb) is 'Changes an API key.';

create function manage.revoke_api_key(ref text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  key constant public.api_keys := private.lock_api_key(ref);
begin
  perform private.expect_version(versions, private.admin_api_key(key.id)), private.revoke_api_key(key.id);
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.revoke_api_key(text, jsonb) is 'Revokes an API key; again, nothing changes.';

create function manage.rotate_api_key(ref text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old  constant public.api_keys := private.lock_api_key(ref);
  made record;
begin
  perform private.expect_version(versions, private.admin_api_key(old.id)), private.expect_own_scopes(private.scopes_for_key(old.scopes), caller);
  if old.revoked_at is not null or old.expires_at <= now() then
    perform private.reject('conflict', format('The API key is %s. Create another one.', case when old.revoked_at is null then 'expired' else 'revoked' end),
                           extra => jsonb_build_object('state', case when old.revoked_at is null then 'expired' else 'revoked' end));
  end if;
  begin
    perform private.expect_rotatable(old);
  exception when invalid_parameter_value then
    perform private.reject('conflict', substr(sqlerrm, strpos(sqlerrm, ': ') + 2) || '.', extra => '{"state": "rotated"}');
  end;
  -- Each of the 100 keys can be replaced at once, and the old ones work for another day.
  perform private.check_record_limit('public.api_keys', 'r.revoked_at is null and coalesce(r.expires_at > now(), true)', 200, 'API keys in use');
  select * into made from admin.rotate_api_key(old.id);
  return jsonb_set(private.admin_api_key(made.id), '{record,api_key}', to_jsonb(made.api_key)) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.rotate_api_key(text, jsonb, jsonb) is 'Replaces an API key; the old one expires in 24 hours.';

-- OAuth clients ---------------------------------------------------------------------------------------------------------

create function private.client_id_of(ref text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  found public.oauth_clients[];
begin
  select array_agg(c) into found from public.oauth_clients c where c.tenant_id = app.tenant_id() and c.client_id = btrim(ref);
  if found is null then
    select array_agg(c) into found from public.oauth_clients c
    where c.tenant_id = app.tenant_id() and c.revoked_at is null and private.normalize_name(c.label) = private.normalize_name(ref);
  end if;
  if found is null then
    perform private.reject('not_found', 'There is no OAuth client with this client_id or label.');
  elsif cardinality(found) > 1 then
    perform private.reject('conflict', 'Several OAuth clients have this label. Use a client_id.',
                           extra => jsonb_build_object('ids', (select jsonb_agg(c.client_id) from unnest(found) as c)));
  end if;
  return found[1].id;
end
$$;

comment on function private.client_id_of(text) is 'The id of the OAuth client with this client id, or of the one with this label that is not revoked.';

create function private.lock_oauth_client(ref text) returns public.oauth_clients
language plpgsql
set search_path = ''
as $$
declare
  own_id constant uuid := private.client_id_of(ref);
  found  public.oauth_clients;
begin
  select * into found from public.oauth_clients c where c.id = own_id for update;
  return found;
end
$$;

comment on function private.lock_oauth_client(text) is 'Locks and returns the OAuth client with this client id or label.';

create function private.admin_client(id uuid) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.oauth_clients v where v.id = admin_client.id $$;

comment on function private.admin_client(uuid) is 'An OAuth client as the admin API shows it, with its version.';

create function manage.read_client(ref text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_client(private.client_id_of(ref)) $$;

comment on function manage.read_client(text) is 'Reads an OAuth client by client id or label.';

create function private.lock_user(ref text, caller jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  found uuid;
begin
  if ref is null then
    return null;
  end if;
  perform private.expect_own_scopes('{read:users}', caller, 'Naming a user also requires read:users.');
  select u.id into found from public.users u
  where u.tenant_id = app.tenant_id() and (u.id::text = lower(btrim(ref)) or lower(u.email) = lower(btrim(ref)))
  for key share;
  if found is null then
    perform private.reject_unknown('user', ref, 'user', array(
      select u.email from public.users u where u.tenant_id = app.tenant_id() order by u.email limit 21));
  end if;
  return found;
end
$$;

comment on function private.lock_user(text, jsonb) is 'Locks the user with this id or email address against deletion and returns its id; null for null. The caller must be able to read users.';

create function manage.create_client(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  scopes constant text[] := array(select jsonb_array_elements_text(body -> 'scopes'));
  made   record;
begin
  perform private.expect_own_scopes(scopes, caller), private.check_record_limit('public.oauth_clients', 'r.revoked_at is null', 100, 'OAuth clients in use');
  select * into made from admin.create_oauth_client(
    tenant_id => app.tenant_id(), label => body ->> 'label', scopes => scopes, variant => coalesce(body ->> 'variant', 'a'),
    user_id => private.lock_user(body ->> 'user', caller));
  return (select jsonb_set(private.admin_client(c.id), '{record,client_secret}', to_jsonb(made.client_secret)) from public.oauth_clients c where c.client_id = made.client_id)
    || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.create_client(jsonb, jsonb) is 'Creates an OAuth client, whose secret the answer shows once.';

create function manage.update_client(ref text, body jsonb, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old    constant public.oauth_clients := private.lock_oauth_client(ref);
  wanted constant text[] := case when body ? 'scopes' then array(select jsonb_array_elements_text(body -> 'scopes')) else old.scopes end;
begin
  perform private.expect_version(versions, private.admin_client(old.id)), private.expect_own_scopes(old.scopes || wanted, caller);
  if old.revoked_at is not null then
    perform private.reject('conflict', 'The OAuth client is revoked. Create another one.', extra => '{"state": "revoked"}');
  elsif old.client_id = caller ->> 'client_id' and not old.scopes <@ wanted then
    -- A caller grants only what it has, so it could not give the scope back.
    perform private.reject('conflict', 'A client cannot take a scope from itself. Use another client or SQL, or revoke this client with DELETE.',
                           'scopes', 'must contain all scopes that the client has');
  end if;
  update public.oauth_clients c set
    label = coalesce(body ->> 'label', c.label), scopes = wanted, variant = coalesce(body ->> 'variant', c.variant),
    user_id = case when body ? 'user' then private.lock_user(body ->> 'user', caller) else c.user_id end
  where c.id = old.id;
  return private.admin_client(old.id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.update_client(text, jsonb, jsonb, jsonb) is 'Changes an OAuth client.';

create function manage.revoke_client(ref text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  client constant public.oauth_clients := private.lock_oauth_client(ref);
begin
  perform private.expect_version(versions, private.admin_client(client.id)), private.revoke_oauth_client(client.client_id);
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.revoke_client(text, jsonb) is 'Revokes an OAuth client and its tokens; again, nothing changes.';

create function manage.rotate_client_secret(ref text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  client constant public.oauth_clients := private.lock_oauth_client(ref);
  secret text;
begin
  perform private.expect_version(versions, private.admin_client(client.id)), private.expect_own_scopes(client.scopes, caller);
  if client.revoked_at is not null then
    perform private.reject('conflict', 'The OAuth client is revoked. Create another one.', extra => '{"state": "revoked"}');
  end if;
  secret := admin.rotate_client_secret(client.client_id);
  return jsonb_set(private.admin_client(client.id), '{record,client_secret}', to_jsonb(secret)) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.rotate_client_secret(text, jsonb, jsonb) is 'Replaces the secret of an OAuth client; the old one works for 24 hours.';

-- Administration through the API: provider accounts, routes, approvals, cost centers, balances, and the data of persons.

-- Who ordered a payout --------------------------------------------------------------------------------------------------

-- Credentials are client ids and ids of API keys. A caller that created or rotated a credential knows its secret, so it can act as the credential.
create table private.credential_holders (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  credential text not null,
  holder     text not null,
  primary key (tenant_id, credential, holder)
);

comment on table  private.credential_holders is
  'Credentials that requests created or rotated: a holder has known the secret of the credential and counts as it.';
comment on column private.credential_holders.credential is 'Client id, or id of an API key.';
comment on column private.credential_holders.holder is 'The credential that created or rotated it, or the API key that it replaced.';

alter table private.credential_holders enable row level security;

create function private.record_holder() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder)
  select k.tenant_id, k.id::text, app.current_caller() ->> 'id' from public.api_keys k where tg_table_name = 'api_keys' and k.id::text = to_jsonb(new) ->> 'id'
  union all
  select c.tenant_id, c.client_id, app.current_caller() ->> 'id' from public.oauth_clients c
  where tg_table_name = 'oauth_client_secrets' and c.id = (to_jsonb(new) ->> 'oauth_client_id')::uuid
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_holder() is 'Trigger: remembers which caller created or rotated a credential.';

create trigger record_holder after insert on public.api_keys
  for each row when (app.current_caller() is not null) execute function private.record_holder();
create trigger record_holder after insert on private.oauth_client_secrets
  for each row when (app.current_caller() is not null) execute function private.record_holder();

create function private.holders_of(credential text) returns setof text
language sql stable
set search_path = ''
as $$
  with recursive holders (id) as (
    select holders_of.credential
    union
    select h.holder from holders o join private.credential_holders h on h.tenant_id = (select app.tenant_id()) and h.credential = o.id
  )
  select id from holders
$$;

comment on function private.holders_of(text) is 'The credential and all that can act as it, because they created or rotated it, or one of its holders.';

create function app.changes_summary() returns text
language sql stable security definer
set search_path = ''
as $$
  select coalesce(string_agg(c.summary, ' ' order by c.id), 'Nothing changed.')
  from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.transaction = pg_current_xact_id()::text::bigint
$$;

comment on function app.changes_summary() is 'What the current transaction changed, as sentences of the audit trail.';

grant execute on function app.changes_summary() to payments;

-- Provider accounts -----------------------------------------------------------------------------------------------------

-- Payments --------------------------------------------------------------------------------------------------------------
create view manage.provider_accounts as
  select a.id, a.provider as name, a.created_at, a.provider, a.disconnected_at, r.record,
         private.version_of(r.record, '{reason,webhook_state,last_event_at,rejected_events,balance,currency,balance_read_at,checked_at,reconciled_at,tax_regime,national_portal,warnings}') as version
  from public.provider_accounts a
  cross join lateral (select json_build_object(
    'id', a.id, 'provider', a.provider, 'status', a.status, 'reason', a.reason, 'capabilities', a.capabilities, 'settings', a.settings,
    'webhook_state', a.webhook_state, 'last_event_at', private.format_utc(a.last_event_at), 'rejected_events', a.rejected_events,
    'balance', (a.balances #>> '{0,amount}')::bigint, 'currency', a.balances #>> '{0,currency}', 'balance_read_at', private.format_utc(a.balance_read_at),
    'created_at', private.format_utc(a.created_at), 'checked_at', private.format_utc(a.checked_at), 'reconciled_at', private.format_utc(a.reconciled_at),
    'disconnected_at', private.format_utc(a.disconnected_at),
    'tax_regime', case when a.provider = 'asaas' then coalesce(a.tax_regime, 'unknown') end, 'national_portal', a.national_portal,
    'warnings', private.account_warnings(a)) as record) as r
  where a.tenant_id = (select app.tenant_id());

comment on view manage.provider_accounts is 'Provider accounts of the tenant as the admin API shows them, without keys.';

create view manage.payouts as
  select p.id, p.our_number as name, p.created as created_at, p.approval, p.status, p.funding, r.record, private.version_of(r.record) as version
  from public.payouts p
  cross join lateral (select json_build_object(
    'id', p.id, 'status', p.status, 'approval', p.approval, 'amount', p.amount, 'currency', p.currency,
    'beneficiary_name', p.beneficiary ->> 'name', 'purpose', p.purpose, 'our_number', p.our_number,
    'contractor_reference', p.contractor_reference, 'provider', p.provider, 'failure_reason', p.failure_reason,
    'funding', case when p.status = 'incoming_payment_waiting' and p.funding is not null then json_build_object(
      'source_amount', (p.funding ->> 'sourceAmountMinor')::bigint, 'source_currency', p.funding ->> 'sourceCurrency',
      'reference', p.funding ->> 'reference', 'fund_by', p.funding ->> 'fundBy') end,
    'requested_by', case when p.requested_by is not null then json_build_object(
      'kind', p.requested_by ->> 'kind', 'id', p.requested_by ->> 'id', 'label', case p.requested_by ->> 'kind'
        when 'client' then (select c.label from public.oauth_clients c where c.client_id = p.requested_by ->> 'id')
        else (select k.label from public.api_keys k where k.id::text = p.requested_by ->> 'id') end) end,
    'created_at', private.format_utc(p.created)) as record) as r
  where p.tenant_id = (select app.tenant_id());

comment on view manage.payouts is 'Payouts of the tenant as the admin API shows them.';

create view manage.cost_centers as
  select c.code as name, c.code, c.created_at, r.record, private.version_of(r.record) as version
  from public.cost_centers c
  cross join lateral (select json_build_object(
    'code', c.code, 'name', c.name, 'is_default', c.is_default, 'created_at', private.format_utc(c.created_at)) as record) as r
  where c.tenant_id = (select app.tenant_id());

comment on view manage.cost_centers is 'Cost centers of the tenant as the admin API shows them.';

create function manage.list_payments(of_view text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    case of_view when 'provider_accounts' then 'provider_accounts' when 'cost_centers' then 'cost_centers' else 'payouts' end,
    private.search_in(
      case of_view when 'payouts' then $c$concat_ws(chr(10), v.name, v.id, v.record ->> 'beneficiary_name', v.record ->> 'contractor_reference')$c$
                   when 'cost_centers' then $c$concat_ws(chr(10), v.name, v.record ->> 'name')$c$ else 'v.name' end,
      page)
      || case page ->> 'waiting' when 'approval' then $c$ and v.approval = 'waiting' and v.status = 'created'$c$
                                 when 'funding' then $c$ and v.status = 'incoming_payment_waiting' and v.funding is not null$c$ else '' end
      || case when of_view = 'payouts' and page ? 'status' then $c$ and v.status = $1 ->> 'status'$c$ else '' end,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.record ->> ''id'' desc' else ', v.record ->> ''id''' end,
    page)
$$;

comment on function manage.list_payments(text, jsonb) is 'A page of provider_accounts, payouts or cost_centers; page as in manage.list_records.';

create function private.admin_account(id text) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.provider_accounts v where v.id = admin_account.id $$;

comment on function private.admin_account(text) is 'A provider account as the admin API shows it, with its version.';

create function manage.read_account(id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  shown constant jsonb := private.admin_account(id);
begin
  if shown is null then
    perform private.reject('not_found', 'There is no provider account with this id.');
  end if;
  return shown;
end
$$;

comment on function manage.read_account(text) is 'Reads a provider account.';

create function manage.connect_account(provider text, body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  slug    constant text := (select t.slug from public.tenants t where t.id = app.tenant_id());
  old_id  text;
  kept    jsonb;
  outcome text;
begin
  perform pg_advisory_xact_lock(hashtextextended('account ' || provider || app.tenant_id(), 0));
  select a.id, a.settings into old_id, kept from public.provider_accounts a
  where a.tenant_id = app.tenant_id() and a.provider = connect_account.provider and a.disconnected_at is null;
  perform private.expect_version(versions, private.admin_account(old_id)),
          set_config('manage.status', case when old_id is null then '201' else '200' end, true);
  begin
    outcome := case provider
      when 'asaas' then admin.connect_asaas(slug, body ->> 'api_key', coalesce(body -> 'settings', kept, '{}'), body ->> 'withdrawal_token')
      when 'wise' then admin.connect_wise(slug, body ->> 'token', coalesce(body -> 'settings', kept, '{}'))
      else admin.connect_stripe(slug, body ->> 'api_key')
    end;
  exception when invalid_parameter_value then
    if sqlerrm like 'key: is already used%' then
      perform private.reject('conflict', 'Another account uses this key. Each account needs its own key.',
                             case provider when 'wise' then 'token' else 'api_key' end, 'is used by another account');
    end if;
    raise;
  end;
  if starts_with(outcome, 'Not connected. ') then
    perform private.reject('unprocessable', outcome);
  end if;
  return private.admin_account(outcome) || jsonb_build_object('summary', private.last_summary(), 'made', old_id is null);
end
$$;

comment on function manage.connect_account(text, jsonb, jsonb) is 'Connects an account at a provider, or replaces its key, and its settings if any are given.';

create function manage.disconnect_account(id text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.expect_version(versions, manage.read_account(id)), admin.disconnect_provider(id);
  return private.admin_account(id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.disconnect_account(text, jsonb) is 'Disconnects a provider account once its open orders are finished.';

create function manage.reconcile_account(id text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.expect_version(versions, manage.read_account(id));
  if (private.admin_account(id) #>> '{record,disconnected_at}') is not null then
    perform private.reject('conflict', 'The account is disconnected. Connect the provider again.', extra => '{"state": "disconnected"}');
  end if;
  perform private.reconcile_provider(id);
  return private.admin_account(id) || jsonb_build_object('summary', 'Compares the account with its provider.');
end
$$;

comment on function manage.reconcile_account(text, jsonb) is 'Compares the ledger with the provider''s statement as soon as possible.';

create function manage.new_withdrawal_token(id text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  made record;
begin
  perform private.expect_version(versions, manage.read_account(id));
  select * into made from admin.new_withdrawal_token(id);
  return jsonb_build_object('record', jsonb_build_object('address', made.address, 'token', made.token), 'summary', private.last_summary());
end
$$;

comment on function manage.new_withdrawal_token(text, jsonb) is 'Creates the token that authenticates Asaas'' requests to approve withdrawals.';

-- Routes, approval rules, cost centers ------------------------------------------------------------------------------------

create function manage.list_routes() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('records', coalesce(jsonb_agg(jsonb_build_object(
    'kind', r.kind, 'region', r.region, 'currency', r.currency, 'method', r.method, 'providers', r.providers, 'is_default', r.is_default)
    order by r.kind, r.region, r.currency, r.method nulls first), '[]'))
  from (
    select p.kind, p.region, p.currency, p.method, p.tenant_id is null as is_default, jsonb_agg(p.provider order by p.preference) as providers
    from public.provider_routes p
    where p.tenant_id = app.tenant_id()
       or p.tenant_id is null and not exists (
         select from public.provider_routes o
         where o.tenant_id = app.tenant_id() and (o.kind, o.region, o.currency) = (p.kind, p.region, p.currency) and o.method is not distinct from p.method)
    group by p.kind, p.region, p.currency, p.method, p.tenant_id
  ) as r
$$;

comment on function manage.list_routes() is 'The routes to providers that apply to the tenant; its own replace defaults.';

create function manage.set_route(body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.check_record_limit('public.provider_routes', 'true', 500, 'provider routes')
  where jsonb_array_length(body -> 'providers') > 0 and not exists (
    select from public.provider_routes r
    where r.tenant_id = app.tenant_id() and r.kind = body ->> 'kind' and r.region = body ->> 'region' and r.currency = body ->> 'currency'
      and r.method is not distinct from body ->> 'method');
  begin
    perform private.set_provider_route(
      tenant => (select t.slug from public.tenants t where t.id = app.tenant_id()), kind => body ->> 'kind', region => body ->> 'region',
      currency => body ->> 'currency', method => body ->> 'method', providers => array(select jsonb_array_elements_text(body -> 'providers')));
  exception when invalid_parameter_value then
    perform private.reject('validation', 'Fix these fields.', split_part(sqlerrm, ': ', 1), substr(sqlerrm, strpos(sqlerrm, ': ') + 2));
  end;
  return jsonb_build_object('summary', private.last_summary(), 'record', (
    select r from jsonb_array_elements(manage.list_routes() -> 'records') as r
    where r ->> 'kind' = body ->> 'kind' and r ->> 'region' = body ->> 'region' and r ->> 'currency' = body ->> 'currency'
      and r ->> 'method' is not distinct from body ->> 'method'
    union all
    select body || '{"method": null, "providers": [], "is_default": false}' || jsonb_strip_nulls(jsonb_build_object('method', body -> 'method'))
    limit 1));
end
$$;

comment on function manage.set_route(jsonb) is 'Sets the providers of a kind, region, currency and method; an empty list restores the default.';

create function manage.list_approval_rules() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('records', coalesce(
    jsonb_agg(jsonb_build_object('currency', r.currency, 'above_amount', r.above_amount) order by r.currency), '[]'))
  from public.payout_approval_rules r where r.tenant_id = app.tenant_id()
$$;

comment on function manage.list_approval_rules() is 'Rules for which payouts require approval.';

create function manage.set_approval_rule(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  given_currency constant text := coalesce(body ->> 'currency', 'BRL');
  above          constant bigint := (body ->> 'above_amount')::bigint;
  current        bigint;
begin
  -- Also if there is no rule yet: another request may be creating the one that this one would raise.
  perform pg_advisory_xact_lock(hashtextextended('room public.payout_approval_rules' || app.tenant_id(), 0));
  select r.above_amount into current from public.payout_approval_rules r
  where r.tenant_id = app.tenant_id() and r.currency = given_currency for update;
  if current is not null and (above is null or above > current) then
    -- A caller that can order payouts must not be able to disable their approval.
    perform private.expect_own_scopes('{approve:payouts}', caller, 'Raising or removing a payout approval rule also requires approve:payouts.');
  elsif current is null and above is not null then
    perform private.check_record_limit('public.payout_approval_rules', 'true', 500, 'payout approval rules');
  end if;
  perform private.require_payout_approval((select t.slug from public.tenants t where t.id = app.tenant_id()), above, given_currency);
  return jsonb_build_object('summary', private.last_summary(), 'record', jsonb_build_object('currency', given_currency, 'above_amount', above));
end
$$;

comment on function manage.set_approval_rule(jsonb, jsonb) is 'Sets the amount above which payouts require approval; null removes the rule.';

create function manage.set_cost_center(code text, body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('room public.cost_centers' || app.tenant_id(), 0));
  perform private.expect_version(versions, (select jsonb_build_object('record', v.record, 'version', v.version) from manage.cost_centers v where v.code = set_cost_center.code));
  if not exists (select from public.cost_centers c where c.tenant_id = app.tenant_id() and c.code = set_cost_center.code) then
    perform private.check_record_limit('public.cost_centers', 'true', 500, 'cost centers'), set_config('manage.status', '201', true);
  else
    perform set_config('manage.status', '200', true);
  end if;
  perform private.register_cost_center(app.tenant_id(), code, body ->> 'name', coalesce((body ->> 'is_default')::boolean, false));
  select jsonb_build_object('record', v.record, 'version', v.version) into shown from manage.cost_centers v where v.code = set_cost_center.code;
  return shown || jsonb_build_object('summary', private.last_summary(), 'made', current_setting('manage.status') = '201');
end
$$;

comment on function manage.set_cost_center(text, jsonb, jsonb) is 'Creates or changes a cost center.';

-- Payouts and balances --------------------------------------------------------------------------------------------------

create function manage.read_payout(id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  select jsonb_build_object('record', v.record, 'version', v.version) into shown from manage.payouts v where v.id = read_payout.id;
  if not found then
    perform private.reject('not_found', 'There is no payout with this id.');
  end if;
  return shown;
end
$$;

comment on function manage.read_payout(text) is 'Reads a payout.';

create function manage.decide_payout(id text, reason text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  payout public.payouts;
begin
  select * into payout from public.payouts p where p.tenant_id = app.tenant_id() and p.id = decide_payout.id for update;
  perform private.expect_version(versions, manage.read_payout(id));
  if payout.requested_by ->> 'id' = caller ->> 'client_id' then
    perform private.reject('insufficient_scope', 'The client that requested a payout cannot decide on it.');
  elsif exists (select private.holders_of(payout.requested_by ->> 'id') intersect select private.holders_of(caller ->> 'client_id')) then
    perform private.reject('insufficient_scope',
      'One client has known the secret of both this client and the credential that requested the payout, because it created or rotated them. '
      'Decide with a client whose secret it has never known, for example one that was created with SQL.');
  elsif payout.approval is distinct from 'waiting' or payout.status <> 'created' then
    perform private.reject('conflict', 'The payout is not waiting for approval.', extra => jsonb_build_object(
      'state', case when payout.approval in ('approved', 'rejected') then payout.approval else payout.status end));
  elsif reason is null and payout.beneficiary ->> 'document' = 'erased' then
    perform private.reject('conflict', 'The beneficiary was erased, so the payout has no destination. Reject it.');
  elsif reason is null then
    perform private.approve_payout(id);
  else
    perform private.reject_payout(id, reason);
  end if;
  return manage.read_payout(id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.decide_payout(text, text, jsonb, jsonb) is 'Approves a payout that waits for approval, or rejects it with a reason.';

create function manage.adjust_balance(body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  entry constant text := admin.adjust_balance(app.tenant_id(), (body ->> 'amount')::bigint, body ->> 'currency', body ->> 'reason');
begin
  return jsonb_build_object('record', jsonb_build_object('entry_id', entry) || body, 'summary', private.last_summary());
end
$$;

comment on function manage.adjust_balance(jsonb) is 'Adds a manual entry to the ledger.';

-- Persons ---------------------------------------------------------------------------------------------------------------

create function private.check_person_limit() returns void
language plpgsql
set search_path = ''
as $$
declare
  most   constant integer := 20;
  recent timestamptz[];
begin
  perform pg_advisory_xact_lock(hashtextextended('persons' || app.tenant_id(), 0));
  select array_agg(c.at order by c.at desc) into recent from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.act in ('person.exported', 'person.erased') and c.via <> 'sql' and c.at > now() - interval '1 hour';
  if cardinality(recent) >= most then
    perform private.reject('rate_limited', format('At most %s exports and erasures per hour.', most), extra => jsonb_build_object(
      'retry_after', ceil(extract(epoch from recent[most] + interval '1 hour' - now()))));
  end if;
end
$$;

comment on function private.check_person_limit() is 'Rejects more than 20 exports and erasures of a tenant per hour.';

create function manage.export_person(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  data jsonb;
begin
  perform private.check_person_limit();
  data := admin.export_person(app.tenant_id(), email);
  return jsonb_build_object('record', data, 'summary', private.last_summary());
end
$$;

comment on function manage.export_person(text) is 'Exports the data of a person.';

create function manage.erase_person(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  data jsonb;
begin
  perform private.check_person_limit();
  data := admin.erase_person(app.tenant_id(), email);
  return jsonb_build_object('record', data, 'summary', private.last_summary());
end
$$;

comment on function manage.erase_person(text) is 'Erases the data of a person.';

-- Administration by MCP: the scopes that a client has at the time of its request, and payouts that clients request. These always wait for
-- approval, at most 20 of a tenant at a time.

create function app.client_scopes(client_id text) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select c.scopes from public.oauth_clients c
  where c.client_id = client_scopes.client_id and c.tenant_id = app.tenant_id()
$$;

comment on function app.client_scopes(text) is 'The scopes of an OAuth client of the tenant at the moment.';

revoke all on function app.client_scopes(text) from public;
grant execute on function app.client_scopes(text) to api;
-- Requested payouts -----------------------------------------------------------------------------------------------------

create function private.check_requested_payout_limit() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  allowed constant integer := 20;
begin
  -- Serializes concurrent requests, so that each counts the payouts of the others.
  perform pg_advisory_xact_lock(hashtextextended('requested payouts ' || new.tenant_id, 0));
  if allowed <= (
    select count(*) from public.payouts p
    where p.tenant_id = new.tenant_id and p.status in ('creating', 'created') and p.approval = 'waiting'
      and p.requested_by ->> 'kind' = 'client'
  ) then
    raise exception 'requested_payouts_waiting' using errcode = 'PL435', detail = allowed;
  end if;
  return new;
end
$$;

comment on function private.check_requested_payout_limit() is 'Raises PL435 if too many payouts that OAuth clients requested wait for approval.';

create trigger limit_requested_payouts before insert on public.payouts for each row
  when (new.approval = 'waiting' and new.requested_by ->> 'kind' = 'client')
  execute function private.check_requested_payout_limit();

-- The admin API: points of collaborators without a user, differences with providers, and warnings of accounts.

-- Points of a player ----------------------------------------------------------------------------------------------------

create view manage.point_entries as
  select e.id, e.created_at, e.player_id, json_build_object(
    'id', e.id, 'points', e.points, 'reason', e.reason,
    'note', coalesce(e.note, case when e.reason = 'activity_voided' then (
      select a.void_reason from public.activities a where a.tenant_id = e.tenant_id and a.id = e.activity_id) end),
    'mission_id', e.mission_id,
    'mission_name', (select m.name from public.missions m where m.tenant_id = e.tenant_id and m.id = e.mission_id),
    -- Without the names of deals and leads, which this scope does not permit to read.
    'subject', coalesce(
      (select json_build_object('resource', 'activity', 'id', a.external_id, 'name', null)
       from public.activities a where a.tenant_id = e.tenant_id and a.id = e.activity_id),
      (select json_build_object('resource', case when l.deal_id is null then 'lead' else 'deal' end,
                                'id', coalesce(l.deal_id, l.lead_id), 'name', null)
       from public.deal_activities l
       where l.tenant_id = e.tenant_id and l.id = e.deal_activity_id and coalesce(l.deal_id, l.lead_id) is not null),
      (select json_build_object('resource', split_part(v.type, '.', 1), 'id', app.event_data(v) -> 'id', 'name', null)
       from public.events v
       where v.tenant_id = e.tenant_id and v.id = e.event_id and split_part(v.type, '.', 1) in ('deal', 'lead'))),
    'created_at', private.format_utc(e.created_at)) as record
  from public.point_entries e
  where e.tenant_id = (select app.tenant_id());

comment on view manage.point_entries is 'Point entries of the tenant as the API shows them.';

create function manage.list_player_points(ref text, page jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  given  constant uuid := case when pg_input_is_valid(ref, 'uuid') then ref::uuid end;
  player constant uuid := coalesce(
    (select u.player_id from public.users u where u.tenant_id = own and u.id = given),
    (select c.player_id from public.collaborators c where c.tenant_id = own and c.id = given));
begin
  if player is null then
    perform private.reject('not_found', 'There is no player with this id.');
  end if;
  return private.list_page(
    'point_entries',
    $c$v.player_id = ($1 ->> 'player')::uuid and $c$ || private.search_in($c$v.record ->> 'note'$c$, page),
    case when (page ->> 'descending')::boolean then 'v.created_at desc, v.id desc' else 'v.created_at, v.id' end,
    page || jsonb_build_object('player', player));
end
$$;

comment on function manage.list_player_points(text, jsonb) is
  'A page of the point entries of a user or collaborator; page as in manage.list_records.';

create view manage.provider_differences as
  select d.id, d.subject as name, d.found_at as created_at, d.account_id, d.resolved_at, json_build_object(
    'id', d.id::text, 'account_id', d.account_id, 'provider', a.provider, 'kind', d.kind, 'subject', d.subject, 'ours', d.ours,
    'theirs', d.theirs, 'found_at', private.format_utc(d.found_at), 'resolved_at', private.format_utc(d.resolved_at)) as record
  from public.provider_differences d
  join public.provider_accounts a on a.tenant_id = d.tenant_id and a.id = d.account_id
  where d.tenant_id = (select app.tenant_id());

comment on view manage.provider_differences is 'Unexplained differences with providers as the admin API shows them.';

create function manage.list_differences(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'provider_differences',
    private.search_in('v.name', page) || $c$ and ($1 ->> 'account_id' is null or v.account_id = $1 ->> 'account_id')$c$
      || case page ->> 'resolved' when 'true' then ' and v.resolved_at is not null' when 'false' then ' and v.resolved_at is null' else '' end,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_differences(jsonb) is 'A page of differences with providers; page as in manage.list_records, with account_id and resolved.';

-- Comments on the columns of admin views, for Studio. This file comes last because it inspects all views.
--
-- A view column taken from a table uses the table's comment. Columns that a view adds, and those with the same meaning
-- everywhere, are described here. Keys of the form "view.column" apply to one view.

do $$
declare
  descriptions constant jsonb := '{
    "tenant_id":            "The tenant; admin.tenants has its name.",
    "id":                   "Id of the row.",
    "name":                 "Name.",
    "email":                "Email address in lower case.",
    "phone":                "Phone number.",
    "created_at":           "When it was created.",
    "created":              "When it was created.",
    "updated_at":           "When it last changed.",
    "label":                "Purpose, as given at creation.",
    "scopes":               "Permitted scopes.",
    "events":               "Event types; null means all.",
    "event_id":             "The event; null if none.",
    "type":                 "Type.",
    "status":               "Current status.",
    "error":                "Why it failed; null if it succeeded.",
    "last_error":           "Error of the last attempt; null if it succeeded.",
    "expires_at":           "Expiry; null means never.",
    "revoked_at":           "When it was revoked; null if not revoked.",
    "description":          "Purpose.",
    "deactivated_at":       "When it was deactivated; null if active.",
    "user_id":              "The user; see admin.users.",
    "mission_id":           "The mission.",
    "mission_name":         "Name of the mission.",
    "stage_name":           "Name of the stage; null means any stage.",
    "points":               "Points.",
    "total_points":         "All-time points of the person.",
    "position":             "Sort order.",
    "code":                 "Activity code, 001 to 999.",
    "metadata":             "Any additional data that the caller sent.",
    "currency":             "Currency code, such as BRL.",
    "amount":               "Amount in minor units of the currency.",
    "fee":                  "The provider''s fee, in minor units.",
    "net":                  "Amount minus fees, in minor units.",
    "cost_center":          "Cost center; null if none.",
    "provider":             "The payment provider.",
    "contractor_reference": "The caller''s own reference.",
    "our_number":           "Human-readable number.",
    "invoice_id":           "The invoice; null if none.",
    "payout_id":            "The payout; null if none.",
    "failure_reason":       "Why it failed; null unless it failed.",
    "cancel_reason":        "Why it was canceled; null unless it was canceled.",
    "role":                 "Role or permissions of the person.",
    "attempts":             "Number of attempts.",
    "target":               "Value to reach.",
    "account_id":           "The provider account; see admin.provider_accounts.",
    "tenant":               "Short name (slug) of the tenant.",

    "provider_accounts.balance":       "Balance last reported by the provider, in minor units; null if not read yet.",
    "provider_accounts.currency":      "Currency of the balance.",
    "provider_accounts.balance_read_at": "When the balance was read.",
    "provider_balances.balance":       "Balance last reported by the provider, in minor units.",
    "provider_balances.balance_read_at": "When the balance was read.",
    "provider_balances.in_ledger":     "Sum of ledger entries since the account was connected, in minor units.",
    "payouts_to_approve.payout_id":    "The payout; pass it to admin.approve_payout or admin.reject_payout.",
    "payouts_to_approve.beneficiary_name": "Name of the recipient.",
    "payouts_to_approve.purpose":      "Purpose: prize, commission, vendor_payment or other.",
    "provider_routes.kind":            "charge, payout or tax_document.",
    "provider_differences.ours":       "State in Placar; null if missing.",
    "provider_differences.theirs":     "State at the provider; null if missing.",
    "provider_differences.found_at":   "When reconciliation first found the difference.",
    "provider_events.received_at":     "When the event arrived.",
    "unfinished_orders.kind":          "invoice or payout.",
    "unfinished_orders.outcome":       "not_taken: the provider rejected it or was never called; unknown: Placar is looking it up.",
    "payouts_to_fund.payout_id":       "The payout.",
    "payouts_to_fund.source_amount":   "Amount to pay to the provider, in minor units.",
    "payouts_to_fund.source_currency": "Currency of source_amount.",
    "payouts_to_fund.reference":       "Reference required in the bank transfer to the provider.",
    "payouts_to_fund.fund_by":         "Deadline for the transfer; null if the provider sets none.",

    "tenants.name":                    "Name of the customer.",
    "tenants.plan":                    "The tenant''s plan; change it with admin.set_plan.",
    "tenants.requests_per_minute":     "Records interface: requests per minute that the plan allows.",
    "tenants.max_users":               "Invited and active users that the plan allows; null means no limit.",
    "users.name":                      "Name of the person.",
    "users.team":                      "Name of the user''s team.",
    "users.total_points":              "Points of the user, shared with the collaborator with the same email address.",
    "collaborators.name":              "Name of the person, as the CRM sends it.",
    "collaborators.role":              "Role, as the CRM names it.",
    "activities.email":                "Email address of the collaborator.",
    "activities.name":                 "Name of the collaborator.",
    "activities.external_id":          "Id in the CRM; sending it again is a duplicate.",
    "activities.created_at":           "When it was received.",
    "missions.codes":                  "Activity codes mapped to the mission.",
    "unmapped_activity_codes.activities":       "Number of activities sent with the code.",
    "unmapped_activity_codes.last_received_at": "When the last activity with the code was received.",
    "mission_progress.completions":    "Completions minus those reversed.",
    "mission_progress.points":         "Points earned minus those reversed.",
    "mission_progress.last_change_at": "When the mission was last completed or reversed.",
    "mission_progress.name":           "Name of the user, or of the collaborator if there is no user.",
    "mission_progress.email":          "Email address of the player.",
    "point_entries.points":            "Points awarded; negative if deducted.",
    "point_entries.external_id":       "The activity of activity sync that earned the points; null for other entries.",
    "point_entries.note":              "Why an admin adjusted the points or voided the activity.",
    "standings.collaborator_id":       "The collaborator with this email address, if any.",
    "standings.user_id":               "The user with this email address, if any.",
    "standings.name":                  "Name of the user, or of the collaborator if there is no user.",
    "standings.position":              "Position by points; equal points share a position.",
    "point_differences.points_of_ledger":      "Sum of the points of the player''s entries.",
    "point_differences.completions_of_ledger": "Sum of the completions of the player''s entries.",
    "tiers.min_points":                "Points required for the tier.",
    "stages.open_deals":               "Number of open deals in the stage.",
    "point_rules.created_at":          "When the rule was first set.",
    "badges.threshold":                "Value at which the badge is earned.",
    "badges.earned_by":                "Number of players who earned the badge.",
    "earned_badges.badge":             "Name of the badge.",
    "earned_badges.earned_at":         "When the badge was earned.",
    "challenges.starts_at":            "Start of the challenge (inclusive).",
    "challenges.reward_points":        "Points for completing the challenge.",
    "challenges.completed_by":         "Number of players who completed the challenge.",
    "challenge_progress.challenge":    "Name of the challenge.",
    "challenge_progress.value":        "Current value of the metric.",
    "challenge_progress.completed_at": "When the challenge was completed; null if not completed.",
    "automations.name":                "Name given by the admin.",
    "automation_runs.automation":      "Name of the automation.",
    "automation_runs.event":           "Type of the event that triggered the run.",
    "automation_runs.created_at":      "When the automation ran.",
    "api_keys.id":                     "Id to rotate or revoke the key with.",
    "api_keys.expires_at":             "When the key expires; null means never.",
    "jobs.status":                     "waiting, running (claimed by a worker), finished or failed (permanently).",
    "jobs.finished_at":                "When the job finished; null if not finished.",
    "webhook_deliveries.type":         "Type of the event.",
    "webhook_deliveries.endpoint_id":  "The webhook; see admin.webhook_endpoints.",
    "webhook_attempts.delivery_id":    "The delivery.",
    "webhook_attempts.response_ms":    "Milliseconds until the response or timeout.",
    "request_log.at":                  "When the request was received.",
    "request_log.request_id":          "Request id, as returned in X-Request-Id.",
    "request_log.method":              "HTTP method.",
    "request_log.status":              "HTTP status of the response.",
    "request_log.ip":                  "IP address of the caller; null if unknown.",
    "invitations.status":              "pending, accepted, revoked, or expired.",
    "invitations.accepted_at":         "When it was accepted; null if not accepted.",
    "balances.net":                    "The balance in minor units.",
    "balances.entries":                "Number of ledger entries.",
    "balances.last_entry_at":          "When the last entry was added.",
    "invoices.payment_method_type":    "Payment method.",
    "invoices.customer_name":          "Name of the customer.",
    "invoices.expires_at":             "Payment deadline; null means none.",
    "payouts.beneficiary_name":        "Name of the recipient.",
    "payouts.purpose":                 "Purpose of the payout.",
    "ledger.fee":                      "The provider''s fee for the entry, in minor units.",
    "tax_documents.document_number":   "Number assigned by the tax authority; null until issued.",
    "tax_documents.issued_at":         "When it was issued; null if not issued."
  }';
  item         record;
  comment      text;
begin
  for item in
    select c.oid, c.relname as view, a.attname as name, a.attnum as number
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v'
      and pg_catalog.col_description(c.oid, a.attnum) is null
  loop
    comment := coalesce(
      descriptions ->> (item.view || '.' || item.name),
      -- Prefer the table that the view is named after.
      (
        select pg_catalog.col_description(t.oid, b.attnum)
        from pg_catalog.pg_rewrite r
        join pg_catalog.pg_depend d    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
                                      and d.refclassid = 'pg_catalog.pg_class'::regclass
        join pg_catalog.pg_class t     on t.oid = d.refobjid and t.relkind in ('r', 'p')
        join pg_catalog.pg_attribute b on b.attrelid = t.oid and b.attnum = d.refobjsubid and b.attname = item.name
        where r.ev_class = item.oid and pg_catalog.col_description(t.oid, b.attnum) is not null
        order by t.relname = item.view desc, t.relname
        limit 1
      ),
      descriptions ->> item.name
    );
    if comment is not null then
      execute format('comment on column admin.%I.%I is %L', item.view, item.name, comment);
    end if;
  end loop;
end
$$;
