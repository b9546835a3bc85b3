-- Audit trail: rows about people and tenants that are erased, exported, deleted or moved, and changes that only some callers make.

-- People and tenants that are erased, exported or deleted ----------------------------------------------------------------------

create function private.erase_changes(tenant_id uuid, players text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.maintenance', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null
  where c.tenant_id = erase_changes.tenant_id and c.subject_kind = 'player' and c.subject_id = any (players);
  perform set_config('app.maintenance', '', true);
end
$$;

comment on function private.erase_changes(uuid, text[]) is 'Empties the changes of an erased player in the audit trail.';

create function admin.export_person(tenant_id uuid, email text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  data constant jsonb := private.export_person(tenant_id, email);
begin
  perform private.add_change(tenant_id, 'person.exported', 'person', null, null, null, null);
  return data;
end
$$;

comment on function admin.export_person(uuid, text) is
  'All data of a tenant about a person by email address, as JSON by table; the audit trail records the export.';

create function private.empty_changes(tenant_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.maintenance', 'on', true);
  update public.admin_changes c
  set subject_name = null, reason = null, summary = c.act, before = null, after = null, on_behalf_of = null,
      actor_name = case when c.actor_kind = 'person' then null else c.actor_name end
  where c.tenant_id = empty_changes.tenant_id;
  perform set_config('app.maintenance', '', true);
end
$$;

comment on function private.empty_changes(uuid) is 'Removes the content of a tenant''s audit trail, whose rows stay.';

create function private.record_deletion() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.empty_changes(old.id);
  perform private.add_change(old.id, 'tenant.deleted', 'tenant', old.id::text, old.slug, null, null);
  return null;
end
$$;

comment on function private.record_deletion() is 'Trigger: empties the audit trail of a deleted tenant and records the deletion.';

create function private.record_move_end() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.empty_changes(new.tenant_id);
  return null;
end
$$;

comment on function private.record_move_end() is 'Trigger: empties the audit trail of a tenant that has left this project.';

create trigger empty_changes after update of state on private.tenant_moves
  for each row when (new.direction = 'out' and new.state = 'finished' and old.state <> 'finished') execute function private.record_move_end();

create trigger audit_deletion after delete on public.tenants for each row execute function private.record_deletion();

-- What only some callers do -------------------------------------------------------------------------------------------------

create function private.record_merge() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- A merge by a request is one of its records, not of administration.
  if private.is_audited() and coalesce(current_setting('role', true), '') <> 'api' then
    perform private.add_change(new.tenant_id, 'lead.merged', 'lead', new.merged_into::text, null,
                               null, jsonb_build_object('merged_lead', new.lead_id));
  end if;
  return null;
end
$$;

comment on function private.record_merge() is 'Trigger: adds a merge of leads by an admin to the audit trail.';

create trigger audit_merges after insert on public.merged_leads for each row execute function private.record_merge();

create function admin.move_external_ids(from_client text, to_client text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  moved  constant bigint := private.move_external_ids(from_client, to_client);
  client public.oauth_clients;
begin
  if moved > 0 then
    select * into client from public.oauth_clients c where c.client_id = to_client;
    perform private.add_change(client.tenant_id, 'external_ids.moved', 'client', client.client_id, client.label,
                               jsonb_build_object('client', from_client), jsonb_build_object('client', to_client, 'moved', moved));
  end if;
  return moved;
end
$$;

comment on function admin.move_external_ids(text, text) is
  'Moves all external ids of a client to another client of the same tenant, and returns how many.';

create function admin.export_tenant(tenant_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  data constant jsonb := private.export_tenant(tenant_id);
begin
  perform private.add_change(tenant_id, 'tenant.exported', 'tenant', tenant_id::text, data #>> '{tenant,slug}', null, null);
  return data;
end
$$;

comment on function admin.export_tenant(uuid) is
  'All data of a tenant as JSON by table, without secrets and without the request log; the audit trail records the export.';

create function private.expect_rotatable(key public.api_keys) returns void
language plpgsql
set search_path = ''
as $$
declare
  other public.api_keys;
begin
  -- The key that replaced this one, or the one that this one replaced.
  select k.* into other
  from private.credential_holders h
  join public.api_keys k on k.tenant_id = h.tenant_id
    and k.id::text = case when h.holder = key.id::text then h.credential else h.holder end
  where h.tenant_id = key.tenant_id and key.id::text in (h.holder, h.credential)
    and k.revoked_at is null and coalesce(k.expires_at > now(), true)
  limit 1;
  if other.id is not null then
    perform private.refuse_argument('id', format(
      'API key %s is being rotated; its other key %s works until %s. Revoke one of them first', key.id, other.id,
      coalesce(to_char(other.expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), 'it is revoked')), reason => 'key_rotating');
  end if;
end
$$;

comment on function private.expect_rotatable(public.api_keys) is
  'Rejects the rotation of a key while the key that replaced it, or the one that it replaced, still works.';
