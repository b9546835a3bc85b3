-- Privacy: exporting and deleting a whole tenant.

create function private.tables_of_tenants() returns setof text
language sql stable
set search_path = ''
as $$
  select c.relname::text
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
  order by 1
$$;

comment on function private.tables_of_tenants() is
  'Tables with rows of tenants, except the request log, which is kept after a tenant is deleted.';

create function private.export_tenant(tenant_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  result jsonb;
  name   text;
  rows_  jsonb;
begin
  perform private.expect_tenant(tenant_id);
  select jsonb_build_object('tenant', to_jsonb(t)) into result from public.tenants t where t.id = tenant_id;
  for name in select private.tables_of_tenants() loop
    execute format('select coalesce(jsonb_agg(to_jsonb(t) - $2), ''[]'') from public.%I t where t.tenant_id = $1', name)
    into rows_ using tenant_id, '{tenant_id,search,key_hash,token_hash,public_token}'::text[];
    result := result || jsonb_build_object(name, rows_);
  end loop;
  -- Who may sign in and do what.
  return result || jsonb_build_object(
    'user_access', (select coalesce(jsonb_agg(jsonb_build_object('user_id', a.user_id, 'scopes', a.scopes)), '[]')
                    from private.user_access a where a.tenant_id = export_tenant.tenant_id),
    'trusted_sso', (select coalesce(jsonb_agg(t.sso_provider_id), '[]') from private.trusted_sso t where t.tenant_id = export_tenant.tenant_id));
end
$$;

comment on function private.export_tenant(uuid) is
  'All data of a tenant as JSON by table, without secrets and without the request log (admin.request_log).';

create function admin.delete_tenant(tenant_id uuid, confirm_slug text default null) returns table (what text, row_count bigint, deleted boolean)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  slug_    text;
  emails   text[];
  accounts uuid[];
  name     text;
  n        bigint;
  gone     bigint;
  refused  boolean;
begin
  perform private.expect_tenant(tenant_id);
  select t.slug into slug_ from public.tenants t where t.id = tenant_id for update;
  if confirm_slug is not null and confirm_slug <> slug_ then
    perform private.refuse_argument('confirm_slug', format('"%s" is not the slug of the tenant', confirm_slug),
                                    array[slug_, 'null to list what would be deleted']);
  end if;
  deleted := confirm_slug is not null;

  for name in select private.tables_of_tenants() loop
    execute format('select count(*) from public.%I t where t.tenant_id = $1', name) into n using tenant_id;
    if n > 0 then
      what := name;
      row_count := n;
      return next;
    end if;
  end loop;
  if not deleted then
    return;
  end if;

  perform set_config('app.maintenance', 'on', true);
  select coalesce(array_agg(u.email order by u.id), '{}'), coalesce(array_agg(t.auth_user_id order by u.id), '{}')
  into emails, accounts
  from public.users u
  left join private.user_accounts t on t.tenant_id = u.tenant_id and t.user_id = u.id
  where u.tenant_id = delete_tenant.tenant_id;
  -- Rows cannot be deleted while others reference them, and deletions write events, so repeat until no rows are left.
  loop
    gone := 0;
    refused := false;
    for name in select private.tables_of_tenants() loop
      begin
        execute format('delete from public.%I t where t.tenant_id = $1', name) using tenant_id;
        get diagnostics n = row_count;
        gone := gone + n;
      exception when foreign_key_violation then
        refused := true;
      end;
    end loop;
    delete from private.pending_recounts r where r.tenant_id = delete_tenant.tenant_id;
    exit when gone = 0;
  end loop;
  if refused then
    raise exception 'rows of the tenant are still referenced' using errcode = 'foreign_key_violation';
  end if;
  delete from public.tenants t where t.id = tenant_id;
  perform set_config('app.maintenance', '', true);
  perform private.schedule_auth_sync(null, u.email, u.account_id) from unnest(emails, accounts) as u (email, account_id);
end
$$;

comment on function admin.delete_tenant(uuid, text) is
  'Lists a tenant''s rows by table, or permanently deletes them if confirm_slug is its slug; the request log and Storage files stay.';
