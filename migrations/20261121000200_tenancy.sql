-- Tenancy: tenants and the plans that limit them. Everything else belongs to a tenant and goes with it. A tenant's time zone
-- decides where its days begin; the functions of its calendar are at the end.
--
-- Hangs on it from elsewhere: a new tenant gets its first pipeline stages (records_deals).

create table public.plans (
  name                         text    primary key,
  requests_per_minute          integer not null check (requests_per_minute > 0),
  max_users                    integer check (max_users > 0),
  max_invitation_mails_per_day integer check (max_invitation_mails_per_day > 0),
  max_webhooks                 integer check (max_webhooks > 0),
  max_webhooks_per_host        integer check (max_webhooks_per_host > 0)
);

comment on table  public.plans is 'Plans and their limits. Admins may change the numbers; they hold from the next request.';
comment on column public.plans.name is 'What tenants name it by: starter, professional, enterprise.';
comment on column public.plans.requests_per_minute is 'Records interface: requests a minute, per tenant.';
comment on column public.plans.max_users is 'Invited and active users that a tenant may have; null means no limit.';
comment on column public.plans.max_invitation_mails_per_day is
  'Mails of invitations that a tenant may send in 24 hours; further ones wait. Null means no limit.';
comment on column public.plans.max_webhooks is 'Webhooks that a tenant may have, of both interfaces; null means no limit.';
comment on column public.plans.max_webhooks_per_host is
  'Of these, how many may lead to one host, so that one event is not many requests there; null means no limit.';

alter table public.plans enable row level security;
grant select on public.plans to api, worker;

create policy "Plans are public to requests" on public.plans
  for select to api, worker using (true);

insert into public.plans
  (name, requests_per_minute, max_users, max_invitation_mails_per_day, max_webhooks, max_webhooks_per_host)
values
  ('starter',      100,  10,   50,   20,  5),
  ('professional', 500,  50,   200,  50,  5),
  ('enterprise',   2000, null, 2000, 100, 5);

create table public.tenants (
  id                      uuid        primary key default gen_random_uuid(),
  name                    text        not null check (btrim(name) <> ''),
  slug                    text        not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  plan                    text        not null default 'starter' references public.plans (name),
  time_zone               text        not null default 'America/Sao_Paulo',
  owner_email             text,
  nfse_cancellation_hours integer     check (nfse_cancellation_hours > 0),
  created_at              timestamptz not null default now()
);

comment on table  public.tenants is 'A customer of this deployment. Everything else belongs to one.';
comment on column public.tenants.slug is 'Short name for addresses and scripts; unique in the deployment.';
comment on column public.tenants.time_zone is 'IANA name; decides where days, months and periods begin.';
comment on column public.tenants.owner_email is 'Notices go here, such as that of a deactivated webhook.';
comment on column public.tenants.nfse_cancellation_hours is
  'Hours after issuance in which an NFS-e can be canceled; null means the calendar day of issuance in the tenant''s time zone.';

create index tenants_plan_idx on public.tenants (plan);

alter table public.tenants enable row level security;
grant select on public.tenants to api, worker, service_role;

create policy "A tenant sees itself" on public.tenants
  for select to api using (id = (select app.tenant_id()));
create policy "Jobs see every tenant" on public.tenants
  for select to worker using (true);

create function private.check_time_zone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from pg_catalog.pg_timezone_names where name = new.time_zone) then
    perform private.refuse_argument(
      'time_zone', format('"%s" is not an IANA time zone', new.time_zone),
      array(select name from pg_catalog.pg_timezone_names where name !~ '^(posix|right)/'
            order by extensions.similarity(name, new.time_zone) desc, name));
  end if;
  return new;
end
$$;

comment on function private.check_time_zone() is 'Trigger: a tenant''s time zone must exist.';

create trigger tenants_check_time_zone
  before insert or update of time_zone on public.tenants
  for each row execute function private.check_time_zone();

create function private.expect_tenant(tenant_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.tenants t where t.id = expect_tenant.tenant_id) then
    perform private.refuse_argument(
      'tenant_id', case when tenant_id is null then 'is required' else format('there is no tenant %s', tenant_id) end,
      array(select format('%s (%s)', t.id, t.slug) from public.tenants t order by t.slug));
  end if;
end
$$;

comment on function private.expect_tenant(uuid) is 'Refuses the id of no tenant, and lists those that there are.';

create function private.expect_plan(plan text) returns void
language sql
set search_path = ''
as $$ select private.expect_one_of('plan', plan, array(select name from public.plans order by requests_per_minute)) $$;

comment on function private.expect_plan(text) is 'Refuses the name of no plan.';

create function admin.create_tenant(
  name        text,
  slug        text,
  plan        text default 'starter',
  time_zone   text default 'America/Sao_Paulo',
  owner_email text default null
) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  new_id uuid;
begin
  perform private.expect_filled('name', name), private.expect_filled('slug', slug), private.expect_plan(plan);
  if slug !~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    perform private.refuse_argument('slug', format('"%s" is no short name', slug),
                                    array['a-z and 0-9, in parts joined by single hyphens, such as acme-brasil']);
  elsif exists (select from public.tenants t where t.slug = create_tenant.slug) then
    perform private.refuse_argument('slug', format('"%s" is another tenant''s', slug));
  end if;
  insert into public.tenants (name, slug, plan, time_zone, owner_email)
  values (create_tenant.name, create_tenant.slug, create_tenant.plan, create_tenant.time_zone, create_tenant.owner_email)
  returning id into new_id;
  return new_id;
end
$$;

comment on function admin.create_tenant(text, text, text, text, text) is
  'Creates a tenant and returns its id. Plans: starter, professional, enterprise. Notices go to owner_email.';

create function admin.set_plan(tenant_id uuid, plan text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_tenant(tenant_id), private.expect_plan(plan);
  update public.tenants t set plan = set_plan.plan where t.id = set_plan.tenant_id;
end
$$;

comment on function admin.set_plan(uuid, text) is
  'Puts a tenant on another plan, from the next request on. A smaller one takes no user away; it refuses further invitations.';

create view admin.tenants with (security_invoker = true) as
  select t.id, t.name, t.slug, t.plan, p.requests_per_minute, p.max_users, t.time_zone, t.owner_email,
         t.nfse_cancellation_hours, t.created_at
  from public.tenants t
  join public.plans p on p.name = t.plan;

comment on view admin.tenants is 'Every tenant, with its plan and what that allows.';

-- The tenant's calendar -----------------------------------------------------------------------------------------------

create function private.today(tenant_id uuid) returns date
language plpgsql stable
set search_path = ''
as $$
begin
  return (select (now() at time zone t.time_zone)::date from public.tenants t where t.id = tenant_id);
end
$$;

comment on function private.today(uuid) is 'The date in the tenant''s time zone.';

create function app.local_midnight(day date) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  return (select day::timestamp at time zone t.time_zone from public.tenants t where t.id = app.tenant_id());
end
$$;

comment on function app.local_midnight(date) is 'When a day begins in the tenant''s time zone.';

grant execute on function app.local_midnight(date) to api;

create function app.period(
  tenant_id  uuid,
  name       text,
  start_date date default null,
  end_date   date default null
) returns tstzrange
language sql stable
set search_path = ''
as $$
  select tstzrange(
    case
      when period.name = 'all_time' then '-infinity'
      when period.name = 'custom'   then coalesce(start_date::timestamp at time zone t.time_zone, '-infinity')
      else date_trunc(case period.name when 'today' then 'day' else period.name end, now() at time zone t.time_zone)
             at time zone t.time_zone
    end,
    coalesce((end_date + 1)::timestamp at time zone t.time_zone, 'infinity')
  )
  from public.tenants t
  where t.id = period.tenant_id
$$;

comment on function app.period(uuid, text, date, date) is
  'A period of the tenant''s calendar: today, week (from Monday), month, quarter, year, all_time, or custom between two days, both included.';

grant execute on function app.period(uuid, text, date, date) to api;
