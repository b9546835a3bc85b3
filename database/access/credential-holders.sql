-- Access: which callers may be the same person. A caller whose request created or rotated a credential knows its secret, as does the API key that it
-- replaced; a client acts for its user, and did for a former one; and the users of one account are one person. Callers that share any of these
-- count as one: neither may approve a payout that the other requested (payments/approval.sql).

-- Credentials are client ids and ids of API keys.
create table private.credential_holders (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  credential text not null,
  holder     text not null,
  primary key (tenant_id, credential, holder)
);

comment on table  private.credential_holders is
  'Credentials that requests created or rotated: a holder has known the secret of the credential and counts as it.';
comment on column private.credential_holders.credential is 'Client id, or id of an API key.';
comment on column private.credential_holders.holder is 'The credential that created or rotated it, the API key that it replaced, or the user that it acted for.';

alter table private.credential_holders enable row level security;

create function private.record_holder() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder)
  select k.tenant_id, k.id::text, app.current_caller() ->> 'id' from public.api_keys k where tg_table_name = 'api_keys' and k.id::text = to_jsonb(new) ->> 'id'
  union all
  select c.tenant_id, c.client_id, app.current_caller() ->> 'id' from public.oauth_clients c
  where tg_table_name = 'oauth_client_secrets' and c.id = (to_jsonb(new) ->> 'oauth_client_id')::uuid
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_holder() is 'Trigger: remembers which caller created or rotated a credential.';

create trigger record_holder after insert on public.api_keys
  for each row when (app.current_caller() is not null) execute function private.record_holder();
create trigger record_holder after insert on private.oauth_client_secrets
  for each row when (app.current_caller() is not null) execute function private.record_holder();

-- Otherwise people could approve what their client requested, once it no longer acts for them.
create function private.record_former_user() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder) values (old.tenant_id, old.client_id, old.user_id::text)
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_former_user() is 'Trigger: remembers the user that a client acted for, if a request changes it.';

create trigger record_former_user after update of user_id on public.oauth_clients
  for each row when (old.user_id <> coalesce(new.user_id, '00000000-0000-0000-0000-000000000000') and app.current_caller() is not null)
  execute function private.record_former_user();

create function private.holders_of(credential text) returns setof text
language sql stable
set search_path = ''
as $$
  with recursive holders (id) as (
    select holders_of.credential
    union
    select h.holder from holders o
    cross join lateral (
      select k.holder from private.credential_holders k where k.tenant_id = (select app.tenant_id()) and k.credential = o.id
      union all
      -- A client acts for its user.
      select c.user_id::text from public.oauth_clients c
      where c.tenant_id = (select app.tenant_id()) and c.client_id = o.id and c.user_id is not null
      union all
      -- An account that got another address may be that of a second user, too.
      select other.user_id::text from private.user_accounts own
      join private.user_accounts other on other.tenant_id = own.tenant_id and other.auth_user_id = own.auth_user_id
      where own.tenant_id = (select app.tenant_id()) and own.user_id::text = o.id
    ) as h
  )
  select id from holders
$$;

create function private.is_same_person(one jsonb, other jsonb) returns boolean
language sql stable
set search_path = ''
as $$ select exists (select private.holders_of(one ->> 'id') intersect select private.holders_of(other ->> 'id')) $$;

comment on function private.is_same_person(jsonb, jsonb) is
  'Whether one person can act as both callers: by credentials that they made or rotated, or as the user of a client that can.';

comment on function private.holders_of(text) is
  'The credential and all that can act as it: its user, what created or rotated it, other users of the same account, and their holders.';
