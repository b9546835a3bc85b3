-- Connectors: applying what was read in a CRM. Runs in the worker's transaction, whose origin is crm:<crm>; a silent one for imports.
--
-- A record arrives as {"id", "updated_at", "values", "unnamed", "owner", "stage", "contact", "closed_at", "pipeline", "faults"}: "values" are those
-- of our members that the connector maps, with texts cut to our limits and without the ids of owner, stage and contact, which are the
-- CRM's. "unnamed" is the name of a new record that has none there. "faults" are differences that were found while reading. "merge" and
-- "take" come from the queue. The winner of a merge that is gone has only "id", "merge" and "is_gone". An activity has "id", "updated_at",
-- "type", "number", "is_done", "done_at" and "owner".

create function private.crm_differences_of(account public.crm_accounts, record jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
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
$$;

comment on function private.crm_differences_of(public.crm_accounts, jsonb) is
  'Differences of a record as it was read: invalid values, an owner who is no user here, a stage that is not mapped.';

create function private.values_there(account public.crm_accounts, kind text, record jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select record -> 'values'
    || case when record ? 'owner' then jsonb_build_object('owner_id', private.user_of_crm(account, record ->> 'owner')) else '{}' end
    || case when kind = 'deal' then jsonb_build_object('lead_id', (private.lead_with_id(
         account.tenant_id, private.linked_id(account, 'lead', record ->> 'contact'))).id) else '{}' end
    -- Without a stage in the CRM, the deal keeps its own.
    || case when kind = 'deal' and record ->> 'stage' is not null then jsonb_build_object(
         'stage_id', coalesce(private.stage_of_crm(account, record ->> 'stage'), app.stage_of('{}'))) else '{}' end
$$;

comment on function private.values_there(public.crm_accounts, text, jsonb) is
  'The values of a record in the CRM by our members, with our ids of owner, lead and stage; the first stage if its own is not mapped.';

-- The link -----------------------------------------------------------------------------------------------------------------------------

create function private.keep_link(account public.crm_accounts, kind text, placar_id text, record jsonb, agreed_here jsonb, agreed_there jsonb)
returns void
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.keep_link(public.crm_accounts, text, text, jsonb, jsonb, jsonb) is 'Stores the link of a record that was applied.';

-- A record with a link, or an adopted one. Returns what happened and what to send.
create function private.apply_to_record(
  account public.crm_accounts, kind text, link public.crm_links, present jsonb, record jsonb, there jsonb, faults jsonb, preview boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.apply_to_record(public.crm_accounts, text, public.crm_links, jsonb, jsonb, jsonb, jsonb, boolean) is
  'Compares a record in stored form with the CRM''s values ("there"), writes what is to be taken, and returns what is to be sent.';

create function private.apply_older_record(account public.crm_accounts, kind text, link public.crm_links, record jsonb, preview boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.apply_older_record(public.crm_accounts, text, public.crm_links, jsonb, boolean) is
  'Takes nothing of a read that is older than what was applied before. What changed here is compared with that, and sent.';

create function private.end_crm_refusal(link public.crm_links) returns void
language sql
set search_path = ''
as $$
  update public.crm_links l set refused = null where l.account_id = link.account_id and l.kind = link.kind and l.crm_id = link.crm_id;
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = link.account_id and d.record = link.kind and d.crm_id = link.crm_id and d.kind = 'refused_there' and d.resolved_at is null
$$;

comment on function private.end_crm_refusal(public.crm_links) is 'Forgets values that the CRM refused and that are not to be sent any more.';

create function private.lock_record(tenant_id uuid, kind text, present jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.lock_record(uuid, text, jsonb) is 'Locks a lead or deal, and returns it as it is; null if it was deleted.';

create function private.write_record(tenant_id uuid, kind text, present jsonb, changed jsonb) returns void
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.write_record(uuid, text, jsonb, jsonb) is 'Writes the members of a lead or deal that a connector can change.';

-- Leads --------------------------------------------------------------------------------------------------------------------------------

create function private.crm_lead_is_taken(account public.crm_accounts, address text, own_id text) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (select from public.leads l where l.tenant_id = account.tenant_id and l.email = address and l.id::text is distinct from own_id)
$$;

comment on function private.crm_lead_is_taken(public.crm_accounts, text, text) is 'Whether another lead has this address.';

create function private.apply_crm_lead(account public.crm_accounts, record jsonb, preview boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.apply_crm_lead(public.crm_accounts, jsonb, boolean) is
  'Applies a contact: its lead by link, else by address, else a new one. A preview writes nothing.';

-- The winner may be adopted by the lead of a loser, so the losers' links go first.
create function private.merge_as_in_crm(account public.crm_accounts, kind text, record jsonb) returns text[]
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.merge_as_in_crm(public.crm_accounts, text, jsonb) is
  'Ends the links of the losers of a merge, and moves that of a winner with another id; returns the leads of the losers.';

-- Deals --------------------------------------------------------------------------------------------------------------------------------

create function private.apply_crm_deal(account public.crm_accounts, record jsonb, preview boolean) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.apply_crm_deal(public.crm_accounts, jsonb, boolean) is
  'Applies a deal: ours by link, else a new one. A preview writes nothing.';

-- Activities ---------------------------------------------------------------------------------------------------------------------------

create function private.apply_crm_activity(account public.crm_accounts, record jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.apply_crm_activity(public.crm_accounts, jsonb) is
  'Records a done activity of a mapped type, once ever: undone and done again changes nothing.';

-- What was deleted there ---------------------------------------------------------------------------------------------------------------

create function private.apply_crm_gone(account public.crm_accounts, kind text, gone_id text) returns jsonb
language plpgsql
set search_path = ''
as $$
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
$$;

comment on function private.apply_crm_gone(public.crm_accounts, text, text) is
  'Ends the link of a record that was deleted in the CRM; voids an activity, and deletes a lead or deal if the account is set to.';

create function private.delete_record(tenant_id uuid, kind text, id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if kind = 'lead' then
    delete from public.leads l where l.tenant_id = delete_record.tenant_id and l.id::text = delete_record.id;
  else
    delete from public.deals d where d.tenant_id = delete_record.tenant_id and d.id::text = delete_record.id;
  end if;
end
$$;

comment on function private.delete_record(uuid, text, text) is 'Deletes a lead or deal.';

-- All records of a read ----------------------------------------------------------------------------------------------------------------

create function app.apply_crm_records(account_id text, kind text, records jsonb, gone text[] default '{}') returns setof jsonb
language plpgsql security definer
set search_path = ''
as $$
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
$$;

comment on function app.apply_crm_records(text, text, jsonb, text[]) is
  'Applies records of one kind that were read in a CRM and those that are gone there; returns for each what was done and what is to be sent.';

grant execute on function app.apply_crm_records(text, text, jsonb, text[]) to worker;
