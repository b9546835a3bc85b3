-- Audit trail: of the URL of a webhook it shows only scheme and host, because the path may contain a secret, as those of chat services
-- do. Replaced values of headers are recorded as replaced, without the values.

set local lock_timeout = '3s';

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

create or replace function private.audited_value(kind text, member text, value jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select case
    when member = 'mission' then to_jsonb((select m.name from public.missions m where m.id::text = value #>> '{}'))
    when member = 'stage' then to_jsonb((select s.name from public.pipeline_stages s where s.id::text = value #>> '{}'))
    when member = 'user' then to_jsonb((select u.email from public.users u where u.id::text = value #>> '{}'))
    when member = 'url' then to_jsonb(private.audited_url(value #>> '{}'))
    when member = 'settings' then (
      select coalesce(jsonb_object_agg(key, m), '{}') from jsonb_each(value) as s (key, m)
      where key in ('municipal_service_code', 'municipal_service_name', 'services', 'taxes', 'observations', 'deductions',
                    'customer_address', 'profile_id', 'source_currency'))
    else value
  end
$$;

create or replace function private.record_change() returns trigger
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
    case when tg_argv[2] = 'url' then private.audited_url(subject ->> 'url') else private.audited_subject(subject, tg_argv[2]) end,
    case when tg_op <> 'INSERT' then before_ end, case when tg_op <> 'DELETE' then after_ end);
  return null;
end
$$;

create or replace function private.record_rotation() returns trigger
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
          webhook.id::text, private.audited_url(webhook.url), replaced, replaced);
      end if;
    when 'provider_secrets' then
      select * into account from public.provider_accounts a where a.id = new.account_id;
      perform private.add_change(account.tenant_id, 'provider_account.updated', 'provider_account', account.id, account.provider, replaced, replaced);
  end case;
  return null;
end
$$;

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
      webhook.tenant_id, kind || '.secret_rotated', kind, webhook.id::text, private.audited_url(webhook.url), replaced,
      case when set_webhook_secret.secret is null then '{"secret": "removed"}' else replaced end);
  end if;
  if set_webhook_secret.secret is not null then
    insert into private.webhook_secrets (endpoint_id, secret) values (webhook_id, set_webhook_secret.secret);
  end if;
end
$$;

create or replace function app.set_webhook_headers(webhook_id uuid, headers jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  names constant text[] := array(select jsonb_object_keys(set_webhook_headers.headers) as name order by name);
  webhook  public.webhook_endpoints;
  known    jsonb;
  kind     text;
  replaced constant jsonb := '{"headers": "replaced"}';
begin
  update public.webhook_endpoints w set header_names = names
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  returning w.* into webhook;
  if not found then
    return;
  end if;
  delete from private.webhook_headers h where h.endpoint_id = webhook_id returning h.headers into known;
  if cardinality(names) > 0 then
    insert into private.webhook_headers (endpoint_id, headers) values (webhook_id, set_webhook_headers.headers);
  end if;
  -- The names are audited with the webhook's row.
  if exists (select from jsonb_each(known) as k where set_webhook_headers.headers -> k.key <> k.value) and private.is_audited() then
    kind := case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end;
    perform private.add_change(
      webhook.tenant_id, kind || '.updated', kind, webhook.id::text, private.audited_url(webhook.url), replaced, replaced);
  end if;
end
$$;

-- A replaced value shows nothing of itself, so it did not change from anything to anything.
create or replace function private.change_summary(act text, subject_kind text, subject_name text, before jsonb, after jsonb, reason text) returns text
language sql immutable
set search_path = ''
as $$
  with words as (
    select replace(subject_kind, '_', ' ') || coalesce(' "' || subject_name || '"', '') as subject,
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
    when act = 'tenant.exported' then format('Exported %s.', subject)
    when act = 'lead.merged' then format('Merged lead %s into another lead.', after ->> 'merged_lead')
    when act = 'external_ids.moved' then format('Moved external ids of client %s to %s (%s).', before ->> 'client', subject, after ->> 'moved')
    when act like '%.secret_rotated' then format('Rotated the secret of %s.', subject)
    when act like '%.rotated' then format('Rotated %s.', subject)
    when act like '%.revoked' then format('Revoked %s.', subject)
    when act like '%.connected' then format('Connected %s.', subject)
    when act like '%.disconnected' then format('Disconnected %s.', subject)
    when act like '%.created' then format('Created %s.', subject)
    when act like '%.deleted' then format('Deleted %s.', subject)
    when count = 1 and jsonb_typeof(after -> member) = 'null' then format('Cleared %s of %s.', members, subject)
    when count = 1 and jsonb_typeof(before -> member) = 'null' and jsonb_typeof(after -> member) in ('number', 'boolean', 'string')
      then format('Set %s of %s to %s.', members, subject, left(after ->> member, 100))
    when count = 1 and jsonb_typeof(after -> member) in ('number', 'boolean', 'string') and before -> member <> after -> member
      then format('Changed %s of %s from %s to %s.', members, subject, left(before ->> member, 100), left(after ->> member, 100))
    else format('Changed %s of %s.', members, subject)
  end
  from words
$$;
