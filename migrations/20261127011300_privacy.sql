set local check_function_bodies = off;

-- Privacy: retention of historical data, in days per table for this deployment. Daily maintenance deletes older rows in
-- batches. The request log has its own rule: seven years, by partition.

create table private.retention (
  what       text    primary key,
  days       integer not null,
  least_days integer not null,
  check (days >= least_days)
);

comment on table  private.retention is 'Retention of each table of historical data in days, set with admin.set_retention.';
comment on column private.retention.what is 'Table name.';
comment on column private.retention.days is 'Days to keep rows; daily maintenance deletes older ones.';
comment on column private.retention.least_days is 'Minimum number of days that features such as replays of responses need.';

alter table private.retention enable row level security;

insert into private.retention (what, days, least_days) values
  ('events',             400,  1),
  ('event_positions',     30,  1),
  ('webhook_deliveries',  90,  1),
  ('automation_runs',     90,  1),
  ('merged_leads',       400,  1),
  -- Finished jobs, and those that failed permanently.
  ('jobs',                 7,  1),
  ('failed_jobs',         30,  1),
  ('idempotency_keys',     2,  2),
  ('request_answers',      2,  2),
  ('provider_account_events', 400, 30);

-- Rows are inserted in chronological order, so a BRIN index is enough.
create index events_age_idx             on public.events             using brin (created_at);
create index event_positions_age_idx    on public.event_positions    using brin (created_at);
create index webhook_deliveries_age_idx on public.webhook_deliveries using brin (created_at);
create index merged_leads_age_idx       on public.merged_leads       using brin (merged_at);
create index automation_runs_age_idx    on public.automation_runs    using brin (created_at);
create index provider_account_events_age_idx on public.provider_account_events using brin (received_at);
create index jobs_failed_idx            on public.jobs (failed_at) where failed_at is not null;

create function app.drop_expired(what text, at_most integer default 1000) returns integer
language plpgsql security definer
set search_path = ''
as $$
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
  end case;
  get diagnostics dropped = row_count;
  perform set_config('app.maintenance', '', true);
  return dropped;
end
$$;

comment on function app.drop_expired(text, integer) is
  'Deletes up to at_most rows of a table beyond its retention and returns their number (worker only).';

grant execute on function app.drop_expired(text, integer) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.set_retention(what text, days integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  least_days integer;
begin
  perform private.expect_one_of('what', what, array(select r.what from private.retention r order by r.what));
  select r.least_days into least_days from private.retention r where r.what = set_retention.what;
  perform private.expect_number('days', days, least_days);
  update private.retention r set days = set_retention.days where r.what = set_retention.what;
end
$$;

comment on function private.set_retention(text, integer) is
  'Sets the retention of a table (see admin.retention) in days; referenced events and merged leads of an existing lead are kept.';

create view admin.retention with (security_invoker = true) as
  select what, days, least_days from private.retention;

comment on view admin.retention is 'Retention of each table of historical data, in days.';

-- The export and the erasure of a person find whole email addresses: mariana@example.com does not contain ana@example.com.

-- A character as it stands, or percent-encoded (once or again), or escaped as in JSON.
create function private.address_pattern(email text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select
    -- In the text of JSON, a line break before the address is the escape \n, whose letter is no part of the address. Neither are the
    -- digits of a percent-encoded character that addresses do not contain.
    '(?:(?<=\\[bfnrt])|(?<=%(?:25)*(?:[01][0-9a-f]|2[0-24689acf]|3[a-f]|40|5[b-e]|60|7[b-f]))|(?<![[:alnum:]][._%+''-]*))'
    || (select string_agg(
          format('(?:%s|%s%s)', regexp_replace(c, '([^[:alnum:]])', '\\\1'),
                 regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', '%(?:25)*\1', 'g'),
                 case when c ~ '^[[:ascii:]]$' then '|\\u00' || encode(convert_to(c, 'UTF8'), 'hex') else '' end),
          '' order by place)
        from string_to_table(email, null) with ordinality as s (c, place))
    || '(?!(?:-|%(?:25)*2d)*[[:alnum:]]|(?:\.|%(?:25)*2e)[[:alnum:]])'
$$;

comment on function private.address_pattern(text) is
  'Regular expression that finds an email address, encoded or not, in a text or in the text of JSON, but not as a part of another address.';

create function private.mentions(value text, email text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  -- The expression is slow, so most texts are excluded before.
  select case when position(email in lower(value)) > 0 or value ~* '%(25)*[0-9a-f]{2}|\\u00' then value ~* private.address_pattern(email) else false end
$$;

comment on function private.mentions(text, text) is 'Whether a text contains this email address, encoded or not.';

create function private.erased_text(value text, address text, replacement text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select case when private.mentions(value, address) then regexp_replace(
    value, private.address_pattern(address),
    'erased-' || left(encode(sha256(convert_to(value || replacement, 'UTF8')), 'hex'), 16) || '@erased.invalid', 'gi') else value end
$$;

comment on function private.erased_text(text, text, text) is
  'A text or JSON without an email address. Different texts stay different, because unique ones can contain the address in several spellings.';

create function app.erased_external_id(value text) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select 'erased:' || encode(sha256(convert_to(value, 'UTF8')), 'hex') $$;

comment on function app.erased_external_id(text) is
  'Replaces the external id of an activity that contained an address. An activity that is sent again is recognized by it, and earns no more points.';

grant execute on function app.erased_external_id(text) to api;

-- Texts that callers and admins wrote, in all tables of tenants: a new column needs no change here. The replacement can be longer than the
-- address, and texts have at most 255 characters where their length is checked.
create function private.erase_texts(tenant_id uuid, address text, replacement text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  t     record;
  n     bigint;
  total bigint := 0;
begin
  for t in
    select c.oid::regclass as name,
           string_agg(format(case
             when (c.relname, a.attname) = ('activities', 'external_id')
               then '%1$I = case when private.mentions(%1$I, $2) then app.erased_external_id(%1$I) else %1$I end'
             when a.atttypid = 'text[]'::regtype
               then '%1$I = case when %1$I is not null then array(select left(private.erased_text(i.x, $2, $3), greatest(char_length(i.x), 255)) from unnest(%1$I) with ordinality as i (x, n) order by i.n) end'
             when a.atttypid = 'text'::regtype then '%1$I = left(private.erased_text(%1$I, $2, $3), greatest(char_length(%1$I), 255))'
             else '%1$I = private.erased_text(%1$I::text, $2, $3)::jsonb' end, a.attname), ', ') as changes,
           string_agg(format('%I::text', a.attname), ', ') as texts
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace and s.nspname in ('public', 'private')
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.atttypid in ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype)
    where c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from pg_catalog.pg_attribute o where o.attrelid = c.oid and o.attname = 'tenant_id' and not o.attisdropped)
      -- Other rows refer to the value, deliveries go to it, or the law keeps it. docs/personal-data.md lists them.
      and not exists (select from pg_catalog.pg_constraint k
                      where k.contype = 'f' and (k.conrelid = c.oid and a.attnum = any (k.conkey) or k.confrelid = c.oid and a.attnum = any (k.confkey)))
      and (c.relname, a.attname) not in (('webhook_endpoints', 'url'), ('idempotency_keys', 'key'), ('request_answers', 'key'))
      and c.relname not in ('tax_documents', 'erasures', 'event_values', 'request_log')
    group by c.oid
  loop
    execute format('update %s set %s where tenant_id = $1 and private.mentions(concat_ws('' '', %s), $2)', t.name, t.changes, t.texts)
      using tenant_id, address, replacement;
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  return total;
end
$$;

comment on function private.erase_texts(uuid, text, text) is
  'Replaces an email address, encoded or not, in all texts of a tenant, and returns the number of changed rows.';

-- Privacy: which rows are about a person, and the export of its data.
--
-- Merging leads declares that they are one person, so all their email addresses count as that person's
-- (private.emails_of_person).

create table private.erasures (
  id          bigint      generated always as identity primary key,
  tenant_id   uuid        not null,
  email_hash  bytea       not null check (length(email_hash) = 32),
  replacement text        not null,
  erased      jsonb       not null,
  erased_by   text        not null default session_user,
  erased_at   timestamptz not null default clock_timestamp()
);

comment on table  private.erasures is 'Erased persons without identifying data, kept after the tenant is deleted.';
comment on column private.erasures.email_hash is
  'SHA-256 of the email address in lower case, to find an erasure.';
comment on column private.erasures.replacement is 'Address that replaced the person''s email address.';
comment on column private.erasures.erased is 'Number of erased rows by table.';
comment on column private.erasures.erased_by is 'Database role that ran the erasure.';

alter table private.erasures enable row level security;

create view private.lead_emails with (security_invoker = true) as
  select l.tenant_id, l.id as lead_id, l.email from public.leads l
  union all
  select m.tenant_id, m.merged_into, m.email from public.merged_leads m;

comment on view private.lead_emails is 'Email addresses of each lead, including those of leads merged into it.';

create function private.emails_of_person(tenant_id uuid, email text) returns text[]
language sql stable
set search_path = ''
as $$
  with recursive known (email) as (
    select emails_of_person.email
    union
    select other.email
    from known k
    join private.lead_emails own   on own.tenant_id = emails_of_person.tenant_id and own.email = k.email
    join private.lead_emails other on other.tenant_id = own.tenant_id and other.lead_id = own.lead_id
  )
  select array_agg(k.email order by k.email) from known k
$$;

comment on function private.emails_of_person(uuid, text) is
  'This email address and the addresses of leads merged with the person''s leads.';

-- Refunds belong to the person who paid the invoice. Their reasons, and the descriptions of those made at a
-- provider, are free text and are erased with the person.
create function private.records_of_person(tenant_id uuid, email text) returns table (kind text, id text)
language sql stable
set search_path = ''
as $$
  with own_leads as (
    select l.id from public.leads l where l.tenant_id = records_of_person.tenant_id and l.email = records_of_person.email
  ), own_deals as (
    select d.id from public.deals d
    where d.tenant_id = records_of_person.tenant_id
      and (lower(d.contact_email) = records_of_person.email or d.lead_id in (select l.id from own_leads l))
  )
  select 'players', p.id::text from public.players p
  where p.tenant_id = records_of_person.tenant_id and p.email = records_of_person.email
  union all
  select 'users', u.id::text from public.users u
  where u.tenant_id = records_of_person.tenant_id and u.email = records_of_person.email
  union all
  select 'collaborators', c.id::text from public.collaborators c
  where c.tenant_id = records_of_person.tenant_id and c.email = records_of_person.email
  union all
  select 'leads', l.id::text from own_leads l
  union all
  select 'merged_leads', m.lead_id::text from public.merged_leads m
  where m.tenant_id = records_of_person.tenant_id and m.email = records_of_person.email
  union all
  select 'deals', d.id::text from own_deals d
  union all
  select 'deal_activities', a.id::text from public.deal_activities a
  where a.tenant_id = records_of_person.tenant_id
    and (a.lead_id in (select l.id from own_leads l) or a.deal_id in (select d.id from own_deals d))
  union all
  select 'invoices', i.id from public.invoices i
  where i.tenant_id = records_of_person.tenant_id and lower(i.customer ->> 'email') = records_of_person.email
  union all
  select 'refunds', r.id from public.refunds r
  join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
  where r.tenant_id = records_of_person.tenant_id and lower(i.customer ->> 'email') = records_of_person.email
  union all
  select 'payouts', o.id from public.payouts o
  where o.tenant_id = records_of_person.tenant_id
    and records_of_person.email in (lower(o.beneficiary ->> 'email'), lower(o.beneficiary #>> '{bank_account,key}'))
$$;

comment on function private.records_of_person(uuid, text) is
  'Rows of a tenant about the person with this email address: table and id.';

create function private.is_about(value jsonb, email text, ids text[]) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select private.mentions(value::text, email) or exists (select from unnest(ids) as own (id) where position(own.id in value::text) > 0)
$$;

comment on function private.is_about(jsonb, text, text[]) is
  'Whether JSON contains the email address or one of these ids anywhere.';

-- Export -------------------------------------------------------------------------------------------------------------

-- The export of a person contains no events of leads and deals that they only own, whose data is that of other persons.
create function private.export_person(tenant_id uuid, email text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
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

  -- First the person's own rows, then rows that reference them.
  for item in
    select * from (values
      ('players', 'id', 'players'), ('users', 'id', 'users'), ('collaborators', 'id', 'collaborators'), ('leads', 'id', 'leads'),
      ('merged_leads', 'lead_id', 'merged_leads'), ('deals', 'id', 'deals'), ('deal_activities', 'id', 'deal_activities'), ('invoices', 'id', 'invoices'),
      ('payouts', 'id', 'payouts'), ('invitations', 'user_id', 'users'), ('activities', 'collaborator_id', 'collaborators'),
      ('point_entries', 'player_id', 'players'), ('earned_badges', 'player_id', 'players'),
      ('completed_challenges', 'player_id', 'players'), ('tax_documents', 'invoice_id', 'invoices'),
      ('refunds', 'id', 'refunds'), ('disputes', 'invoice_id', 'invoices')
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

  -- Records that the person only owns are about other people.
  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'data', app.event_data(e), 'created_at', e.created_at) order by e.id), '[]')
  into rows_
  from public.events e where e.tenant_id = export_person.tenant_id and exists (
    select from unnest(emails) as a (email) where private.is_about(app.event_data(e) - '{owner_id,leader_id}'::text[], a.email, ids)
  );
  return result || jsonb_build_object('events', rows_);
end
$$;

comment on function private.export_person(uuid, text) is
  'All data of a tenant about the person with this email address and merged leads, as JSON by table, with events.';

-- Privacy: what an erasure leaves of texts and JSON about a person.

create function private.without_address(value text, email text, replacement text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select case when private.mentions(value, email) then regexp_replace(value, private.address_pattern(email), replacement, 'gi') else value end
$$;

comment on function private.without_address(text, text, text) is 'Replaces an email address in a text.';

create function private.erased_party(value jsonb, replacement text) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case jsonb_typeof(value)
    when 'object' then (
      select coalesce(jsonb_object_agg(key, case
        when key in ('type', 'key_type', 'country', 'currency') then member
        when key = 'name' then '"Erased person"'
        when key = 'email' then to_jsonb(replacement)
        else private.erased_party(member, replacement)
      end), '{}')
      from jsonb_each(value) as m (key, member)
    )
    when 'array' then '[]'::jsonb
    when 'null' then value
    else '"erased"'::jsonb
  end
$$;

comment on function private.erased_party(jsonb, text) is
  'An invoice''s customer or payout''s beneficiary with the same members and no personal data.';

create function private.empty_texts(of_table regclass, kept text[] default '{}') returns text
language sql stable
set search_path = ''
as $$
  select string_agg(format('%I = null', name), ', ') from unnest(private.optional_texts(of_table)) as name where name <> all (kept)
$$;

comment on function private.empty_texts(regclass, text[]) is
  'Assignments that empty the optional texts of a row, so that the text of a column that is added later is erased as well.';

create function private.personal_keys() returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(distinct name)
  from unnest('{public.users,public.collaborators,public.leads,public.deals}'::regclass[]) as t, unnest(private.optional_texts(t)) as name
$$;

comment on function private.personal_keys() is 'Names of the optional texts about a person, which private.empty_texts empties in rows.';

create function private.erased_json(
  value jsonb, email text, replacement text, ids text[], personal text[] default private.personal_keys()) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  own boolean;
begin
  case jsonb_typeof(value)
    when 'object' then
      own := value ->> 'id' = any (ids) or exists (
        select from jsonb_each(value) as m (key, member)
        where jsonb_typeof(member) = 'string' and lower(member #>> '{}') = email
      );
      return (
        select coalesce(jsonb_object_agg(key, case
          when not coalesce(own, false) or member = 'null' then private.erased_json(member, email, replacement, ids, personal)
          when key in ('name', 'contact_name') then '"Erased person"'
          when key in ('email', 'contact_email', 'to') then to_jsonb(replacement)
          when key in ('description', 'title', 'subject', 'text') then '"Erased"'
          -- Collaborators' roles are free texts; those of users are not personal, and events must have them.
          when key = 'role' and member #>> '{}' in ('admin', 'manager', 'sales_rep', 'viewer') then member
          when key = any (personal) or key in ('tax_id', 'cancel_reason', 'external_id', 'metadata', 'search', 'reason') then 'null'
          when key in ('customer', 'beneficiary') then private.erased_party(member, replacement)
          when key in ('custom_fields', 'external_ids') then '{}'
          when key = 'tags' then '[]'
          else private.erased_json(member, email, replacement, ids, personal)
        end), '{}')
        from jsonb_each(value) as m (key, member)
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(private.erased_json(member, email, replacement, ids, personal) order by place), '[]')
        from jsonb_array_elements(value) with ordinality as e (member, place)
      );
    when 'string' then
      return to_jsonb(private.without_address(value #>> '{}', email, replacement));
    else
      return value;
  end case;
end
$$;

comment on function private.erased_json(jsonb, text, text, text[], text[]) is
  'Erases a person from JSON: objects with one of the ids or the address lose name, contact, personal texts and free text; the '
  'address is removed from all text.';

-- Privacy: erasing a person, by email address: name, email address, phone and free text everywhere, including events and stored
-- responses. Aggregates stay: points, money and request log rows without IP addresses. Issued tax documents also stay, as the law
-- requires.

create function private.erase_records(tenant_id uuid, address text, replacement text, ids text[]) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  erased_name constant text := 'Erased person';
  erased      jsonb := '{}';
  n           bigint;
begin
  execute format(
    'update public.users u set name = $3, email = $4, %s, status = ''deactivated'', last_active_at = null, external_ids = ''{}''
     where u.tenant_id = $1 and u.email = $2', private.empty_texts('public.users'))
    using tenant_id, address, erased_name, replacement;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('users', n);
  execute format(
    'update public.collaborators c set name = $3, email = $4, %s, metadata = null where c.tenant_id = $1 and c.email = $2',
    private.empty_texts('public.collaborators'))
    using tenant_id, address, erased_name, replacement;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('collaborators', n);
  update public.activities a set data = null, void_reason = case when a.void_reason is not null then 'Erased' end
  where a.tenant_id = erase_records.tenant_id and a.collaborator_id::text = any (ids);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('activities', n);

  execute format(
    'update public.leads l set name = $3, email = $4, %s, custom_fields = ''{}'', tags = ''{}'', external_ids = ''{}''
     where l.tenant_id = $1 and l.id::text = any ($2)', private.empty_texts('public.leads'))
    using tenant_id, ids, erased_name, replacement;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('leads', n);
  update public.merged_leads m set email = replacement where m.tenant_id = erase_records.tenant_id and m.email = address;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('merged_leads', n);
  execute format(
    'update public.deals d set name = $3, %s, custom_fields = ''{}'', tags = ''{}'', external_ids = ''{}'',
            loss_reason = case when d.loss_reason is not null then ''Erased'' end
     where d.tenant_id = $1 and d.id::text = any ($2)', private.empty_texts('public.deals', '{loss_reason}'))
    using tenant_id, ids, erased_name;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('deals', n);
  update public.deal_activities a set title = null, description = null
  where a.tenant_id = erase_records.tenant_id and a.id::text = any (ids);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('deal_activities', n);
  return erased;
end
$$;

comment on function private.erase_records(uuid, text, text, text[]) is
  'Erases users, collaborators, leads, deals and their data for private.erase_email; returns row counts by table.';

create function private.erase_payments(tenant_id uuid, address text, replacement text, ids text[]) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  erased jsonb := '{}';
  n      bigint;
begin
  update public.invoices i
  set customer = private.erased_party(i.customer, replacement), description = 'Erased', metadata = null,
      cancel_reason = case when i.cancel_reason is not null then 'Erased' end
  where i.tenant_id = erase_payments.tenant_id and i.id = any (ids);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('invoices', n);
  -- The stored PDF contains the payer. It is drawn again if it is opened.
  insert into public.jobs as j (tenant_id, name, key, payload)
  select i.tenant_id, 'remove-boleto', i.id, jsonb_build_object('invoice_id', i.id)
  from public.invoices i
  where i.tenant_id = erase_payments.tenant_id and i.id = any (ids) and i.artifact ? 'boleto'
  on conflict (name, key) do update set due_at = now(), finished_at = null, failed_at = null, failures = 0;
  update public.refunds r set reason = null where r.tenant_id = erase_payments.tenant_id and r.id = any (ids) and r.reason is not null;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('refunds', n);
  update public.payouts o
  set beneficiary = private.erased_party(o.beneficiary, replacement), metadata = null
  where o.tenant_id = erase_payments.tenant_id and o.id = any (ids);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('payouts', n);

  update public.idempotency_keys k
  set response_body = private.erased_json(k.response_body, address, replacement, ids),
      snapshot      = private.erased_json(k.snapshot, address, replacement, ids)
  where k.tenant_id = erase_payments.tenant_id
    and (private.is_about(k.response_body, address, ids) or private.is_about(k.snapshot, address, ids));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('idempotency_keys', n);
  -- Stored bodies use a naming variant, so only the record's id is kept.
  update public.request_answers a set body = jsonb_build_object('data', jsonb_build_object('id', a.body #> '{data,id}'))
  where a.tenant_id = erase_payments.tenant_id and private.is_about(a.body, address, ids);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('request_answers', n);
  -- Provider events also identify people by tax number and account. Their bodies are not needed again.
  update public.provider_account_events e set body = 'Erased'
  where e.tenant_id = erase_payments.tenant_id and e.body <> 'Erased'
    and (private.mentions(e.body, address)
         or exists (
           select from (
             select i.id, i.provider_reference from public.invoices i where i.tenant_id = erase_payments.tenant_id and i.id = any (ids)
             union all
             select o.id, o.provider_reference from public.payouts o where o.tenant_id = erase_payments.tenant_id and o.id = any (ids)
           ) as own
           where position(own.id in e.body) > 0 or position(own.provider_reference in e.body) > 0));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('provider_account_events', n);
  -- Providers name the payer or payee of an order in the descriptions of their statements.
  update public.provider_statement_lines l set description = 'Erased'
  where l.tenant_id = erase_payments.tenant_id and l.description <> 'Erased'
    and (private.mentions(l.description, address)
         or coalesce(l.provider_reference, l.named_reference) in (
           select i.provider_reference from public.invoices i where i.tenant_id = erase_payments.tenant_id and i.id = any (ids)
           union all
           select o.provider_reference from public.payouts o where o.tenant_id = erase_payments.tenant_id and o.id = any (ids)));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('provider_statement_lines', n);
  return erased;
end
$$;

comment on function private.erase_payments(uuid, text, text, text[]) is
  'Erases invoices, payouts, stored responses and provider events for private.erase_email; returns row counts by table.';

create function private.erase_traces(tenant_id uuid, address text, replacement text, ids text[]) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  clients constant text[] := array(
    select c.client_id from public.oauth_clients c where c.tenant_id = erase_traces.tenant_id and c.user_id::text = any (ids));
  erased jsonb := '{}';
  n      bigint;
begin
  -- Pending emails would still be sent to the person.
  delete from public.jobs j
  where j.tenant_id = erase_traces.tenant_id and j.name = 'send-mail' and j.finished_at is null and private.is_about(j.payload, address, '{}');
  update public.jobs j
  set payload = private.erased_json(j.payload, address, replacement, '{}'), key = private.without_address(j.key, address, replacement),
      last_error = private.without_address(j.last_error, address, replacement)
  where j.tenant_id = erase_traces.tenant_id and (private.is_about(j.payload, address, '{}') or private.mentions(concat_ws(' ', j.key, j.last_error), address));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('jobs', n);
  update public.webhook_attempts w set response_excerpt = null, error = private.without_address(w.error, address, replacement)
  where w.tenant_id = erase_traces.tenant_id and private.mentions(concat_ws(' ', w.response_excerpt, w.error), address);
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('webhook_attempts', n);
  update public.request_log r
  set ip = null, path = private.without_address(r.path, address, replacement), reason = private.without_address(r.reason, address, replacement),
      request_id = private.without_address(r.request_id, address, replacement),
      fields = case when r.fields is not null then array(select private.without_address(f, address, replacement) from unnest(r.fields) as f) end,
      query = case when r.query is not null then array(select private.without_address(q, address, replacement) from unnest(r.query) as q) end
  where r.tenant_id = erase_traces.tenant_id
    and (r.client_id = any (clients)
         or r.user_id::text = any (ids)
         or private.mentions(concat_ws(' ', r.path, r.reason, r.request_id, array_to_string(r.fields, ' '), array_to_string(r.query, ' ')), address)
         or exists (select from unnest(ids) as own (id) where position(own.id in r.path) > 0));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('request_log', n);
  return erased;
end
$$;

comment on function private.erase_traces(uuid, text, text, text[]) is
  'Erases traces in jobs, webhook attempts and the request log for private.erase_email; returns row counts by table.';

create function private.deleted_records_of_person(tenant_id uuid, address text) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(distinct d.id), '{}')
  from public.events e
  cross join lateral (select app.event_data(e) as data) as v
  cross join lateral (select v.data ->> 'id' as id) as d
  where e.tenant_id = deleted_records_of_person.tenant_id and split_part(e.type, '.', 1) in ('lead', 'deal', 'user')
    and address in (lower(v.data ->> 'email'), lower(v.data ->> 'contact_email'))
    -- A record that lives can have been given another person's address by mistake.
    and not exists (select from public.leads l where l.tenant_id = e.tenant_id and l.id::text = d.id)
    and not exists (select from public.deals o where o.tenant_id = e.tenant_id and o.id::text = d.id)
    and not exists (select from public.users u where u.tenant_id = e.tenant_id and u.id::text = d.id)
$$;

comment on function private.deleted_records_of_person(uuid, text) is
  'Ids of deleted leads, deals and users that had this email address, from their events.';

create function private.erase_email(tenant_id uuid, address text) returns jsonb
language plpgsql
set search_path = ''
as $$
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
  erased := private.erase_records(tenant_id, address, replacement, ids)
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
$$;

comment on function private.erase_email(uuid, text) is
  'Erases a tenant''s data under one email address in lower case and returns row counts by table.';

create function admin.erase_person(tenant_id uuid, email text) returns jsonb
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
    perform private.erase_changes(tenant_id, players);
  end loop;
  perform private.add_change(tenant_id, 'person.erased', 'person', null, null, null, null);
  return total;
end
$$;

comment on function admin.erase_person(uuid, text) is
  'Permanently erases a person by email address, except points, money and issued tax documents, and returns row counts by table.';

create view admin.erasures with (security_invoker = true) as
  select id, tenant_id, encode(email_hash, 'hex') as email_sha256, replacement, erased, erased_by, erased_at from private.erasures;

comment on view admin.erasures is
  'Erased persons without identifying data, to look up by the SHA-256 of the email address in lower case.';
comment on column admin.erasures.email_sha256 is 'SHA-256 of the email address in lower case, in hex.';
comment on column admin.erasures.erased_at is 'When the person was erased.';

-- Privacy: exporting and deleting a whole tenant.

create function private.tables_of_tenants() returns setof text
language sql stable
set search_path = ''
as $$
  select c.relname::text
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
  order by 1
$$;

comment on function private.tables_of_tenants() is
  'Tables with rows of tenants, except the request log, which is kept after a tenant is deleted.';

create function private.export_tenant(tenant_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  result jsonb;
  name   text;
  rows_  jsonb;
begin
  perform private.expect_tenant(tenant_id);
  select jsonb_build_object('tenant', to_jsonb(t)) into result from public.tenants t where t.id = tenant_id;
  for name in select private.tables_of_tenants() loop
    execute format('select coalesce(jsonb_agg(to_jsonb(t) - $2), ''[]'') from public.%I t where t.tenant_id = $1', name)
    into rows_ using tenant_id, '{tenant_id,search,key_hash,token_hash,public_token}'::text[];
    result := result || jsonb_build_object(name, rows_);
  end loop;
  -- Who may sign in and do what.
  return result || jsonb_build_object(
    'user_access', (select coalesce(jsonb_agg(jsonb_build_object('user_id', a.user_id, 'scopes', a.scopes)), '[]')
                    from private.user_access a where a.tenant_id = export_tenant.tenant_id),
    'trusted_sso', (select coalesce(jsonb_agg(t.sso_provider_id), '[]') from private.trusted_sso t where t.tenant_id = export_tenant.tenant_id));
end
$$;

comment on function private.export_tenant(uuid) is
  'All data of a tenant as JSON by table, without secrets and without the request log (admin.request_log).';

create function admin.delete_tenant(tenant_id uuid, confirm_slug text default null) returns table (what text, row_count bigint, deleted boolean)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  slug_    text;
  emails   text[];
  accounts uuid[];
  name     text;
  n        bigint;
  gone     bigint;
  refused  boolean;
begin
  perform private.expect_tenant(tenant_id);
  select t.slug into slug_ from public.tenants t where t.id = tenant_id for update;
  if confirm_slug is not null and confirm_slug <> slug_ then
    perform private.refuse_argument('confirm_slug', format('"%s" is not the slug of the tenant', confirm_slug),
                                    array[slug_, 'null to list what would be deleted']);
  end if;
  deleted := confirm_slug is not null;

  for name in select private.tables_of_tenants() loop
    execute format('select count(*) from public.%I t where t.tenant_id = $1', name) into n using tenant_id;
    if n > 0 then
      what := name;
      row_count := n;
      return next;
    end if;
  end loop;
  if not deleted then
    return;
  end if;

  perform set_config('app.maintenance', 'on', true);
  select coalesce(array_agg(u.email order by u.id), '{}'), coalesce(array_agg(t.auth_user_id order by u.id), '{}')
  into emails, accounts
  from public.users u
  left join private.user_accounts t on t.tenant_id = u.tenant_id and t.user_id = u.id
  where u.tenant_id = delete_tenant.tenant_id;
  -- Rows cannot be deleted while others reference them, and deletions write events, so repeat until no rows are left.
  loop
    gone := 0;
    refused := false;
    for name in select private.tables_of_tenants() loop
      begin
        execute format('delete from public.%I t where t.tenant_id = $1', name) using tenant_id;
        get diagnostics n = row_count;
        gone := gone + n;
      exception when foreign_key_violation then
        refused := true;
      end;
    end loop;
    delete from private.pending_recounts r where r.tenant_id = delete_tenant.tenant_id;
    exit when gone = 0;
  end loop;
  if refused then
    raise exception 'rows of the tenant are still referenced' using errcode = 'foreign_key_violation';
  end if;
  delete from public.tenants t where t.id = tenant_id;
  perform set_config('app.maintenance', '', true);
  perform private.schedule_auth_sync(null, u.email, u.account_id) from unnest(emails, accounts) as u (email, account_id);
end
$$;

comment on function admin.delete_tenant(uuid, text) is
  'Lists a tenant''s rows by table, or permanently deletes them if confirm_slug is its slug; the request log and Storage files stay.';
