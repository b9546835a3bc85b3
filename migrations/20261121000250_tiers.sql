-- Tiers by points, which users show.

create table public.tiers (
  id         uuid not null default gen_random_uuid(),
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  name       text not null check (btrim(name) <> ''),
  min_points bigint not null check (min_points >= 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, min_points)
);

comment on table public.tiers is 'Tiers by points: a player is in the highest one whose min_points they have.';

alter table public.tiers enable row level security;
grant select on public.tiers to api;

create policy "A tenant sees its own tiers" on public.tiers
  for select to api using (tenant_id = (select app.tenant_id()));

create function admin.create_tier(tenant_id uuid, name text, min_points bigint) returns uuid
language sql
set search_path = ''
as $$ insert into public.tiers (tenant_id, name, min_points) values (tenant_id, name, min_points) returning id $$;

comment on function admin.create_tier(uuid, text, bigint) is 'Adds a tier, which players are in from so many points on, and returns its id.';

create view admin.tiers with (security_invoker = true) as
  select t.tenant_id, t.id, t.name, t.min_points from public.tiers t;

comment on view admin.tiers is 'Tiers of each tenant, by points.';
