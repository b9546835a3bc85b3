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
      when 'person' then (select u.name from public.users u where u.tenant_id = app.tenant_id() and u.id::text = current_actor.id)
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
language plpgsql immutable
set search_path = ''
as $$
declare
  subject constant text := replace(subject_kind, '_', ' ') || coalesce(' "' || subject_name || '"', '');
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
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(current_setting('role', true), '') <> 'worker' and coalesce(current_setting('app.maintenance', true), '') <> 'on'
     and coalesce(current_setting('app.audited', true), '') <> 'no';
end
$$;

comment on function private.is_audited() is
  'Whether to audit this change: not if the service makes it, the tenant is being deleted, or the function records it itself.';

create function private.audited_action(kind text, op text, before jsonb, after jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return kind || '.' || case
    when kind = 'activity_code' then case op when 'DELETE' then 'unmapped' else 'mapped' end
    when kind = 'provider_account' and op = 'INSERT' then 'connected'
    when kind = 'provider_account' and after ? 'disconnected_at'
      then case when after ->> 'disconnected_at' is null then 'connected' else 'disconnected' end
    when after ->> 'revoked_at' is not null and op = 'UPDATE' then 'revoked'
    when kind = 'tenant' and op = 'UPDATE' and after ? 'plan' then 'plan_changed'
    when op = 'INSERT' then 'created'
    when op = 'DELETE' then 'deleted'
    else 'updated'
  end;
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
language plpgsql stable
set search_path = ''
as $$
begin
  case member
    when 'mission' then return to_jsonb((select m.name from public.missions m where m.id::text = value #>> '{}'));
    when 'stage' then return to_jsonb((select s.name from public.pipeline_stages s where s.id::text = value #>> '{}'));
    when 'user' then return to_jsonb((select u.email from public.users u where u.id::text = value #>> '{}'));
    when 'team' then return to_jsonb((select t.name from public.teams t where t.id::text = value #>> '{}'));
    when 'season' then return to_jsonb((select s.name from public.seasons s where s.id::text = value #>> '{}'));
    when 'url' then return to_jsonb(private.audited_url(value #>> '{}'));
    when 'settings' then return (
      select coalesce(jsonb_object_agg(key, m), '{}') from jsonb_each(value) as s (key, m)
      where key in ('municipal_service_code', 'municipal_service_name', 'services', 'taxes', 'observations', 'deductions',
                    'customer_address', 'profile_id', 'source_currency'));
    else return value;
  end case;
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
language plpgsql immutable
set search_path = ''
as $$
begin
  return (select string_agg(subject ->> col, ' ' order by place) from string_to_table(columns, '+') with ordinality as c (col, place));
end
$$;

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
      ('public.tenants',               'tenant',               'id',       'name',     'name slug plan time_zone language owner_email nfse_cancellation_hours sign_in require_mfa'),
      ('public.plans',                 'plan',                 'name',     'name',     'name requests_per_minute max_users max_invitation_mails_per_day max_webhooks max_webhooks_per_host'),
      ('public.missions',              'mission',              'id',       'name',     'name points'),
      ('public.mission_codes',         'activity_code',        'code',     'code',     'mission_id=mission'),
      ('public.point_rules',           'point_rule',           'id',       'event',    'event points stage_id=stage max_per_day'),
      ('public.tiers',                 'tier',                 'id',       'name',     'name min_points'),
      ('public.badges',                'badge',                'id',       'name',     'name metric threshold'),
      ('public.challenges',            'challenge',            'id',       'name',     'name metric target starts_at ends_at reward_points'),
      ('public.seasons',               'season',               'id',       'name',     'name starts_at ends_at'),
      ('public.boards',                'board',                'id',       'name',     'name team_id=team season_id=season period expires_at'),
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
  perform set_config('app.maintenance', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null
  where c.tenant_id = erase_changes.tenant_id and c.subject_kind = 'player' and c.subject_id = any (players);
  perform set_config('app.maintenance', '', true);
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
  perform set_config('app.maintenance', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null, on_behalf_of = null,
      actor_name = case when c.actor_kind = 'person' then null else c.actor_name end
  where c.tenant_id = empty_changes.tenant_id;
  perform set_config('app.maintenance', '', true);
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
      coalesce(to_char(other.expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), 'it is revoked')), reason => 'key_rotating');
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
create function app.normalize_name(name text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select lower(btrim(regexp_replace(normalize(name, nfc),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
    '', 'g')))
$$;

comment on function app.normalize_name(text) is
  'A name for comparisons, which ignore case, spaces around it and characters without a shape.';

create function private.resolve_reference(argument text, value text, ids uuid[], names text[]) returns uuid
language plpgsql immutable
set search_path = ''
as $$
declare
  wanted constant text := app.normalize_name(value);
  found  uuid[];
begin
  if value is null then
    return null;
  end if;
  select array_agg(i.id) into found from unnest(ids) as i (id) where i.id::text = wanted;
  if found is null then
    select array_agg(i.id) into found from unnest(ids, names) as i (id, name) where app.normalize_name(i.name) = wanted;
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
create function app.remedy(status integer, reason text) returns text
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

comment on function app.remedy(integer, text) is 'What to do about a failed request, in a sentence; null if it succeeded.';

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
           case when r.client_id is not null then 'client' when r.api_key_id is not null then 'api_key' when r.user_id is not null then 'person' end,
           coalesce(r.client_id, r.api_key_id::text, r.user_id::text), coalesce(c.label, k.label, u.name), r.ip, r.duration_ms, r.requests,
           app.remedy(r.status, r.reason)
    from public.request_log r
    left join public.api_keys k      on k.id = r.api_key_id
    left join public.oauth_clients c on c.client_id = r.client_id
    left join public.users u         on u.tenant_id = r.tenant_id and u.id = r.user_id
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

-- Administration by the API: its role and its scopes. Requests of /v1/admin run as `manage`, in the tenant of their transaction.

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

-- Scopes --------------------------------------------------------------------------------------------------------------

create function private.with_implied_scopes(scopes text[]) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select case when 'read:users' = any (scopes) then array['read:standings'] else '{}' end || case when 'admin' = any (scopes) then scopes || array[
    'read:leads', 'write:leads', 'read:deals', 'write:deals', 'read:users', 'write:users',
    'read:teams', 'write:teams', 'read:webhooks', 'write:webhooks', 'read:standings',
    'read:settings', 'read:audit', 'manage:gamification', 'manage:automations', 'manage:workspace'
  ] else scopes end
$$;

comment on function private.with_implied_scopes(text[]) is
  'These scopes and those that admin includes: all but the ones of payments, access and persons.';

create function private.caller_has(scopes text[]) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return nullif(current_setting('app.actor', true), '') is null or private.caller_scopes() && caller_has.scopes;
end
$$;

comment on function private.caller_has(text[]) is
  'Whether the caller of the request has one of these scopes, both in its token and currently; true for SQL.';

-- Missions, tiers, badges, challenges, seasons, stages and automations have names, which are unique in a tenant.

create function private.find_name_conflict(of_table name, tenant_id uuid, name text, own_id uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder uuid;
begin
  execute format(
    'select r.id from public.%I r where r.tenant_id = $1 and app.normalize_name(r.name) = app.normalize_name($2) and r.id is distinct from $3 %s limit 1',
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
  elsif app.normalize_name(new.name) !~ '[^[:space:]]' then
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
  for t in
    select of_table, of_table in ('seasons', 'challenges') as has_times
    from unnest('{missions,tiers,badges,challenges,seasons,pipeline_stages,automations}'::text[]) as of_table
  loop
    -- allow: expand-contract: creates triggers only
    execute format('create trigger check_name before insert on public.%I for each row execute function private.check_name()', t.of_table);
    -- allow: expand-contract: creates triggers only
    execute format(
      'create trigger check_new_name before update of name%s on public.%I for each row when (old.name <> new.name%s) execute function private.check_name()',
      case when t.has_times then ', starts_at, ends_at' else '' end, t.of_table,
      case when t.has_times then ' or (old.starts_at, old.ends_at) <> (new.starts_at, new.ends_at)' else '' end);
  end loop;
end
$$;

-- Administration by the API: what the role manage reads and writes itself, and the functions that its statements share.
-- shared/administration/ has the statements. What the role must not do by itself is a function of the owner (security definer).

-- Tables ----------------------------------------------------------------------------------------------------------------

grant insert, delete on public.missions, public.tiers, public.badges, public.challenges, public.seasons, public.pipeline_stages,
                        public.automations, public.point_rules to manage;
grant update (name, points)                                             on public.missions        to manage;
grant update (name, min_points)                                         on public.tiers           to manage;
grant update (name, metric, threshold)                                  on public.badges          to manage;
grant update (name, metric, target, starts_at, ends_at, reward_points)  on public.challenges      to manage;
grant update (name, starts_at, ends_at)                                 on public.seasons         to manage;
grant update (name, position, probability)                              on public.pipeline_stages to manage;
grant update (name, event, conditions, actions, active)                 on public.automations     to manage;
grant update (points, max_per_day)                                      on public.point_rules     to manage;
grant update (name, time_zone, language, owner_email, nfse_cancellation_hours, sign_in, require_mfa) on public.tenants to manage;

create policy "Administration changes its own missions" on public.missions to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own tiers" on public.tiers to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own badges" on public.badges to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own challenges" on public.challenges to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own seasons" on public.seasons to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own stages" on public.pipeline_stages to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own automations" on public.automations to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own rules" on public.point_rules to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own tenant" on public.tenants for update to manage using (id = (select app.tenant_id()));

-- Boards do not change. Locking a row needs the right to update a column.
grant select, insert, delete, update (name) on public.boards to manage;
create policy "Administration manages its own boards" on public.boards to manage using (tenant_id = (select app.tenant_id()));

create function app.changes_summary() returns text
language sql stable security definer
set search_path = ''
as $$
  select coalesce(string_agg(c.summary, ' ' order by c.id), 'Nothing changed.')
  from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.transaction = pg_current_xact_id()::text::bigint
$$;

comment on function app.changes_summary() is 'What the current transaction changed, as sentences of the audit trail.';

grant execute on function app.changes_summary() to payments, manage;

-- Check constraints call these.
grant execute on function private.metrics(), private.point_rule_events(), private.api_key_scopes(), private.oauth_scopes() to manage;

-- Values ----------------------------------------------------------------------------------------------------------------

create function app.format_utc(moment timestamptz) returns text
language sql immutable
set search_path = ''
as $$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

comment on function app.format_utc(timestamptz) is 'A moment as the API writes it: UTC with microseconds.';

create function app.version_of(record json, counted text[] default '{}') returns text
language sql immutable
set search_path = ''
as $$ select left(md5((record::jsonb - counted)::text), 20) $$;

comment on function app.version_of(json, text[]) is 'The version of a record, without the members that the service counts.';

create function app.contains_text(text text, search text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$ select strpos(app.fold(normalize(coalesce(text, ''), nfc)), app.fold(normalize(search, nfc))) > 0 $$;

comment on function app.contains_text(text, text) is 'Whether a text contains the search text, ignoring case and accents.';

grant execute on function app.format_utc(timestamptz), app.version_of(json, text[]), app.contains_text(text, text), app.normalize_name(text) to manage;

-- References and conditions ---------------------------------------------------------------------------------------------

create function app.caller_has(scopes text[]) returns boolean
language sql stable security definer
set search_path = ''
as $$ select private.caller_has(scopes) $$;

comment on function app.caller_has(text[]) is 'Whether the caller of the request has one of these scopes, both in its token and currently.';

grant execute on function app.caller_has(text[]) to api;

create function app.expect_own_scopes(scopes text[], reason text) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  missing constant text[] := array(select unnest(scopes) except select unnest(private.caller_scopes()) order by 1);
begin
  if missing <> '{}' then
    perform app.raise_domain_error(reason, jsonb_build_object('scopes', missing));
  end if;
end
$$;

comment on function app.expect_own_scopes(text[], text) is 'Raises the reason if the caller of the request lacks one of these scopes, in its token or currently.';

create function app.reject_unknown(kind text, field text, names text[], readers text[]) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform app.raise_domain_error('unknown_reference', jsonb_build_object('kind', kind, 'field', field, 'names',
    case when private.caller_has(readers) then (select coalesce(jsonb_agg(n order by n), '[]') from unnest(names) as n) end));
end
$$;

comment on function app.reject_unknown(text, text, text[], text[]) is
  'Rejects the reference of a field (null: the path) to a record of a kind, with the names that exist if the caller has one of the scopes.';

create function app.find_by_name(kind text, ref text, field text, ids text[], names text[], readers text[]) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  wanted constant text := app.normalize_name(ref);
  found  text[] := array(select i from unnest(ids) as i where i in (btrim(ref), wanted));
begin
  if found = '{}' then
    found := array(select n.id from unnest(ids, names) with ordinality as n (id, name, place)
                   where app.normalize_name(n.name) = wanted order by n.place);
  end if;
  if found = '{}' then
    perform app.reject_unknown(kind, field, names, readers);
  elsif cardinality(found) > 1 then
    perform app.raise_domain_error('ambiguous_name', jsonb_build_object('kind', kind, 'field', field, 'name', left(btrim(ref), 100), 'ids', found));
  end if;
  return found[1];
end
$$;

comment on function app.find_by_name(text, text, text, text[], text[], text[]) is
  'The one of these ids that is the reference, or whose name is (case-insensitive). Rejects unknown and ambiguous ones.';

create function app.find_user(ref text, field text) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  found_id uuid;
begin
  perform app.expect_own_scopes('{read:users}', 'user_not_readable');
  select u.id into found_id from public.users u
  where u.tenant_id = app.tenant_id() and lower(btrim(ref)) in (u.id::text, lower(u.email))
  for key share;
  if not found then
    perform app.reject_unknown('user', field, array(
      select u.email from public.users u where u.tenant_id = app.tenant_id() order by u.email limit 21), '{read:users}');
  end if;
  return found_id;
end
$$;

comment on function app.find_user(text, text) is
  'Locks the user with this id or email address against deletion and returns its id. The caller must be able to read users.';

create function app.expect_record(kind text, versions jsonb, record json, version text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if record is null and kind is not null then
    perform app.reject_unknown(kind, null, null, null);
  elsif record is null and versions is not null then
    perform app.raise_domain_error('absent_for_if_match', '{}');
  elsif jsonb_typeof(versions) = 'array' and not versions ? version then
    raise exception 'version_differs' using errcode = 'PL400', detail = json_build_object('current', record, 'version', version);
  end if;
end
$$;

comment on function app.expect_record(text, jsonb, json, text) is
  'Rejects the request if versions (an array; * is any, null is no condition) lacks the one of the record, or there is no record of the kind.';

grant execute on function
  app.caller_has(text[]), app.expect_own_scopes(text[], text), app.reject_unknown(text, text, text[], text[]), app.find_user(text, text),
  app.find_by_name(text, text, text, text[], text[], text[]), app.expect_record(text, jsonb, json, text) to manage;

-- Settings and plan -----------------------------------------------------------------------------------------------------

create function app.invitation_mails_of_today() returns integer
language sql stable security definer
set search_path = ''
as $$ select count(*)::integer from private.invitation_mails m where m.tenant_id = app.tenant_id() and m.sent_at > now() - interval '1 day' $$;

comment on function app.invitation_mails_of_today() is 'How many invitation emails the tenant sent in the last 24 hours.';

grant execute on function app.invitation_mails_of_today() to manage;

-- Automations -----------------------------------------------------------------------------------------------------------

create function app.check_automation(event text, conditions jsonb, actions jsonb) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  fault constant text[] := private.automation_fault(event, conditions, actions, app.tenant_id());
begin
  if fault is not null then
    perform private.refuse_argument(fault[1], fault[2]);
  end if;
end
$$;

comment on function app.check_automation(text, jsonb, jsonb) is 'Rejects an automation that cannot run, naming the member at fault.';

grant execute on function app.check_automation(text, jsonb, jsonb) to manage;

-- Missions and their codes ----------------------------------------------------------------------------------------------

create function app.map_activity_code(code text, mission_id uuid) returns void
language sql security definer
set search_path = ''
as $$ select private.map_activity_code(app.tenant_id(), code, mission_id) $$;

comment on function app.map_activity_code(text, uuid) is 'Maps an activity code of the tenant to a mission.';

create function app.unmap_activity_code(code text) returns void
language sql security definer
set search_path = ''
as $$ select private.unmap_activity_code(app.tenant_id(), code) $$;

comment on function app.unmap_activity_code(text) is 'Unmaps an activity code of the tenant.';

create function app.set_mission_codes(mission_id uuid, codes text[]) returns void
language sql security definer
set search_path = ''
as $$
  select app.unmap_activity_code(o.code) from (
    select mc.code from public.mission_codes mc
    where mc.tenant_id = app.tenant_id() and mc.mission_id = set_mission_codes.mission_id and mc.code <> all (codes) order by mc.code) as o;
  select app.map_activity_code(n.code, set_mission_codes.mission_id) from (select distinct c as code from unnest(codes) as c order by c) as n
$$;

comment on function app.set_mission_codes(uuid, text[]) is 'Maps exactly these activity codes to a mission.';

grant execute on function app.map_activity_code(text, uuid), app.unmap_activity_code(text), app.set_mission_codes(uuid, text[]) to manage;

-- Corrections -----------------------------------------------------------------------------------------------------------

create function app.set_ranking_opt_out(email text, opted_out boolean) returns void
language sql security definer
set search_path = ''
as $$ select private.set_ranking_opt_out(app.tenant_id(), email, opted_out) $$;

comment on function app.set_ranking_opt_out(text, boolean) is 'Hides a player of the tenant from standings, or shows them again.';

create function app.adjust_points(email text, points integer, reason text) returns bigint
language sql security definer
set search_path = ''
as $$ select admin.adjust_points(app.tenant_id(), email, points, reason) $$;

comment on function app.adjust_points(text, integer, text) is 'Adds points to a player of the tenant, or deducts them, and returns the id of the entry.';

create function app.void_activity(external_id text, reason text) returns void
language sql security definer
set search_path = ''
as $$ select private.void_activity(app.tenant_id(), external_id, reason) $$;

comment on function app.void_activity(text, text) is 'Voids an activity of the tenant and reverses its points.';

grant execute on function app.set_ranking_opt_out(text, boolean), app.adjust_points(text, integer, text), app.void_activity(text, text) to manage;

-- Logs ------------------------------------------------------------------------------------------------------------------

grant select on public.request_log to manage;
create policy "Administration sees its own requests" on public.request_log for select to manage using (tenant_id = (select app.tenant_id()));

grant execute on function app.remedy(integer, text) to manage;

-- Administration through the API: API keys and OAuth clients.

-- A caller can only give scopes that it has itself, and change credentials that have no others.

grant select (key_start, requests_per_hour, ip_allowlist, created_at) on public.api_keys to manage;
-- Locks a row; the functions below change it.
grant update (label) on public.api_keys, public.oauth_clients to manage;
create policy "Administration locks its own keys" on public.api_keys for update to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration locks its own clients" on public.oauth_clients for update to manage using (tenant_id = (select app.tenant_id()));

create function app.networks_of(list text[]) returns cidr[]
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select n into wrong from unnest(list) as n where not pg_input_is_valid(n, 'cidr') limit 1;
  if found then
    perform app.raise_domain_error('network_invalid', jsonb_build_object('name', left(wrong, 50)));
  end if;
  return list::cidr[];
end
$$;

comment on function app.networks_of(text[]) is 'IP addresses and networks of an allowlist. Rejects malformed ones.';

create function app.expect_key_scopes(scopes text[]) returns void
language sql
set search_path = ''
as $$
  select app.expect_own_scopes(
    array(select case s when 'payments:read' then 'read:payments' when 'payments:write' then 'manage:payments'
                        when 'default:sync' then 'manage:gamification' else s end from unnest(scopes) as s), 'scope_not_own')
$$;

comment on function app.expect_key_scopes(text[]) is 'Rejects scopes of API keys whose corresponding scopes the caller lacks.';

create function app.create_api_key(label text, scopes text[], requests_per_hour integer, ip_allowlist cidr[], expires_at timestamptz)
returns table (id uuid, api_key text)
language sql security definer
set search_path = ''
as $$
  select app.expect_key_scopes(scopes);
  select * from admin.create_api_key(app.tenant_id(), label, scopes, requests_per_hour, ip_allowlist, expires_at)
$$;

comment on function app.create_api_key(text, text[], integer, cidr[], timestamptz) is 'Creates an API key of the tenant, which only its result shows.';

create function app.update_api_key(
  id uuid, label text, scopes text[], requests_per_hour integer, ip_allowlist cidr[], expires_at timestamptz) returns void
language sql security definer
set search_path = ''
as $$
  select app.expect_key_scopes(k.scopes || update_api_key.scopes) from public.api_keys k
  where k.tenant_id = app.tenant_id() and k.id = update_api_key.id;
  update public.api_keys k set
    label = update_api_key.label, scopes = update_api_key.scopes, requests_per_hour = update_api_key.requests_per_hour,
    ip_allowlist = update_api_key.ip_allowlist, expires_at = update_api_key.expires_at
  where k.tenant_id = app.tenant_id() and k.id = update_api_key.id
$$;

comment on function app.update_api_key(uuid, text, text[], integer, cidr[], timestamptz) is 'Changes an API key of the tenant.';

create function app.revoke_api_key(id uuid) returns void
language sql security definer
set search_path = ''
as $$
  select private.revoke_api_key(k.id) from public.api_keys k where k.tenant_id = app.tenant_id() and k.id = revoke_api_key.id
$$;

comment on function app.revoke_api_key(uuid) is 'Revokes an API key of the tenant.';

create function app.rotate_api_key(old_id uuid) returns table (id uuid, api_key text)
language sql security definer
set search_path = ''
as $$
  select app.expect_key_scopes(k.scopes) from public.api_keys k where k.tenant_id = app.tenant_id() and k.id = old_id;
  select r.id, r.api_key from public.api_keys k cross join lateral admin.rotate_api_key(k.id) as r
  where k.tenant_id = app.tenant_id() and k.id = old_id
$$;

comment on function app.rotate_api_key(uuid) is 'Replaces an API key of the tenant; the old one expires in 24 hours.';

create function app.create_client(label text, scopes text[], variant text, user_id uuid) returns table (client_id text, client_secret text)
language sql security definer
set search_path = ''
as $$
  select app.expect_own_scopes(scopes, 'scope_not_own');
  select * from admin.create_oauth_client(app.tenant_id(), label, scopes, variant, user_id)
$$;

comment on function app.create_client(text, text[], text, uuid) is 'Creates an OAuth client of the tenant, whose secret only its result shows.';

create function app.update_client(id uuid, label text, scopes text[], variant text, user_id uuid) returns void
language sql security definer
set search_path = ''
as $$
  select app.expect_own_scopes(c.scopes || update_client.scopes, 'scope_not_own') from public.oauth_clients c
  where c.tenant_id = app.tenant_id() and c.id = update_client.id;
  update public.oauth_clients c set
    label = update_client.label, scopes = update_client.scopes, variant = update_client.variant, user_id = update_client.user_id
  where c.tenant_id = app.tenant_id() and c.id = update_client.id
$$;

comment on function app.update_client(uuid, text, text[], text, uuid) is 'Changes an OAuth client of the tenant.';

create function app.revoke_client(id uuid) returns void
language sql security definer
set search_path = ''
as $$
  select private.revoke_oauth_client(c.client_id) from public.oauth_clients c where c.tenant_id = app.tenant_id() and c.id = revoke_client.id
$$;

comment on function app.revoke_client(uuid) is 'Revokes an OAuth client of the tenant and its tokens.';

create function app.rotate_client_secret(id uuid) returns text
language sql security definer
set search_path = ''
as $$
  select app.expect_own_scopes(c.scopes, 'scope_not_own') from public.oauth_clients c
  where c.tenant_id = app.tenant_id() and c.id = rotate_client_secret.id;
  select admin.rotate_client_secret(c.client_id) from public.oauth_clients c
  where c.tenant_id = app.tenant_id() and c.id = rotate_client_secret.id
$$;

comment on function app.rotate_client_secret(uuid) is 'Replaces the secret of an OAuth client of the tenant; the old one works for 24 hours.';

grant execute on function
  app.networks_of(text[]), app.expect_key_scopes(text[]), app.create_api_key(text, text[], integer, cidr[], timestamptz),
  app.update_api_key(uuid, text, text[], integer, cidr[], timestamptz), app.revoke_api_key(uuid), app.rotate_api_key(uuid),
  app.create_client(text, text[], text, uuid), app.update_client(uuid, text, text[], text, uuid), app.revoke_client(uuid),
  app.rotate_client_secret(uuid) to manage;

-- Administration through the API: what users may do after signing in.

create function app.access_of_user(user_id uuid, out access text, out scopes text[], out linked boolean)
language sql stable security definer
set search_path = ''
as $$
  select private.access_name(s.scopes), s.scopes,
         exists (select from private.user_accounts l where l.tenant_id = app.tenant_id() and l.user_id = access_of_user.user_id)
  from (select private.scopes_of_user(app.tenant_id(), access_of_user.user_id) as scopes) as s
$$;

comment on function app.access_of_user(uuid) is
  'What a user of the tenant may do: the preset (null if none has these scopes), the scopes, and whether the user is linked to an account of Auth.';

create function app.set_user_access(user_id uuid, scopes text[]) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Everyone has these. Beyond them, callers give and take only scopes of their own token.
  perform app.expect_own_scopes(array(
    select unnest(private.scopes_of_user(app.tenant_id(), user_id) || scopes) except select unnest(private.preset_scopes('seller'))), 'scope_not_own');
  perform private.store_user_access(app.tenant_id(), user_id, scopes);
end
$$;

comment on function app.set_user_access(uuid, text[]) is
  'Replaces what a user of the tenant may do. The caller must have each scope, before and after, but those of the preset seller.';

create function app.preset_scopes(preset text) returns text[]
language sql immutable security definer
set search_path = ''
as $$ select private.preset_scopes(preset) $$;

comment on function app.preset_scopes(text) is 'The scopes of a preset of access.';

grant execute on function app.access_of_user(uuid), app.set_user_access(uuid, text[]), app.preset_scopes(text) to manage;

-- Administration through the API: persons.

create function private.check_person_limit() returns void
language plpgsql
set search_path = ''
as $$
declare
  max_per_hour constant integer := 20;
  recent timestamptz[];
begin
  perform pg_advisory_xact_lock(hashtextextended('persons' || app.tenant_id(), 0));
  select array_agg(c.at order by c.at desc) into recent from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.act in ('person.exported', 'person.erased') and c.via <> 'sql' and c.at > now() - interval '1 hour';
  if cardinality(recent) >= max_per_hour then
    perform app.raise_domain_error('person_limit', jsonb_build_object(
      'max', max_per_hour, 'seconds', ceil(extract(epoch from recent[max_per_hour] + interval '1 hour' - now()))));
  end if;
end
$$;

comment on function private.check_person_limit() is 'Rejects more than 20 exports and erasures of a tenant per hour.';

create function app.export_person(email text) returns jsonb
language sql security definer
set search_path = ''
as $$
  select private.check_person_limit();
  select admin.export_person(app.tenant_id(), email)
$$;

comment on function app.export_person(text) is 'Exports the data of a person in the tenant.';

create function app.erase_person(email text) returns jsonb
language sql security definer
set search_path = ''
as $$
  select private.check_person_limit();
  select admin.erase_person(app.tenant_id(), email)
$$;

comment on function app.erase_person(text) is 'Erases the data of a person in the tenant.';

grant execute on function app.export_person(text), app.erase_person(text) to manage;

-- Administration through the API: provider accounts, routes, cost centers and balances. Approval of payouts: payments/approval.sql.

-- Provider accounts -----------------------------------------------------------------------------------------------------

create function app.account_warnings(account_id text) returns text[]
language sql stable security definer
set search_path = ''
as $$ select private.account_warnings(a) from public.provider_accounts a where a.tenant_id = app.tenant_id() and a.id = account_id $$;

comment on function app.account_warnings(text) is 'Warnings about a working account of the tenant, one per line.';

create function app.connect_provider(provider text, key text, settings jsonb, withdrawal_token text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  perform private.connect_provider(app.tenant_id()::text, provider, key, settings, withdrawal_token);
  return '{}';
exception when others then
  if silent then
    raise;
  end if;
  return jsonb_build_object('refusal', sqlerrm);
end
$$;

comment on function app.connect_provider(text, text, jsonb, text) is
  'Connects the tenant to a provider. Returns the refusal, if an error would be logged with the key, so that a later statement raises it.';

create function app.disconnect_provider(account_id text) returns void
language sql security definer
set search_path = ''
as $$ select admin.disconnect_provider(a.id) from public.provider_accounts a where a.tenant_id = app.tenant_id() and a.id = account_id $$;

comment on function app.disconnect_provider(text) is 'Disconnects an account of the tenant once its open orders are finished.';

create function app.reconcile_provider(account_id text) returns void
language sql security definer
set search_path = ''
as $$ select private.reconcile_provider(a.id) from public.provider_accounts a where a.tenant_id = app.tenant_id() and a.id = account_id $$;

comment on function app.reconcile_provider(text) is 'Compares the ledger of the tenant with the statement of its provider as soon as possible.';

create function app.new_withdrawal_token(account_id text) returns table (address text, token text)
language sql security definer
set search_path = ''
as $$
  select n.address, n.token from public.provider_accounts a cross join lateral admin.new_withdrawal_token(a.id) as n
  where a.tenant_id = app.tenant_id() and a.id = account_id
$$;

comment on function app.new_withdrawal_token(text) is 'Creates the token that authenticates Asaas'' requests to approve withdrawals of the tenant.';

grant select on public.provider_differences to manage;
create policy "Administration sees its own differences" on public.provider_differences
  for select to manage using (tenant_id = (select app.tenant_id()));

-- Routes and cost centers -----------------------------------------------------------------------------------------------

create function app.set_provider_route(kind text, region text, currency text, method text, providers text[]) returns void
language sql security definer
set search_path = ''
as $$ select private.set_provider_route(app.tenant_id()::text, kind, region, currency, method, providers) $$;

comment on function app.set_provider_route(text, text, text, text, text[]) is 'Sets the providers of orders of the tenant; an empty list restores the default.';

create function app.register_cost_center(code text, name text, is_default boolean) returns void
language sql security definer
set search_path = ''
as $$ select private.register_cost_center(app.tenant_id(), code, name, is_default) $$;

comment on function app.register_cost_center(text, text, boolean) is 'Creates or changes a cost center of the tenant.';

-- Balances ------------------------------------------------------------------------------------------------------------

create function app.adjust_balance(amount bigint, currency text, reason text) returns text
language sql security definer
set search_path = ''
as $$ select admin.adjust_balance(app.tenant_id(), amount, currency, reason) $$;

comment on function app.adjust_balance(bigint, text, text) is 'Adds a manual entry to the ledger of the tenant and returns its id.';

grant execute on function
  app.account_warnings(text), app.connect_provider(text, text, jsonb, text), app.disconnect_provider(text), app.reconcile_provider(text),
  app.new_withdrawal_token(text), app.set_provider_route(text, text, text, text, text[]), app.set_payout_approval_rule(text, bigint),
  app.register_cost_center(text, text, boolean), app.decide_payout(text, text), app.adjust_balance(bigint, text, text) to manage;


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
