-- Connectors: what is written in a CRM. app.apply_crm_records says what to send; the worker sends it and reports the answer here.

create function app.report_crm_written(account_id text, kind text, placar_id text, record jsonb, send jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
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
$$;

comment on function app.report_crm_written(text, text, text, jsonb, jsonb) is
  'Stores that the CRM has our values ("send", in our terms) and how it wrote them, so that its webhook about it changes nothing.';

create function private.picked_answers(there jsonb, send jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(s.key, coalesce(there -> s.key, s.value)), '{}') from jsonb_each(send) as s
$$;

comment on function private.picked_answers(jsonb, jsonb) is 'The values of the CRM for the members that were sent.';

create function app.report_crm_refused(account_id text, kind text, crm_id text, placar_id text, send jsonb, words text) returns void
language plpgsql security definer
set search_path = ''
as $$
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
$$;

comment on function app.report_crm_refused(text, text, text, text, jsonb, text) is
  'Stores that the CRM refused our values, in its words; they are sent again after they change.';

-- Records that are created in the CRM ------------------------------------------------------------------------------------------------

create function app.begin_crm_creation(account_id text, kind text, placar_id text, is_searched boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
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
$$;

comment on function app.begin_crm_creation(text, text, text, boolean) is
  'Notes that a record is sent to be created in the CRM, and returns its values; null if it is gone. Returns those of an earlier attempt, with its time, if the answer may be lost and the CRM was not searched.';

create function app.report_crm_created(account_id text, kind text, placar_id text, record jsonb, send jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
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
$$;

comment on function app.report_crm_created(text, text, text, jsonb, jsonb) is 'Links a record with the one that was created in the CRM.';

grant execute on function app.report_crm_written(text, text, text, jsonb, jsonb),
                          app.report_crm_refused(text, text, text, text, jsonb, text),
                          app.begin_crm_creation(text, text, text, boolean),
                          app.report_crm_created(text, text, text, jsonb, jsonb) to worker;
