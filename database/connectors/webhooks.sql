-- Connectors: webhooks of CRMs, as the request stores them. They are hints: the job of the account reads the records again.

create function app.crm_receiver(account_id text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'tenant_id', a.tenant_id, 'crm', a.crm, 'status', a.status, 'former_urls', a.former_urls,
    'credentials', (select v.decrypted_secret::jsonb from vault.decrypted_secrets v where v.id = s.credentials),
    'webhook_secret', (select v.decrypted_secret from vault.decrypted_secrets v where v.id = s.webhook_secret))
  from public.crm_accounts a left join private.crm_secrets s on s.account_id = a.id
  where a.id = crm_receiver.account_id
$$;

comment on function app.crm_receiver(text) is 'What verifies the webhooks of an account (worker only).';

create function app.store_crm_events(account_id text, hints jsonb, body text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  hint    record;
  is_first boolean := true;
  waiting boolean := false;
begin
  select a.* into account from public.crm_accounts a where a.id = account_id;
  -- Waiting for another transaction would delay the answer to the CRM.
  update public.crm_accounts a set last_event_at = clock_timestamp()
  where a.id = (select o.id from public.crm_accounts o where o.id = account_id for no key update skip locked);
  for hint in select * from jsonb_to_recordset(hints) as h (event_id text, type text, kind text, id text, activity_type text, merge jsonb, body text) loop
    insert into public.crm_events as e (tenant_id, account_id, event_id, type, kind, crm_id, body)
    values (account.tenant_id, account_id, hint.event_id, hint.type, hint.kind, hint.id, coalesce(hint.body, case when is_first then store_crm_events.body end))
    on conflict on constraint crm_events_account_id_event_id_key do update set received_at = excluded.received_at
    -- Bodies without an id of their own are the same event only if they come within ten minutes.
    where e.event_id like 'sha256:%' and e.received_at < excluded.received_at - interval '10 minutes';
    continue when not found;
    is_first := false;
    continue when hint.kind is null;
    -- Types that are not mapped are not read, except to see what became of an activity that was counted, or is listed as a difference.
    continue when hint.activity_type is not null
      and not exists (select from public.crm_activity_types t where t.account_id = account_id and t.crm_type = hint.activity_type and t.code is not null)
      and not exists (select from public.crm_links l where l.account_id = account_id and l.kind = hint.kind and l.crm_id = hint.id)
      and not exists (select from public.crm_differences d
                      where d.account_id = account_id and d.record = hint.kind and d.crm_id = hint.id and d.resolved_at is null);
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, merge, due_at)
    select account.tenant_id, account_id, hint.kind, r.id, r.merge, now() + interval '2 seconds'
    from (
      select hint.id, hint.merge
      union all
      -- Only leads are merged here: other losers are deleted.
      select l.value, null from jsonb_array_elements_text(hint.merge -> 'losers') as l (value) where hint.kind <> 'lead'
    ) as r (id, merge);
    waiting := true;
  end loop;
  if not waiting then
    return true;
  end if;
  perform from public.crm_accounts a where a.id = account_id for share skip locked;
  if not found then
    return false;
  end if;
  perform from public.jobs j where j.name = 'sync-crm' and j.key = account_id for update skip locked;
  if not found and exists (select from public.jobs j where j.name = 'sync-crm' and j.key = account_id) then
    return false;
  end if;
  perform private.wake_crm(account_id, now() + interval '2 seconds');
  return true;
end
$$;

comment on function app.store_crm_events(text, jsonb, text) is
  'Stores a webhook and queues the records that it is about, unless it arrived before. Waits for no other transaction: false if app.wake_crm is still to be called.';

create function app.wake_crm(account_id text) returns void
language sql security definer
set search_path = ''
as $$ select private.wake_crm(account_id) $$;

comment on function app.wake_crm(text) is 'Schedules the work of an account (worker only).';

create function app.count_rejected_crm_event(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  update public.crm_accounts a
  set rejected_events = a.rejected_events + 1,
      rejected_since = case when a.rejected_since > now() - interval '1 minute' then a.rejected_since else now() end,
      rejected_lately = case when a.rejected_since > now() - interval '1 minute' then a.rejected_lately + 1 else 1 end
  where a.id = account_id and not coalesce(a.rejected_since > now() - interval '1 minute' and a.rejected_lately >= 10, false)
$$;

comment on function app.count_rejected_crm_event(text) is 'Counts a webhook without a valid proof, at most ten per minute.';

grant execute on function app.crm_receiver(text), app.store_crm_events(text, jsonb, text), app.wake_crm(text), app.count_rejected_crm_event(text)
  to worker;
