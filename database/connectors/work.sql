-- Connectors: the work of an account, as its job does it. The job claims what is due, and ends with the time of what comes next.

create function private.crm_is_at_work(account public.crm_accounts) returns boolean
language sql immutable
return account.status in ('active', 'connecting', 'failing');

comment on function private.crm_is_at_work(public.crm_accounts) is 'Whether the connector may read and write at the CRM.';

create function app.crm_may_write(account_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$ select private.crm_is_at_work(a) from public.crm_accounts a where a.id = account_id $$;

comment on function app.crm_may_write(text) is 'Whether an account was neither paused nor disconnected since its worker began (worker only).';

create function private.crm_run_due_at(account public.crm_accounts, run_kind text, done_at timestamptz, seconds integer) returns timestamptz
language sql stable
set search_path = ''
as $$
  select greatest(done_at, (
    select max(r.finished_at) from public.crm_runs r
    -- Those before the last check may be of other credentials or settings.
    where r.account_id = account.id and r.kind = run_kind and r.status in ('failed', 'canceled') and r.finished_at > account.checked_at))
    + make_interval(secs => seconds)
$$;

comment on function private.crm_run_due_at(public.crm_accounts, text, timestamptz, integer) is
  'When the next reconciliation or comparison is due, also after one that failed or was canceled; null before the first.';

create function private.crm_reconcile_at(account public.crm_accounts, reconcile_seconds integer, poll_seconds integer) returns timestamptz
language sql stable
set search_path = ''
as $$
  select coalesce(private.crm_run_due_at(
    account, 'reconcile', account.last_reconciled_at, case account.webhook_state when 'polling' then poll_seconds else reconcile_seconds end), now())
$$;

comment on function private.crm_reconcile_at(public.crm_accounts, integer, integer) is 'When the next reconciliation of an imported account is due.';

create function app.begin_crm_work(
  account_id text, functions_url text, reconcile_seconds integer, compare_seconds integer, poll_seconds integer
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  secrets private.crm_secrets;
begin
  update public.crm_accounts a
  set former_urls = array_remove(array_append(array_remove(a.former_urls, a.callback_url), a.callback_url), null),
      callback_url = format('%s/callbacks/crm/%s/%s', functions_url, a.crm, a.id)
  where a.id = account_id and a.callback_url is distinct from format('%s/callbacks/crm/%s/%s', functions_url, a.crm, a.id);
  select a.* into account from public.crm_accounts a where a.id = account_id;
  if not found then
    return null;
  end if;
  select s.* into secrets from private.crm_secrets s where s.account_id = account_id;
  if account.status = 'active' and account.imported_at is not null then
    if private.crm_run_due_at(account, 'compare', account.last_compared_at, compare_seconds) <= now() then
      perform private.start_crm_run(account, 'compare');
    end if;
    if private.crm_reconcile_at(account, reconcile_seconds, poll_seconds) <= now()
       and not exists (select from public.crm_runs r where r.account_id = account_id and r.kind = 'reconcile' and r.finished_at is null) then
      perform private.queue_crm_differences(account), private.start_crm_run(account, 'reconcile');
    end if;
  end if;
  return to_jsonb(account) || jsonb_build_object(
    'tenant', (select t.slug from public.tenants t where t.id = account.tenant_id),
    'credentials', (select v.decrypted_secret::jsonb from vault.decrypted_secrets v where v.id = secrets.credentials),
    'webhook_secret', (select v.decrypted_secret from vault.decrypted_secrets v where v.id = secrets.webhook_secret),
    'webhook_reference', secrets.webhook_reference,
    'activity_types', array(select t.crm_type from public.crm_activity_types t where t.account_id = account_id and t.code is not null order by 1),
    'read_pipelines', array(
      select distinct s.pipeline from public.crm_stages s where s.account_id = account_id and s.read_at > now() - interval '5 minutes' order by 1),
    'is_disconnecting', account.status = 'disconnected' and secrets.credentials is not null,
    'gives_up', account.disconnected_at < now() - interval '1 day',
    'keeps_access', account.status = 'paused' and (select c.is_authorized_in_browser from private.crms c where c.name = account.crm),
    'may_work', private.crm_is_at_work(account) and not coalesce(account.waiting_until > now(), false),
    'has_work', exists (select from public.crm_runs r where r.account_id = account_id and r.finished_at is null)
             or exists (select from private.crm_pending p where p.account_id = account_id),
    'needs_check', account.status <> 'active' or coalesce(account.checked_at < now() - interval '1 day', true));
end
$$;

comment on function app.begin_crm_work(text, text, integer, integer, integer) is
  'An account with its credentials, for its job (worker only). Queues the reconciliation and comparison that are due.';

create function app.end_crm_work(
  account_id text, job_id uuid, claim integer, requests_free_at timestamptz, reconcile_seconds integer, compare_seconds integer, poll_seconds integer
) returns timestamptz
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  next_at timestamptz;
begin
  -- What is queued from here on finds the job released (private.wake_crm).
  update public.crm_accounts a
  set failures = case when a.waiting_until > now() then a.failures else 0 end, waiting_until = case when a.waiting_until > now() then a.waiting_until end,
      mailed_at = case when a.status <> 'active' then a.mailed_at end, requests_free_at = requests_free_at
  where a.id = account_id
  returning * into account;
  if account.status = 'paused' then
    -- Tokens that are not used for days are dead.
    next_at := case when (select c.is_authorized_in_browser from private.crms c where c.name = account.crm) then now() + interval '1 day' end;
  elsif not private.crm_is_at_work(account) then
    next_at := case when account.status = 'disconnected' and exists (
      select from private.crm_secrets s where s.account_id = account_id and s.credentials is not null)
      -- Soon if it was disconnected while this worker was on it.
      then case when account.disconnected_at > now() - interval '1 minute' then now() + interval '2 seconds' else now() + interval '10 minutes' end end;
  elsif account.status = 'connecting' then
    next_at := now();
  elsif account.status = 'failing' then
    next_at := now() + interval '1 minute';
  else
    next_at := least(
      account.checked_at + interval '1 day',
      (select min(now()) from public.crm_runs r where r.account_id = account_id and r.status in ('queued', 'running', 'waiting')),
      case when account.imported_at is not null then least(
        (select min(p.due_at) from private.crm_pending p where p.account_id = account_id),
        private.crm_run_due_at(account, 'compare', account.last_compared_at, compare_seconds),
        private.crm_reconcile_at(account, reconcile_seconds, poll_seconds)) end);
  end if;
  if next_at is not null then
    next_at := greatest(next_at, account.waiting_until);
  end if;
  -- Until the worker has finished the job, only one that is due later is scheduled by private.wake_crm.
  update public.jobs j set locked_until = null, due_at = coalesce(next_at, now() + interval '1 day')
  where j.id = job_id and j.attempts = claim and j.finished_at is null;
  return next_at;
end
$$;

comment on function app.end_crm_work(text, uuid, integer, timestamptz, integer, integer, integer) is
  'When the work of an account goes on; null if nothing is to be done until an admin changes the account.';

-- What waits ---------------------------------------------------------------------------------------------------------------------------

create function app.claim_crm_pending(account_id text, at_most integer, can_wait boolean) returns table (
  kind text, crm_id text, placar_id text, ids bigint[], merge jsonb, take jsonb, tries integer)
language sql security definer
set search_path = ''
as $$
  with named as (
    select p.id, p.kind, p.placar_id, p.merge, p.take, p.can_wait, p.tries, p.due_at,
           coalesce(p.crm_id, (select l.crm_id from public.crm_links l where l.account_id = p.account_id and l.kind = p.kind and l.placar_id = p.placar_id))
             as crm_id
    from private.crm_pending p
    where p.account_id = claim_crm_pending.account_id
      -- It may have been paused or disconnected while the worker is on it.
      and exists (select from public.crm_accounts a where a.id = claim_crm_pending.account_id and private.crm_is_at_work(a))
  ), records as (
    select n.kind, n.crm_id, max(n.placar_id) as placar_id, array_agg(n.id) as ids, max(n.tries) as tries, min(n.due_at) as due_at, bool_and(n.can_wait) as can_wait,
           jsonb_agg(n.merge) filter (where n.merge is not null) as merges, jsonb_agg(n.take) filter (where n.take is not null) as takes
    from named n group by n.kind, n.crm_id, case when n.crm_id is null then n.placar_id end
  )
  select r.kind, r.crm_id, r.placar_id, r.ids,
         case when r.merges is not null then jsonb_build_object(
           'losers', (select jsonb_agg(distinct o.value) from jsonb_array_elements(r.merges) as m, jsonb_array_elements(m.value -> 'losers') as o),
           'former_id', (select max(m.value ->> 'former_id') from jsonb_array_elements(r.merges) as m)) end,
         (select jsonb_object_agg(c.key, c.value) from jsonb_array_elements(r.takes) as t, jsonb_each(t.value) as c), r.tries
  from records r
  where r.due_at <= now() and r.can_wait = claim_crm_pending.can_wait
  -- What is created there comes first, since its webhook must find the link. Then merges, and leads before deals that name them.
  order by r.crm_id is not null, r.merges is null, r.kind <> 'lead', r.kind <> 'deal', r.due_at
  limit at_most
$$;

comment on function app.claim_crm_pending(text, integer, boolean) is
  'Records of an account that are due, with all that is queued about each: those that come before runs, or those that can wait (worker only).';

create function app.end_crm_pending(ids bigint[]) returns void
language sql security definer
set search_path = ''
as $$
  delete from private.crm_pending p where p.id = any (ids)
$$;

comment on function app.end_crm_pending(bigint[]) is 'Deletes queued rows whose work is done.';

create function app.retry_crm_pending(ids bigint[], words text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  max_tries constant integer := 5;
begin
  update private.crm_pending p set tries = p.tries + 1, due_at = now() + make_interval(secs => 2 ^ p.tries) where p.id = any (ids);
  perform private.note_crm_difference(a, p.kind, p.crm_id, p.placar_id, jsonb_build_object('kind', 'read_failed', 'theirs', words))
  from private.crm_pending p join public.crm_accounts a on a.id = p.account_id
  where p.id = any (ids) and p.tries >= max_tries;
  delete from private.crm_pending p where p.id = any (ids) and p.tries >= max_tries;
end
$$;

comment on function app.retry_crm_pending(bigint[], text) is
  'Postpones records that could not be read or applied; after five tries, they become differences "read_failed".';

create function app.unlinked_crm_ids(account_id text, kind text, ids text[]) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select distinct c.id from unnest(ids) as c (id)
  where not exists (
    select from public.crm_links l where l.account_id = unlinked_crm_ids.account_id and l.kind = unlinked_crm_ids.kind and l.crm_id = c.id)
$$;

comment on function app.unlinked_crm_ids(text, text, text[]) is 'Those of these records of a CRM that have no link.';

create function app.contacts_to_read(account_id text, ids text[]) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select c.id from app.unlinked_crm_ids(account_id, 'lead', ids) as c (id)
  where not exists (
    select from public.crm_differences d
    where d.account_id = contacts_to_read.account_id and d.record = 'lead' and d.crm_id = c.id and d.resolved_at is null)
$$;

comment on function app.contacts_to_read(text, text[]) is
  'Those of these contacts that have no link, and no open difference either, which says why they are no leads.';

create function private.unlisted_crm_ids(account public.crm_accounts, owners text[], stages text[]) returns setof text
language sql stable
set search_path = ''
as $$
  select 'owner:' || o.id from unnest(owners) as o (id)
  where not exists (select from public.crm_users u where u.account_id = account.id and u.crm_id = o.id)
  union
  select 'stage:' || o.id from unnest(stages) as o (id)
  where not exists (select from public.crm_stages s where s.account_id = account.id and s.crm_id = o.id)
$$;

comment on function private.unlisted_crm_ids(public.crm_accounts, text[], text[]) is
  'Those of these owners and stages that are not among the users and stages of the CRM that are known.';

create function app.new_crm_ids(account_id text, owners text[], stages text[]) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select n.id from public.crm_accounts a, private.unlisted_crm_ids(a, owners, stages) as n (id)
  where a.id = account_id and n.id <> all (a.unknown_ids)
$$;

comment on function app.new_crm_ids(text, text[], text[]) is
  'Those of these owners and stages, such as owner:7, for which the CRM has to be asked again: they are not known, and it was not asked before.';

create function app.remember_crm_ids(account_id text, owners text[], stages text[]) returns void
language sql security definer
set search_path = ''
as $$
  update public.crm_accounts a
  set unknown_ids = array(
    select n.id from (select unnest(a.unknown_ids) union select private.unlisted_crm_ids(a, owners, stages)) as n (id) limit 1000)
  where a.id = account_id
$$;

comment on function app.remember_crm_ids(text, text[], text[]) is 'Remembers which of these owners and stages the CRM, which was just asked, does not list.';

-- Runs ---------------------------------------------------------------------------------------------------------------------------------

create function app.next_crm_run(account_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  run public.crm_runs;
begin
  update public.crm_runs r
  set status = 'running', waiting_until = null, error = null, started_at = coalesce(r.started_at, clock_timestamp())
  where r.id = (
    select o.id from public.crm_runs o join public.crm_accounts a on a.id = o.account_id
    where o.account_id = account_id and o.status in ('queued', 'running', 'waiting') and private.crm_is_at_work(a)
    order by o.started_at nulls last, o.created_at limit 1)
  returning * into run;
  if not found then
    return null;
  elsif run.kind = 'import' then
    update public.crm_accounts a set counts_since = run.started_at where a.id = account_id and a.counts_since is null;
  end if;
  return to_jsonb(run);
end
$$;

comment on function app.next_crm_run(text) is 'The run of an account to go on with, or null.';

create function app.fail_crm_run(run_id text, words text) returns void
language sql security definer
set search_path = ''
as $$
  update public.crm_runs r set status = 'failed', error = words, finished_at = clock_timestamp()
  where r.id = run_id and r.finished_at is null
$$;

comment on function app.fail_crm_run(text, text) is 'Ends a run because of an error.';

-- Limits and failures ------------------------------------------------------------------------------------------------------------------

create function app.pause_crm_requests(account_id text, seconds double precision, failures integer, words text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until constant timestamptz := clock_timestamp() + make_interval(secs => seconds);
begin
  update public.crm_runs r set status = 'waiting', waiting_until = until, error = words
  where r.account_id = account_id and r.status in ('running', 'waiting');
  update public.crm_accounts a
  set waiting_until = until, failures = pause_crm_requests.failures, reason = case when a.status = 'connecting' then words else a.reason end
  where a.id = account_id;
end
$$;

comment on function app.pause_crm_requests(text, double precision, integer, text) is
  'Sends nothing to the CRM for some seconds, because of its limit or because it does not answer; runs that wait say why, and so does an account that is being connected.';

create function app.fail_crm_account(account_id text, words text) returns void
language sql security definer
set search_path = ''
as $$
  update public.crm_accounts a set status = 'failing', reason = words
  where a.id = account_id and a.status in ('connecting', 'active', 'failing', 'authorizing')
$$;

comment on function app.fail_crm_account(text, text) is 'Marks an account as failing. Its credentials are tried again every minute.';

-- Credentials, users, stages, webhooks -------------------------------------------------------------------------------------------------

create function app.claim_crm_vendor(account_id text, vendor_id text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account public.crm_accounts;
  problem text;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  if account.vendor_id <> vendor_id then
    problem := 'The credentials belong to another company than the one that was connected before. Disconnect and forget this account first.';
  elsif exists (
    select from public.crm_accounts a
    where a.crm = account.crm and a.vendor_id = vendor_id and a.id <> account_id and a.status <> 'disconnected') then
    problem := 'Another workspace has connected this account of the CRM.';
  end if;
  if problem is not null then
    perform app.fail_crm_account(account_id, problem);
    return false;
  end if;
  update public.crm_accounts a set vendor_id = vendor_id where a.id = account_id and a.vendor_id is null;
  return true;
exception when unique_violation then
  perform app.fail_crm_account(account_id, 'Another workspace has connected this account of the CRM.');
  return false;
end
$$;

comment on function app.claim_crm_vendor(text, text) is
  'Whether the account may be of this company at the CRM; marks it as failing if not.';

create function app.record_crm_inspection(account_id text, inspection jsonb) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account public.crm_accounts;
begin
  select a.* into strict account from public.crm_accounts a where a.id = account_id;
  update public.crm_users u set place = null where u.account_id = account_id;
  insert into public.crm_users as u (tenant_id, account_id, crm_id, email, name, place)
  select account.tenant_id, account_id, v.id, lower(btrim(v.email)), v.name, v.place
  from rows from (jsonb_to_recordset(inspection -> 'users') as (id text, email text, name text)) with ordinality as v (id, email, name, place)
  on conflict on constraint crm_users_pkey do update set email = excluded.email, name = excluded.name, place = excluded.place;
  insert into public.crm_stages as s (tenant_id, account_id, crm_id, name, pipeline, pipeline_name, closes, place, read_at)
  select account.tenant_id, account_id, v.id, v.name, v.pipeline, v.pipeline_name, v.closes,
         v.place + coalesce((select max(r.place) from public.crm_stages r where r.account_id = account_id and r.read_at > now() - interval '10 minutes'), 0),
         clock_timestamp()
  from rows from (jsonb_to_recordset(inspection -> 'stages') as (id text, name text, pipeline text, pipeline_name text, closes text))
    with ordinality as v (id, name, pipeline, pipeline_name, closes, place)
  on conflict on constraint crm_stages_pkey do update
  set name = excluded.name, pipeline = excluded.pipeline, pipeline_name = excluded.pipeline_name, closes = excluded.closes, place = excluded.place,
      is_present = true, read_at = excluded.read_at;
  if (inspection ->> 'is_partial')::boolean then
    return false;
  end if;
  update public.crm_stages s set is_present = coalesce(s.read_at > now() - interval '10 minutes', false) where s.account_id = account_id;
  insert into public.crm_activity_types (tenant_id, account_id, crm_type)
  select account.tenant_id, account_id, t.name from jsonb_array_elements_text(inspection -> 'activity_types') as t (name)
  on conflict do nothing;
  update public.crm_accounts a set checked_at = clock_timestamp(), failures = 0, unknown_ids = '{}' where a.id = account_id;
  return true;
end
$$;

comment on function app.record_crm_inspection(text, jsonb) is
  'Stores users, stages and types of activities of an account. Returns whether all were read.';

create function app.record_crm_webhooks(account_id text, state text, reference text, setup text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  update private.crm_secrets s set webhook_reference = reference where s.account_id = account_id;
  update public.crm_accounts a
  set status = case when a.status in ('connecting', 'failing') then 'active' else a.status end, reason = null, webhook_state = state,
      webhook_setup = setup
  where a.id = account_id;
  -- The next check reads all of them again. One that ended before this goes on with the webhooks.
  update public.crm_stages s set read_at = null where s.account_id = account_id and s.read_at is not null;
end
$$;

comment on function app.record_crm_webhooks(text, text, text, text) is 'Stores the state of our webhooks; the account is active then.';

create function app.delete_crm_credentials(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  delete from private.crm_secrets s using public.crm_accounts a
  where s.account_id = account_id and a.id = account_id and a.status = 'disconnected';
  update public.crm_accounts a set webhook_state = 'missing' where a.id = account_id and a.status = 'disconnected';
  perform private.delete_crm_account(a.id) from public.crm_accounts a where a.id = account_id and a.forgotten_at is not null;
end
$$;

comment on function app.delete_crm_credentials(text) is 'Deletes the credentials of a disconnected account, once its webhooks are removed.';

-- OAuth tokens: a refresh token can be used once, so one worker exchanges it, and the next one is stored before the access token is used.

create function app.crm_access_token(account_id text, rejected text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  secrets private.crm_secrets;
  tokens  jsonb;
begin
  select s.* into secrets from private.crm_secrets s where s.account_id = account_id for update;
  select v.decrypted_secret::jsonb into tokens from vault.decrypted_secrets v where v.id = secrets.credentials;
  if (tokens ->> 'refresh_at')::timestamptz > clock_timestamp() and tokens ->> 'access_token' is distinct from rejected then
    return jsonb_build_object('access_token', tokens ->> 'access_token');
  elsif secrets.refreshing_until > clock_timestamp() then
    return jsonb_build_object('is_refreshing', true);
  end if;
  update private.crm_secrets s set refreshing_until = clock_timestamp() + interval '35 seconds' where s.account_id = account_id;
  return jsonb_build_object('refresh_token', tokens ->> 'refresh_token');
end
$$;

comment on function app.crm_access_token(text, text) is
  'The access token, unless the CRM rejected it, or the refresh token for the one worker that is to exchange it, or is_refreshing for the others (worker only).';

create function app.end_crm_refresh(account_id text, exchanged text) returns void
language sql security definer
set search_path = ''
as $$
  update private.crm_secrets s set refreshing_until = null
  from vault.decrypted_secrets v
  where s.account_id = end_crm_refresh.account_id and v.id = s.credentials and v.decrypted_secret::jsonb ->> 'refresh_token' = exchanged
$$;

comment on function app.end_crm_refresh(text, text) is 'Lets another worker exchange the refresh token after this exchange failed.';

create function app.store_crm_tokens(account_id text, access_token text, refresh_token text, expires_in_seconds integer, exchanged text default null) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  silent  constant boolean := private.keep_errors_out_of_log();
  secrets private.crm_secrets;
  stored  jsonb;
begin
  select s.* into secrets from private.crm_secrets s where s.account_id = account_id for update;
  select v.decrypted_secret::jsonb into stored from vault.decrypted_secrets v where v.id = secrets.credentials;
  if stored ->> 'refresh_token' <> exchanged then
    return;
  end if;
  perform vault.update_secret(secrets.credentials, (stored || jsonb_build_object(
    'access_token', access_token, 'refresh_token', refresh_token,
    -- A minute before it expires, or after half of its time.
    'refresh_at', clock_timestamp() + make_interval(secs => greatest(expires_in_seconds - 60, expires_in_seconds / 2.0))))::text);
  update private.crm_secrets s set refreshing_until = null where s.account_id = account_id;
end
$$;

comment on function app.store_crm_tokens(text, text, text, integer, text) is
  'Stores tokens in Vault, unless the account got other credentials since the refresh token that was exchanged for them.';

grant execute on function
  app.begin_crm_work(text, text, integer, integer, integer), app.end_crm_work(text, uuid, integer, timestamptz, integer, integer, integer),
  app.claim_crm_pending(text, integer, boolean), app.end_crm_pending(bigint[]), app.retry_crm_pending(bigint[], text),
  app.crm_may_write(text), app.unlinked_crm_ids(text, text, text[]), app.contacts_to_read(text, text[]), app.new_crm_ids(text, text[], text[]),
  app.remember_crm_ids(text, text[], text[]), app.next_crm_run(text), app.fail_crm_run(text, text),
  app.pause_crm_requests(text, double precision, integer, text), app.fail_crm_account(text, text), app.claim_crm_vendor(text, text),
  app.record_crm_inspection(text, jsonb),
  app.record_crm_webhooks(text, text, text, text), app.delete_crm_credentials(text), app.crm_access_token(text, text), app.store_crm_tokens(text, text, text, integer, text),
  app.end_crm_refresh(text, text) to worker;
