-- Privacy: refunds belong to the person who paid the invoice. Their reasons, and the descriptions of those made at a
-- provider, are free text and are erased with the person.
set local lock_timeout = '3s';

create or replace function private.records_of_person(tenant_id uuid, email text) returns table (kind text, id text)
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

create or replace function private.erased_json(value jsonb, email text, replacement text, ids text[]) returns jsonb
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
          when not coalesce(own, false) or member = 'null' then private.erased_json(member, email, replacement, ids)
          when key in ('name', 'contact_name') then '"Erased person"'
          when key in ('email', 'contact_email', 'to') then to_jsonb(replacement)
          when key in ('description', 'title', 'subject', 'text') then '"Erased"'
          when key in ('phone', 'avatar_url', 'document', 'tax_id', 'company', 'position', 'source', 'loss_reason', 'cancel_reason', 'external_id',
                       'metadata', 'search', 'reason') then 'null'
          when key in ('customer', 'beneficiary') then private.erased_party(member, replacement)
          when key in ('custom_fields', 'external_ids') then '{}'
          when key = 'tags' then '[]'
          else private.erased_json(member, email, replacement, ids)
        end), '{}')
        from jsonb_each(value) as m (key, member)
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(private.erased_json(member, email, replacement, ids) order by place), '[]')
        from jsonb_array_elements(value) with ordinality as e (member, place)
      );
    when 'string' then
      return to_jsonb(private.without_address(value #>> '{}', email, replacement));
    else
      return value;
  end case;
end
$$;

create or replace function admin.export_person(tenant_id uuid, email text) returns jsonb
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

  select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'data', app.event_data(e), 'created_at', e.created_at) order by e.id), '[]')
  into rows_
  from public.events e where e.tenant_id = export_person.tenant_id and exists (
    select from unnest(emails) as a (email) where private.is_about(app.event_data(e), a.email, ids)
  );
  return result || jsonb_build_object('events', rows_);
end
$$;

create or replace function private.erase_payments(tenant_id uuid, address text, replacement text, ids text[]) returns jsonb
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
