-- Audit trail: who changed the administration of a workspace, when and what. Triggers write it in the transaction of the change, so it
-- covers the API, SQL and Studio alike. Rows are kept for seven years in monthly partitions and are append-only.

set local lock_timeout = '3s';

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
  if acts_as in ('api', 'payments') then
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

create function private.change_summary(act text, subject_kind text, subject_name text, before jsonb, after jsonb, reason text) returns text
language sql immutable
set search_path = ''
as $$
  with words as (
    select replace(subject_kind, '_', ' ') || coalesce(format(' "%s"', subject_name), '') as subject,
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
    when act like '%.secret_rotated' then format('Rotated the secret of %s.', subject)
    when act like '%.rotated' then format('Rotated %s.', subject)
    when act like '%.revoked' then format('Revoked %s.', subject)
    when act like '%.connected' then format('Connected %s.', subject)
    when act like '%.disconnected' then format('Disconnected %s.', subject)
    when act like '%.merged' then format('Merged %s.', subject)
    when act like '%.moved' then format('Moved %s.', subject)
    when act like '%.created' then format('Created %s.', subject)
    when act like '%.deleted' then format('Deleted %s.', subject)
    when count = 1 and jsonb_typeof(after -> member) in ('number', 'boolean', 'string') and before -> member is not null
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
  actor record;
begin
  select * into actor from private.current_actor();
  insert into public.admin_changes
    (tenant_id, tenant, via, actor_kind, actor_id, actor_name, on_behalf_of, program, act, subject_kind, subject_id, subject_name,
     before, after, reason, summary, request_id)
  values
    (add_change.tenant_id,
     coalesce((select t.slug from public.tenants t where t.id = add_change.tenant_id), case act when 'tenant.deleted' then subject_name end),
     actor.via, actor.kind, actor.id, actor.name, actor.on_behalf_of, actor.program, act, subject_kind, subject_id, subject_name,
     before, after, reason, private.change_summary(act, subject_kind, subject_name, before, after, reason), actor.request_id);
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

comment on function private.is_audited() is 'Whether a person or program acts, and not the service itself, the deletion of a tenant, or a function that records its act itself.';

create function private.audited_act(kind text, op text, before jsonb, after jsonb) returns text
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

comment on function private.audited_act(text, text, jsonb, jsonb) is 'The name of a change in the audit trail.';

create function private.audited_value(kind text, member text, value jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select case
    when member = 'mission' then to_jsonb((select m.name from public.missions m where m.id::text = value #>> '{}'))
    when member = 'stage' then to_jsonb((select s.name from public.pipeline_stages s where s.id::text = value #>> '{}'))
    when member = 'user' then to_jsonb((select u.email from public.users u where u.id::text = value #>> '{}'))
    -- Query parameters may contain a token.
    when member = 'url' then to_jsonb(regexp_replace(value #>> '{}', '[?#].*$', ''))
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
  if before_ is null and after_ is null then
    return null;
  end if;
  if kind = 'webhook' and subject ->> 'interface' = 'payments' then
    subject_kind := 'payment_webhook';
  end if;
  perform private.add_change(
    case when kind = 'tenant' then (subject ->> 'id')::uuid else (subject ->> 'tenant_id')::uuid end,
    private.audited_act(subject_kind, tg_op, before_, after_), subject_kind,
    private.audited_subject(subject, tg_argv[1]),
    case when tg_argv[2] = 'url' then regexp_replace(subject ->> 'url', '[?#].*$', '') else private.audited_subject(subject, tg_argv[2]) end,
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

-- Which tables ------------------------------------------------------------------------------------------------------------

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
    -- allow: expand-contract: creates triggers only
    execute format('create trigger audit_rows after %s on %s for each row execute function private.record_change(%L, %L, %L, %L)',
                   case t.kind when 'tenant' then 'insert' else 'insert or delete' end,
                   t.of_table, t.kind, t.id_column, t.name_column, t.columns);
    -- Only statements that set an audited column run the trigger, so that what the service itself updates costs nothing.
    -- allow: expand-contract: creates triggers only
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
          webhook.id::text, regexp_replace(webhook.url, '[?#].*$', ''), replaced, replaced);
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

create or replace function app.set_webhook_secret(webhook_id uuid, secret text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook  public.webhook_endpoints;
  kind     text;
  replaced constant jsonb := '{"secret": "replaced"}';
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface();
  if not found then
    return;
  end if;
  delete from private.webhook_secrets s where s.endpoint_id = webhook_id;
  if found then
    kind := case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end;
    perform private.add_change(
      webhook.tenant_id, kind || '.secret_rotated', kind, webhook.id::text, regexp_replace(webhook.url, '[?#].*$', ''), replaced,
      case when set_webhook_secret.secret is null then '{"secret": "removed"}' else replaced end);
  end if;
  if set_webhook_secret.secret is not null then
    insert into private.webhook_secrets (endpoint_id, secret) values (webhook_id, set_webhook_secret.secret);
  end if;
end
$$;

-- People and tenants that are erased, exported or deleted ----------------------------------------------------------------------

create function private.erase_changes(tenant_id uuid, address text, replacement text, players text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.upkeep', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null
  where c.tenant_id = erase_changes.tenant_id and c.subject_kind = 'player' and c.subject_id = any (players);
  update public.admin_changes c
  set subject_name = private.without_address(c.subject_name, address, replacement),
      reason = private.without_address(c.reason, address, replacement),
      summary = private.without_address(c.summary, address, replacement),
      actor_name = private.without_address(c.actor_name, address, replacement),
      on_behalf_of = private.without_address(c.on_behalf_of, address, replacement),
      before = private.without_address(c.before::text, address, replacement)::jsonb,
      after = private.without_address(c.after::text, address, replacement)::jsonb
  where c.tenant_id = erase_changes.tenant_id
    and position(address in lower(concat_ws(' ', c.subject_name, c.reason, c.summary, c.actor_name, c.on_behalf_of, c.before::text, c.after::text))) > 0;
  perform set_config('app.upkeep', '', true);
end
$$;

comment on function private.erase_changes(uuid, text, text, text[]) is 'Removes what names an erased person from the audit trail.';

create or replace function admin.erase_person(tenant_id uuid, email text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  address text;
  players text[];
  total   jsonb := '{}';
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('email', email);
  -- Determine all addresses first, because erasing one removes its links to the others.
  foreach address in array private.emails_of_person(tenant_id, lower(btrim(email))) loop
    players := array(select p.id::text from public.players p where p.tenant_id = erase_person.tenant_id and p.email = address);
    select jsonb_object_agg(key, value::bigint + coalesce((total ->> key)::bigint, 0)) into total
    from jsonb_each_text(private.erase_email(tenant_id, address));
    perform private.erase_changes(
      tenant_id, address,
      (select e.replacement from private.erasures e where e.tenant_id = erase_person.tenant_id order by e.id desc limit 1), players);
  end loop;
  perform private.add_change(tenant_id, 'person.erased', 'person', null, null, null, null);
  return total;
end
$$;

-- allow: expand-contract: only people call it, and the function of the same name below replaces it
alter function admin.export_person(uuid, text) set schema private;

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

-- allow: expand-contract: only people call it, and the function of the same name below replaces it
alter function admin.move_external_ids(text, text) set schema private;

create function admin.move_external_ids(from_client text, to_client text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  moved  constant bigint := private.move_external_ids(from_client, to_client);
  client public.oauth_clients;
begin
  select * into client from public.oauth_clients c where c.client_id = to_client;
  perform private.add_change(client.tenant_id, 'external_ids.moved', 'client', client.client_id, client.label,
                             jsonb_build_object('client', from_client), jsonb_build_object('client', to_client, 'moved', moved));
  return moved;
end
$$;

comment on function admin.move_external_ids(text, text) is
  'Moves all external ids of a client to another client of the same tenant, and returns how many.';

-- allow: expand-contract: only people call it, and the function of the same name below replaces it
alter function admin.export_tenant(uuid) set schema private;

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

create or replace function admin.create_login(name text default 'placar_functions') returns table (role text, password text)
language plpgsql
set search_path = ''
as $$
declare
  secret constant text := private.random_base62(32);
begin
  perform private.keep_errors_out_of_log(), private.expect_new_login(name);
  execute format('create role %I login password %L', name, secret);
  execute format('grant placar_login to %I with inherit true, set true', name);
  perform private.add_change(null, 'login.created', 'login', name, name, null, '{"kind": "functions"}');
  return query select name, secret;
end
$$;

-- One row for a rotation, of the old key.
create or replace function admin.rotate_api_key(inout id uuid, out api_key text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  old public.api_keys;
begin
  -- Serializes concurrent rotations of the same key.
  select k.* into old from public.api_keys k where k.id = rotate_api_key.id for update;
  if not found then
    raise exception 'id: API key % does not exist', rotate_api_key.id using errcode = 'no_data_found';
  elsif old.revoked_at is not null or old.expires_at <= now() then
    perform private.refuse_argument('id', format('API key %s is already %s; create a new one', old.id,
                                                 case when old.revoked_at is null then 'expired' else 'revoked' end));
  end if;
  perform set_config('app.audited', 'no', true);
  update public.api_keys k set expires_at = least(k.expires_at, now() + interval '24 hours') where k.id = old.id;
  -- The new key gets the same lifetime as the old one.
  select c.id, c.api_key into id, api_key
  from admin.create_api_key(old.tenant_id, old.label, old.scopes, old.requests_per_hour, old.ip_allowlist,
                            now() + (old.expires_at - old.created_at)) as c;
  perform set_config('app.audited', '', true);
  perform private.add_change(
    old.tenant_id, 'api_key.rotated', 'api_key', old.id::text, old.label, jsonb_build_object('expires_at', old.expires_at),
    jsonb_build_object('expires_at', least(old.expires_at, now() + interval '24 hours')));
end
$$;

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
  for i in 0 .. months_ahead loop
    month := (date_trunc('month', at at time zone 'UTC') + make_interval(months => i))::date;
    name := 'admin_changes_' || to_char(month, 'YYYY_MM');
    if to_regclass('public.' || name) is null
       and not exists (select from public.admin_changes_default d
                       where d.at >= month::timestamp at time zone 'UTC' and d.at < (month + interval '1 month') at time zone 'UTC') then
      execute format('create table public.%I partition of public.admin_changes for values from (%L) to (%L)',
                     name, month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
      execute format('alter table public.%I enable row level security', name);
      execute format('comment on table public.%I is %L', name, 'Audit trail of ' || to_char(month, 'YYYY-MM') || ' (UTC).');
      execute format('create trigger %I before truncate on public.%I execute function private.refuse_change()', name || '_no_truncate', name);
    end if;
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

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, kept) values
  ('public.admin_changes', 'stay', 'a record of what was done in this project', null, null, true);
