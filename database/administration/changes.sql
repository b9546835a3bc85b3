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
