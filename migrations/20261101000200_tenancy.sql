-- Tenants and the plans that limit them.

create table public.plans (
  name                text primary key,
  requests_per_minute integer not null check (requests_per_minute > 0),
  max_users           integer check (max_users > 0)
);

comment on table  public.plans is 'Plans and their limits. Admins may change the numbers; they hold from the next request.';
comment on column public.plans.requests_per_minute is 'Records interface: requests a minute, per tenant.';
comment on column public.plans.max_users is 'Invited and active users that a tenant may have; null means no limit.';

insert into public.plans (name, requests_per_minute, max_users) values
  ('starter',      100,   10),
  ('professional', 500,   50),
  ('enterprise',   2000, null);

create table public.tenants (
  id          uuid primary key default gen_random_uuid(),
  name        text not null check (btrim(name) <> ''),
  slug        text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  plan        text not null default 'starter' references public.plans (name),
  time_zone   text not null default 'America/Sao_Paulo',
  owner_email text,
  created_at  timestamptz not null default now()
);

comment on table  public.tenants is 'A customer of this deployment. Everything else belongs to one.';
comment on column public.tenants.time_zone is 'IANA name; decides where days, months and periods begin.';
comment on column public.tenants.owner_email is 'Notices go here, such as that of a deactivated webhook.';

create index tenants_plan_idx on public.tenants (plan);

create function private.check_time_zone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from pg_catalog.pg_timezone_names where name = new.time_zone) then
    raise exception 'time_zone: "%" is not an IANA time zone', new.time_zone
      using errcode = 'check_violation', hint = 'For example America/Sao_Paulo.';
  end if;
  return new;
end
$$;

comment on function private.check_time_zone() is 'Trigger: a tenant''s time zone must exist.';

create trigger tenants_check_time_zone
  before insert or update of time_zone on public.tenants
  for each row execute function private.check_time_zone();

alter table public.plans   enable row level security;
alter table public.tenants enable row level security;

grant select on public.plans   to api, worker;
grant select on public.tenants to api, worker;

create policy "Plans are public to requests" on public.plans
  for select to api, worker using (true);
create policy "A tenant sees itself" on public.tenants
  for select to api using (id = (select app.tenant_id()));
create policy "Jobs see every tenant" on public.tenants
  for select to worker using (true);

create function admin.create_tenant(
  name        text,
  slug        text,
  plan        text default 'starter',
  time_zone   text default 'America/Sao_Paulo',
  owner_email text default null
) returns uuid
language sql
set search_path = ''
as $$
  insert into public.tenants (name, slug, plan, time_zone, owner_email)
  values (name, slug, plan, time_zone, owner_email)
  returning id
$$;

comment on function admin.create_tenant(text, text, text, text, text) is
  'Creates a tenant and returns its id. Plans: starter, professional, enterprise. Notices go to owner_email.';
