-- Records: the stages of the pipeline. A tenant starts with four.

create table public.pipeline_stages (
  id          uuid        not null default gen_random_uuid(),
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  name        text        not null check (btrim(name) <> ''),
  position    integer     not null,
  probability integer     not null check (probability between 0 and 100),
  created_at  timestamptz not null default statement_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.pipeline_stages is 'Pipeline stages of deals, ordered by position.';
comment on column public.pipeline_stages.position is 'Sort order; gaps are allowed.';
comment on column public.pipeline_stages.probability is 'Probability of winning, in percent.';

create unique index pipeline_stages_name_idx on public.pipeline_stages (tenant_id, lower(name));
create index pipeline_stages_position_idx    on public.pipeline_stages (tenant_id, position, name);

alter table public.pipeline_stages enable row level security;
grant select on public.pipeline_stages to api, service_role;

create policy "A tenant sees its own stages" on public.pipeline_stages
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.stage_record(tenant_id uuid, stage_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('id', s.id, 'name', s.name, 'probability', s.probability)
    from public.pipeline_stages s
    where s.tenant_id = stage_record.tenant_id and s.id = stage_record.stage_id
  );
end
$$;

comment on function app.stage_record(uuid, uuid) is 'A stage as shown in deals.';

grant execute on function app.stage_record(uuid, uuid) to api;

-- When a tenant is created (tenants/tenants.sql).

create function private.add_first_stages() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.pipeline_stages (tenant_id, name, position, probability)
  values (new.id, 'Prospecting', 1, 10), (new.id, 'Qualification', 2, 25),
         (new.id, 'Proposal', 3, 50),    (new.id, 'Negotiation', 4, 75);
  return null;
end
$$;

comment on function private.add_first_stages() is 'Trigger: a new tenant starts with four stages.';

create trigger tenants_add_first_stages
  after insert on public.tenants
  for each row execute function private.add_first_stages();

create function app.stage_of(choice jsonb) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  chosen uuid;
begin
  if choice ->> 'stage_id' is not null then
    select s.id into chosen from public.pipeline_stages s
    where s.tenant_id = app.tenant_id() and s.id = (choice ->> 'stage_id')::uuid;
    return coalesce(chosen, (app.raise_domain_error('stage_missing') ->> 0)::uuid);
  elsif choice ->> 'stage' is not null then
    select s.id into chosen from public.pipeline_stages s
    where s.tenant_id = app.tenant_id()
      and (lower(normalize(s.name, nfc)) = lower(choice ->> 'stage') or s.id::text = lower(choice ->> 'stage'))
    -- Names that differed only in their Unicode form exist from before they were compared without it.
    order by lower(s.name) = lower(choice ->> 'stage') desc limit 1;
    return coalesce(chosen, (app.raise_domain_error('stage_unknown') ->> 0)::uuid);
  end if;
  select s.id into chosen from public.pipeline_stages s where s.tenant_id = app.tenant_id() order by s.position, s.name limit 1;
  return coalesce(chosen, (app.raise_domain_error('pipeline_empty') ->> 0)::uuid);
end
$$;

comment on function app.stage_of(jsonb) is
  'The stage that a body specifies by stage_id or stage, otherwise the first stage; fails with PL400 if there is no such stage.';

grant execute on function app.stage_of(jsonb) to api;
