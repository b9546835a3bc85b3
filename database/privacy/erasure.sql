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
