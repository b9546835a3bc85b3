-- Moves of tenants: accounts of people in Auth, and keys of payment providers in Vault. The command reads both at the source and
-- stores them here, at the destination; they pass through its memory only.

create function private.accounts_to_move(tenant_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'user_id', u.user_id, 'account', to_jsonb(a), 'tie', to_jsonb(t),
    'identities', (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from auth.identities i where i.user_id = a.id),
    'shared', exists (select from private.user_accounts o where o.auth_user_id = u.auth_user_id and o.tenant_id <> u.tenant_id)
  )), '[]')
  from private.user_accounts u
  join auth.users a on a.id = u.auth_user_id
  left join private.auth_accounts t on t.auth_user_id = a.id
  where u.tenant_id = accounts_to_move.tenant_id
$$;

comment on function private.accounts_to_move(uuid) is
  'Source: accounts of a tenant''s users with their password hashes, for private.link_accounts at the destination.';

create function private.insertable_columns(table_name regclass) returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(quote_ident(a.attname) order by a.attnum) from pg_catalog.pg_attribute a
  where a.attrelid = insertable_columns.table_name and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;

comment on function private.insertable_columns(regclass) is 'Columns of a table that are not generated, quoted.';

create function private.link_accounts(move_id uuid, people jsonb) returns table (user_id uuid, outcome text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  move     private.tenant_moves := private.expect_move(move_id, 'link_accounts', '{copying,verified,moved}');
  copied   jsonb;
  target   record;
begin
  set local session_replication_role = replica;
  -- Only accounts that no other tenant of the source has, and that no user has here, except by this move or, at its source, this tenant.
  select coalesce(jsonb_agg(p.value), '[]') into copied
  from jsonb_array_elements(people) as p (value), lateral (values ((p.value #>> '{account,id}')::uuid)) as a (id)
  where not (p.value ->> 'shared')::boolean
    and not exists (select from auth.users o where o.email = p.value #>> '{account,email}' and not o.is_sso_user and o.id <> a.id)
    and not exists (select from private.user_accounts o where o.auth_user_id = a.id and o.tenant_id <> move.tenant_id)
    and (a.id = any (move.copied_accounts)
         or not exists (select from auth.users o where o.id = a.id)
         or move.direction = 'out' and exists (select from private.user_accounts o where o.auth_user_id = a.id));
  if move.direction = 'in' then
    update private.tenant_moves m
    set copied_accounts = array(select unnest(m.copied_accounts) union select (c.value #>> '{account,id}')::uuid from jsonb_array_elements(copied) as c (value))
    where m.id = move_id;
  end if;
  for target in
    select * from (values
      ('auth.users'::regclass, 'id', (
        -- The role is part of the tokens that Auth issues.
        select coalesce(jsonb_agg(c.value -> 'account' || '{"aud": "authenticated", "role": "authenticated", "is_super_admin": null}'), '[]')
        from jsonb_array_elements(copied) as c (value))),
      ('auth.identities', 'id', (
        select coalesce(jsonb_agg(i.value || jsonb_build_object('user_id', c.value #> '{account,id}')), '[]')
        from jsonb_array_elements(copied) as c (value), jsonb_array_elements(c.value -> 'identities') as i (value)
        where not exists (select from auth.identities o where o.id = (i.value ->> 'id')::uuid and o.user_id <> (c.value #>> '{account,id}')::uuid))),
      ('private.auth_accounts', 'auth_user_id', (
        select coalesce(jsonb_agg(c.value -> 'tie' || jsonb_build_object('auth_user_id', c.value #> '{account,id}')), '[]')
        from jsonb_array_elements(copied) as c (value) where c.value ->> 'tie' is not null))
    ) as t (name, key_column, rows)
  loop
    execute format(
      'insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1) on conflict (%3$I) do update set (%2$s) = row (%4$s)',
      target.name, array_to_string(private.insertable_columns(target.name), ', '), target.key_column,
      (select string_agg('excluded.' || c, ', ') from unnest(private.insertable_columns(target.name)) as c)) using target.rows;
  end loop;

  delete from private.user_accounts u where u.tenant_id = move.tenant_id;
  return query
    with linked as (
      insert into private.user_accounts (tenant_id, user_id, auth_user_id)
      select move.tenant_id, (p.value ->> 'user_id')::uuid, a.id
      from jsonb_array_elements(people) as p (value)
      join auth.users a on a.deleted_at is null
        and (a.id = (p.value #>> '{account,id}')::uuid or (a.email = p.value #>> '{account,email}' and not a.is_sso_user))
      on conflict do nothing
      returning user_accounts.user_id, user_accounts.auth_user_id
    )
    select (p.value ->> 'user_id')::uuid,
           case when l.user_id is null then 'missing' when p.value #>> '{account,id}' = l.auth_user_id::text then 'copied' else 'linked' end
    from jsonb_array_elements(people) as p (value)
    left join linked l on l.user_id = (p.value ->> 'user_id')::uuid;
  set local session_replication_role = origin;
end
$$;

comment on function private.link_accounts(uuid, jsonb) is
  'Receiving side: copies accounts that only this tenant has, and links users to known accounts; missing are those that other tenants share.';

create function private.forget_copied_accounts(move_id uuid, account_ids uuid[]) returns void
language sql
set search_path = ''
as $$
  delete from auth.users a
  using private.tenant_moves m
  where m.id = move_id and a.id = any (account_ids) and a.id = any (m.copied_accounts)
    and not exists (select from private.user_accounts u where u.auth_user_id = a.id and u.tenant_id <> m.tenant_id)
$$;

comment on function private.forget_copied_accounts(uuid, uuid[]) is
  'Destination of a move that is rolled back: deletes those of these accounts that the move created, unless other tenants use them.';

create function private.provider_secrets_to_move(tenant_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object(
    'api_key', (select jsonb_build_object('secret', v.decrypted_secret, 'name', v.name, 'description', v.description)
                from vault.decrypted_secrets v where v.id = s.api_key),
    'webhook_secret', (select jsonb_build_object('secret', v.decrypted_secret, 'name', v.name, 'description', v.description)
                       from vault.decrypted_secrets v where v.id = s.webhook_secret))), '[]')
  from private.provider_secrets s
  join public.provider_accounts a on a.id = s.account_id
  where a.tenant_id = provider_secrets_to_move.tenant_id
$$;

comment on function private.provider_secrets_to_move(uuid) is 'Source: keys of a tenant''s provider accounts, for private.store_provider_secrets.';

create function private.store_provider_secrets(move_id uuid, secrets jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  move    private.tenant_moves := private.expect_move(move_id, 'store_provider_secrets', '{copying,verified,moved}');
  item    jsonb;
  present private.provider_secrets;
  n       integer := 0;
begin
  if exists (
    select from jsonb_array_elements(secrets) as o (value)
    where not exists (select from public.provider_accounts a where a.tenant_id = move.tenant_id and a.id = o.value ->> 'account_id')
  ) then
    perform private.refuse_argument('secrets', 'are of an account that the tenant does not have');
  end if;
  set local session_replication_role = replica;
  -- Accounts that the sending side no longer has.
  delete from vault.secrets v using private.provider_secrets s, public.provider_accounts a
  where a.tenant_id = move.tenant_id and s.account_id = a.id and v.id in (s.api_key, s.webhook_secret)
    and not exists (select from jsonb_array_elements(secrets) as o (value) where o.value ->> 'account_id' = s.account_id);
  delete from private.provider_secrets s using public.provider_accounts a
  where a.tenant_id = move.tenant_id and s.account_id = a.id
    and not exists (select from jsonb_array_elements(secrets) as o (value) where o.value ->> 'account_id' = s.account_id);
  for item in select value from jsonb_array_elements(secrets) loop
    select s.* into present from private.provider_secrets s where s.account_id = item ->> 'account_id';
    present.api_key := case when item -> 'api_key' ->> 'secret' is not null then private.keep_secret(
      present.api_key, item #>> '{api_key,secret}', item #>> '{api_key,name}', item #>> '{api_key,description}') end;
    present.webhook_secret := case when item -> 'webhook_secret' ->> 'secret' is not null then private.keep_secret(
      present.webhook_secret, item #>> '{webhook_secret,secret}', item #>> '{webhook_secret,name}', item #>> '{webhook_secret,description}') end;
    insert into private.provider_secrets as s (account_id, api_key, api_key_hash, webhook_secret, webhook_reference, withdrawal_token_hash)
    values (item ->> 'account_id', present.api_key, (item ->> 'api_key_hash')::bytea, present.webhook_secret, item ->> 'webhook_reference',
            (item ->> 'withdrawal_token_hash')::bytea)
    on conflict (account_id) do update
    set api_key = excluded.api_key, api_key_hash = excluded.api_key_hash, webhook_secret = excluded.webhook_secret,
        webhook_reference = excluded.webhook_reference, withdrawal_token_hash = excluded.withdrawal_token_hash;
    n := n + 1;
  end loop;
  set local session_replication_role = origin;
  return n;
end
$$;

comment on function private.store_provider_secrets(uuid, jsonb) is
  'Receiving side: stores keys of provider accounts in Vault under new ids, and returns the number of accounts.';
