-- SQL functions of the bare handler that does each request in one call: set the tenant and the role `api`, do the work under
-- row-level security, and return the response as text. plpgsql caches the plans.
create schema bare;
grant usage on schema bare to api;

create function bare.enter(tenant uuid) returns void language sql
as $$ select set_config('role', 'api', true), set_config('app.tenant_id', tenant::text, true) $$;

create type bare.lead as (
  id uuid, name text, email text, phone text, company text, "position" text, source text, status text, owner_id uuid,
  team_id uuid, custom_fields jsonb, tags text[], created_at timestamptz, updated_at timestamptz
);

create function bare.get_lead(tenant uuid, wanted uuid) returns text language plpgsql
as $$
declare answer text;
begin
  perform bare.enter(tenant);
  select row_to_json(r)::text into answer from (
    select id, name, email, phone, company, position, source, status, owner_id, team_id, custom_fields, tags, created_at, updated_at
    from public.leads where id = wanted
  ) as r;
  return '{"data":' || answer || '}';
end $$;

create function bare.list_leads(tenant uuid, wanted text) returns text language plpgsql
as $$
declare page text; total bigint;
begin
  perform bare.enter(tenant);
  select json_agg(r)::text into page from (
    select id, name, email, phone, company, position, source, status, owner_id, team_id, custom_fields, tags, created_at, updated_at
    from public.leads where status = wanted order by created_at desc, id desc limit 25
  ) as r;
  select count(*) into total from public.leads where status = wanted;
  return '{"data":' || coalesce(page, '[]') || ',"meta":{"total":' || total || '}}';
end $$;

create function bare.create_lead(tenant uuid, body text) returns text language plpgsql
as $$
declare answer bare.lead;
begin
  perform bare.enter(tenant);
  insert into public.leads (name, email, phone, company, position, source, custom_fields, tags)
  select name, email, phone, company, position, source, custom_fields, tags
  from jsonb_populate_record(null::public.leads, body::jsonb)
  returning id, name, email, phone, company, position, source, status, owner_id, team_id, custom_fields, tags, created_at, updated_at
  into answer;
  return '{"data":' || row_to_json(answer)::text || '}';
end $$;

create function bare.update_lead(tenant uuid, wanted uuid, body text) returns text language plpgsql
as $$
declare answer bare.lead;
begin
  perform bare.enter(tenant);
  update public.leads set position = body::jsonb ->> 'position', custom_fields = body::jsonb -> 'custom_fields'
  where id = wanted
  returning id, name, email, phone, company, position, source, status, owner_id, team_id, custom_fields, tags, created_at, updated_at
  into answer;
  return '{"data":' || row_to_json(answer)::text || '}';
end $$;
