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
$$;

comment on function private.export_person(uuid, text) is
  'All data of a tenant about the person with this email address and merged leads, as JSON by table, with events.';
