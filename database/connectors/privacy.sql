-- Connectors: what a person's erasure and export do with their tables.

create function private.crm_records_of(tenant_id uuid, ids text[]) returns table (account_id text, kind text, crm_id text, placar_id text)
language sql stable
set search_path = ''
as $$
  select l.account_id, l.kind, l.crm_id, l.placar_id from public.crm_links l
  where l.tenant_id = crm_records_of.tenant_id and l.kind in ('lead', 'deal') and l.placar_id = any (ids)
$$;

comment on function private.crm_records_of(uuid, text[]) is 'The records in CRMs that are linked with these leads and deals.';

-- Records that a person only owns are about other people.
create function private.crm_previews_of(tenant_id uuid, address text, ids text[]) returns setof public.crm_preview_rows
language sql stable
set search_path = ''
as $$
  select p.* from public.crm_preview_rows p
  where p.tenant_id = crm_previews_of.tenant_id
    and (private.is_about(p.fields - 'owner_id', address, ids) or p.placar_id = any (ids)
         or exists (select from private.crm_records_of(crm_previews_of.tenant_id, ids) r
                    join public.crm_runs u on u.account_id = r.account_id where u.id = p.run_id and (r.kind, r.crm_id) = (p.kind, p.crm_id)))
$$;

comment on function private.crm_previews_of(uuid, text, text[]) is 'Rows of previews about the person with this address and these records.';

create function private.crm_differences_about(tenant_id uuid, address text, ids text[]) returns setof public.crm_differences
language sql stable
set search_path = ''
as $$
  select d.* from public.crm_differences d
  where d.tenant_id = crm_differences_about.tenant_id
    and (d.placar_id = any (ids)
         or private.is_about(jsonb_build_array(case jsonb_typeof(d.ours) when 'object' then d.ours - 'owner_id' else d.ours end, d.theirs), address, ids))
$$;

comment on function private.crm_differences_about(uuid, text, text[]) is 'Differences about the person with this address and these records.';

-- A deal keeps its link, so that it is not won again. A lead loses it: a CRM that sends the person again makes a new one.
create function private.erase_crm_records(tenant_id uuid, address text, ids text[]) returns jsonb
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  erased jsonb := '{}';
  n      bigint;
begin
  update public.crm_events e set body = 'Erased'
  where e.tenant_id = erase_crm_records.tenant_id and e.body <> 'Erased'
    and (private.mentions(e.body, address)
         or exists (select from private.crm_records_of(tenant_id, ids) r where (r.account_id, r.kind, r.crm_id) = (e.account_id, e.kind, e.crm_id)));
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('crm_events', n);
  update public.crm_preview_rows p set name = null, fields = null
  from private.crm_previews_of(tenant_id, address, ids) as o
  where p.tenant_id = o.tenant_id and p.id = o.id;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('crm_preview_rows', n);
  update public.crm_differences d set ours = null, theirs = null
  from private.crm_differences_about(tenant_id, address, ids) as o
  where d.tenant_id = o.tenant_id and d.id = o.id;
  get diagnostics n = row_count;
  erased := erased || jsonb_build_object('crm_differences', n);
  delete from public.crm_links l
  where l.tenant_id = erase_crm_records.tenant_id and l.kind = 'lead' and l.placar_id = any (ids);
  get diagnostics n = row_count;
  update public.crm_links l set agreed_here = '{}', agreed_there = '{}', refused = null
  where l.tenant_id = erase_crm_records.tenant_id and l.kind = 'deal' and l.placar_id = any (ids);
  erased := erased || jsonb_build_object('crm_links', n);
  delete from private.crm_creations c using public.crm_accounts a
  where a.id = c.account_id and a.tenant_id = erase_crm_records.tenant_id and c.placar_id = any (ids);
  delete from public.crm_users u where u.tenant_id = erase_crm_records.tenant_id and u.email = address;
  get diagnostics n = row_count;
  return erased || jsonb_build_object('crm_users', n);
end
$$;

comment on function private.erase_crm_records(uuid, text, text[]) is
  'Erases webhooks, previews, differences and agreed values about a person for private.erase_email; returns row counts by table.';
