-- Connectors: comparing a record here with its record in a CRM, field by field, with the values on which both sides last agreed.
--
-- All values are in our terms (our user, stage and lead ids), by the name of our member: "email", "custom_fields.cpf". A value that
-- is missing is null.

create function private.picked_values(record jsonb, names text[]) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(n.name, coalesce(
    case when n.name like 'custom_fields.%' then record -> 'custom_fields' -> substr(n.name, 15) else record -> n.name end, 'null')), '{}')
  from unnest(names) as n (name)
$$;

comment on function private.picked_values(jsonb, text[]) is 'Members of a record in stored form by name, null if missing.';

create function private.with_values(record jsonb, changed jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select record
      || coalesce((select jsonb_object_agg(c.key, c.value) from jsonb_each(changed) as c where c.key not like 'custom_fields.%'), '{}')
      || jsonb_build_object('custom_fields', (
           select (record -> 'custom_fields') - array(
             select substr(c.key, 15) from jsonb_each(changed) as c where c.key like 'custom_fields.%' and c.value = 'null')
           || coalesce((select jsonb_object_agg(substr(c.key, 15), c.value) from jsonb_each(changed) as c
                        where c.key like 'custom_fields.%' and c.value <> 'null'), '{}')))
$$;

comment on function private.with_values(jsonb, jsonb) is 'A record with changed members; a custom field of null is removed.';

-- Worked example, with direction "both" and the rule "crm", where both sides agreed on {"name": "Ana", "phone": "1", "position": "a"}:
--   here {"name": "Ana", "phone": "2", "position": "b"}, there {"name": "Ana Lima", "phone": "1", "position": "c"}
--   -> take {"name": "Ana Lima", "position": "c"}, send {"phone": "2"}
create function private.compare_sides(here jsonb, there jsonb, agreed_here jsonb, agreed_there jsonb, winner text, choices jsonb default '{}')
returns table (take jsonb, send jsonb)
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(f.key, f.theirs) filter (where f.side = 'theirs'), '{}'),
         coalesce(jsonb_object_agg(f.key, f.ours) filter (where f.side = 'ours'), '{}')
  from (
    select t.key, t.value as theirs, o.ours,
           case
             when t.value = o.ours then 'both'
             when choices ? t.key then choices ->> t.key
             when changed.there and changed.here then winner
             when changed.there then 'theirs'
             when changed.here then 'ours'
             else 'both'
           end as side
    from jsonb_each(there) as t,
    lateral (select coalesce(here -> t.key, 'null') as ours) as o,
    lateral (select t.value <> coalesce(agreed_there -> t.key, 'null') as there,
                    o.ours <> coalesce(agreed_here -> t.key, 'null') as here) as changed
  ) as f
$$;

comment on function private.compare_sides(jsonb, jsonb, jsonb, jsonb, text, jsonb) is
  'Which members to take from the CRM and which to send there; winner (theirs or ours) decides those that changed on both sides.';

create function private.winner_of(account public.crm_accounts, changed_here_at timestamptz, changed_there_at timestamptz) returns text
language sql immutable
set search_path = ''
as $$
  select case coalesce(account.settings ->> 'conflict', 'crm')
    when 'placar' then 'ours'
    when 'latest' then case when changed_here_at > changed_there_at then 'ours' else 'theirs' end
    else 'theirs' end
$$;

comment on function private.winner_of(public.crm_accounts, timestamptz, timestamptz) is
  'The side whose value counts if both changed it, by the account''s setting "conflict".';

-- Ids of the CRM in our terms ------------------------------------------------------------------------------------------------------

create function private.user_of_crm(account public.crm_accounts, crm_user text) returns uuid
language sql stable
set search_path = ''
as $$
  select u.id from public.crm_users c
  join public.users u on u.tenant_id = c.tenant_id and u.email = c.email
  where c.account_id = account.id and c.crm_id = crm_user
$$;

comment on function private.user_of_crm(public.crm_accounts, text) is 'The user with the email address of the CRM''s user; null if there is none.';

create function private.stage_of_crm(account public.crm_accounts, crm_stage text) returns uuid
language sql stable
set search_path = ''
as $$
  select coalesce(c.stage_id, (
    select s.id from public.pipeline_stages s
    where s.tenant_id = c.tenant_id and lower(normalize(s.name, nfc)) = lower(normalize(c.name, nfc))))
  from public.crm_stages c where c.account_id = account.id and c.crm_id = crm_stage
$$;

comment on function private.stage_of_crm(public.crm_accounts, text) is 'The stage that a CRM''s stage is mapped to, else the one of its name.';

create function private.linked_id(account public.crm_accounts, kind text, crm_id text) returns text
language sql stable
set search_path = ''
as $$
  select l.placar_id from public.crm_links l
  where l.account_id = account.id and l.kind = linked_id.kind and l.crm_id = linked_id.crm_id
$$;

comment on function private.linked_id(public.crm_accounts, text, text) is 'Our id of a CRM''s record; null if it has no link.';

create function private.lead_with_id(tenant_id uuid, id text) returns public.leads
language sql stable
set search_path = ''
as $$
  select l from public.leads l
  where l.tenant_id = lead_with_id.tenant_id and l.id in (lead_with_id.id::uuid, (
    select m.merged_into from public.merged_leads m where m.tenant_id = lead_with_id.tenant_id and m.lead_id = lead_with_id.id::uuid))
$$;

comment on function private.lead_with_id(uuid, text) is 'The lead with this id, or the one that it was merged into here; null if it was deleted.';

-- Our ids in the CRM's terms -------------------------------------------------------------------------------------------------------

create function private.reads_pipeline(account public.crm_accounts, pipeline text) returns boolean
language sql immutable
return coalesce(account.settings -> 'pipelines', '"all"') ?| array['all', pipeline];

comment on function private.reads_pipeline(public.crm_accounts, text) is 'Whether the account''s settings include the deals of a pipeline.';

create function private.in_terms_of_crm(account public.crm_accounts, sent jsonb, pipeline text) returns jsonb
language sql stable
set search_path = ''
as $$
  select sent - '{owner_id,stage_id,lead_id,company}'::text[]
    || case when sent ? 'owner_id' then jsonb_build_object('owner', (
         select c.crm_id from public.users u join public.crm_users c on c.account_id = account.id and c.email = u.email
         where u.tenant_id = account.tenant_id and u.id::text = sent ->> 'owner_id'
         order by c.place, c.crm_id limit 1)) else '{}' end
    || case when sent ? 'stage_id' then jsonb_build_object('stage', (
         select c.crm_id from public.crm_stages c
         where c.account_id = account.id and c.is_present and c.closes is null and private.reads_pipeline(account, c.pipeline)
           and private.stage_of_crm(account, c.crm_id)::text = sent ->> 'stage_id'
         order by c.pipeline is not distinct from in_terms_of_crm.pipeline desc, c.stage_id is not null desc, c.place limit 1)) else '{}' end
    || case when sent ? 'lead_id' then jsonb_build_object('contact', (
         select min(l.crm_id) from public.crm_links l
         where l.account_id = account.id and l.kind = 'lead' and l.state = 'linked' and l.placar_id in (
           select sent ->> 'lead_id' union all
           select m.lead_id::text from public.merged_leads m
           where m.tenant_id = account.tenant_id and m.merged_into::text = sent ->> 'lead_id'))) else '{}' end
$$;

comment on function private.in_terms_of_crm(public.crm_accounts, jsonb, text) is
  'Values to send, with the CRM''s ids of owner, stage and contact, null if it has none; without the company''s name.';

create function private.sendable_values(account public.crm_accounts, wanted jsonb, pipeline text)
returns table (send jsonb, sent jsonb, faults jsonb)
language sql stable
set search_path = ''
as $$
  with in_their_terms as materialized (select private.in_terms_of_crm(account, wanted, pipeline) as terms)
  select coalesce(jsonb_object_agg(m.ours, m.value) filter (where m.fits), '{}'),
         coalesce(jsonb_object_agg(m.theirs, m.value_there) filter (where m.fits), '{}'),
         coalesce(jsonb_agg(jsonb_build_object('kind', m.fault, 'field', m.ours, 'ours', m.value)) filter (where not m.fits and m.fault is not null), '[]')
  from (
    select n.ours, n.theirs, n.fault, n.value, t.terms -> n.theirs as value_there,
           t.terms ? n.theirs and (n.value = 'null' or t.terms -> n.theirs <> 'null') as fits
    from in_their_terms t, (
      select w.key as ours, w.value, coalesce(i.theirs, w.key) as theirs, i.fault
      from jsonb_each(wanted) as w
      left join (values ('owner_id', 'owner', 'unknown_owner'), ('stage_id', 'stage', 'unmapped_stage'), ('lead_id', 'contact', 'missing_email'))
        as i (ours, theirs, fault) on i.ours = w.key
    ) as n
  ) as m
$$;

comment on function private.sendable_values(public.crm_accounts, jsonb, text) is
  'Those of our values that the CRM can have, in our terms and in its own, and a difference for each owner, stage and lead that it does not have.';
