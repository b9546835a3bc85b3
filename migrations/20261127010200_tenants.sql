set local check_function_bodies = off;

-- Tenancy: tenants and the plans that limit them. All other data belongs to a tenant and is deleted with it. A tenant's
-- time zone determines where its days begin; the calendar functions are at the end.
--
-- Triggers defined in other files: a new tenant gets its default pipeline stages (records/stages.sql).

create table public.plans (
  name                         text    primary key,
  requests_per_minute          integer not null check (requests_per_minute > 0),
  max_users                    integer check (max_users > 0),
  max_invitation_mails_per_day integer check (max_invitation_mails_per_day > 0),
  max_webhooks                 integer check (max_webhooks > 0),
  max_webhooks_per_host        integer check (max_webhooks_per_host > 0)
);

comment on table  public.plans is 'Plans and their limits; changes by admins apply from the next request.';
comment on column public.plans.name is 'Plan name: starter, professional or enterprise.';
comment on column public.plans.requests_per_minute is 'Records interface: requests per minute per tenant.';
comment on column public.plans.max_users is 'Maximum number of invited and active users per tenant; null means no limit.';
comment on column public.plans.max_invitation_mails_per_day is
  'Maximum number of invitation emails per tenant in 24 hours; further emails are delayed; null means no limit.';
comment on column public.plans.max_webhooks is
  'Maximum number of webhooks per tenant across both interfaces; null means no limit.';
comment on column public.plans.max_webhooks_per_host is
  'Maximum number of webhooks per tenant and host, which limits the requests that one event causes to a host; null means no limit.';

alter table public.plans enable row level security;
grant select on public.plans to api, worker;

create policy "Requests see all plans" on public.plans
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
  language                text        not null default 'en' check (language in ('en', 'pt-BR')),
  owner_email             text,
  nfse_cancellation_hours integer     check (nfse_cancellation_hours > 0),
  sign_in                 boolean     not null default true,
  require_mfa             boolean     not null default false,
  created_at              timestamptz not null default now()
);

comment on table  public.tenants is 'Customers of this deployment; all other data belongs to a tenant.';
comment on column public.tenants.slug is 'Short name used in URLs and scripts; unique in the deployment.';
comment on column public.tenants.time_zone is 'IANA time zone; determines where days, months and periods begin.';
comment on column public.tenants.language is 'Language of the tenant''s emails: en or pt-BR.';
comment on column public.tenants.owner_email is 'Recipient of notices, for example when a webhook is deactivated.';
comment on column public.tenants.sign_in is 'Whether users may sign in with their Auth account; off ends all their tokens.';
comment on column public.tenants.require_mfa is 'Whether signing in needs a second factor; tokens of sessions without one end.';
comment on column public.tenants.nfse_cancellation_hours is
  'Hours after issuance within which an NFS-e can be canceled; null means until the end of the day of issuance in the tenant''s time zone.';

create index tenants_plan_idx on public.tenants (plan);

alter table public.tenants enable row level security;
grant select on public.tenants to api, worker, service_role;

create policy "A tenant sees its own row" on public.tenants
  for select to api using (id = (select app.tenant_id()));
create policy "Jobs see every tenant" on public.tenants
  for select to worker using (true);

create function private.check_time_zone() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Postgres reads a file of every zone to list them, which takes longer than all else that creates a tenant.
  if exists (select from public.tenants where time_zone = new.time_zone) then
    return new;
  end if;
  -- Factory is a placeholder of the IANA database that JavaScript does not know.
  if new.time_zone = 'Factory' or not exists (select from pg_catalog.pg_timezone_names where name = new.time_zone) then
    perform private.refuse_argument(
      'time_zone', format('"%s" is not an IANA time zone', new.time_zone),
      array(select name from pg_catalog.pg_timezone_names where name !~ '^(posix|right)/'
            order by extensions.similarity(name, new.time_zone) desc, name));
  end if;
  return new;
end
$$;

comment on function private.check_time_zone() is 'Trigger: rejects a tenant''s time zone that does not exist.';

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
      'tenant_id', case when tenant_id is null then 'is required' else format('tenant %s does not exist', tenant_id) end,
      array(select format('%s (%s)', t.id, t.slug) from public.tenants t order by t.slug));
  end if;
end
$$;

comment on function private.expect_tenant(uuid) is 'Rejects an unknown tenant id and lists the existing tenants.';

create function private.expect_plan(plan text) returns void
language sql
set search_path = ''
as $$ select private.expect_one_of('plan', plan, array(select name from public.plans order by requests_per_minute)) $$;

comment on function private.expect_plan(text) is 'Rejects an unknown plan name.';

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
    perform private.refuse_argument('slug', format('"%s" is not a valid slug', slug),
                                    array['a-z and 0-9, in parts joined by single hyphens, such as acme-brasil']);
  elsif exists (select from public.tenants t where t.slug = create_tenant.slug) then
    perform private.refuse_argument('slug', format('"%s" is already used by another tenant', slug));
  end if;
  insert into public.tenants (name, slug, plan, time_zone, owner_email)
  values (create_tenant.name, create_tenant.slug, create_tenant.plan, create_tenant.time_zone, create_tenant.owner_email)
  returning id into new_id;
  return new_id;
end
$$;

comment on function admin.create_tenant(text, text, text, text, text) is
  'Creates a tenant on a plan (starter, professional, enterprise) and returns its id; notices are sent to owner_email.';

create function private.set_plan(tenant_id uuid, plan text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_tenant(tenant_id), private.expect_plan(plan);
  update public.tenants t set plan = set_plan.plan where t.id = set_plan.tenant_id;
end
$$;

comment on function private.set_plan(uuid, text) is
  'Changes a tenant''s plan, effective from the next request; a smaller plan keeps existing users but rejects further invitations.';

create function private.set_language(tenant_id uuid, language text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_tenant(tenant_id);
  if language is null or language not in ('en', 'pt-BR') then
    perform private.refuse_argument('language', format('"%s" is not a supported language', language), array['en', 'pt-BR']);
  end if;
  update public.tenants t set language = set_language.language where t.id = set_language.tenant_id;
end
$$;

comment on function private.set_language(uuid, text) is 'Sets the language of a tenant''s emails: en or pt-BR.';

create view admin.tenants with (security_invoker = true) as
  select t.id, t.name, t.slug, t.plan, p.requests_per_minute, p.max_users, t.time_zone, t.language, t.owner_email,
         t.nfse_cancellation_hours, t.created_at
  from public.tenants t
  join public.plans p on p.name = t.plan;

comment on view admin.tenants is 'All tenants, with their plan and its limits.';

-- The tenant's calendar -----------------------------------------------------------------------------------------------

create function private.today(tenant_id uuid) returns date
language plpgsql stable
set search_path = ''
as $$
begin
  return (select (now() at time zone t.time_zone)::date from public.tenants t where t.id = tenant_id);
end
$$;

comment on function private.today(uuid) is 'Today''s date in the tenant''s time zone.';

create function private.moment_of(tenant_id uuid, argument text, value text) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  if value is not null and not pg_input_is_valid(value, 'timestamptz') then
    perform private.refuse_argument(argument, format('"%s" is not a date or time', value),
      array['2026-06-01, which means midnight in the tenant''s time zone', '2026-06-01T09:00:00-03:00']);
  elsif value ~ '^\s*\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?\s*$' then
    return (select value::timestamp at time zone t.time_zone from public.tenants t where t.id = moment_of.tenant_id);
  end if;
  return value::timestamptz;
end
$$;

comment on function private.moment_of(uuid, text, text) is
  'Parses a time that an admin entered; without an offset, it is in the tenant''s time zone, and a date means midnight.';

create function app.local_midnight(day date) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
begin
  return (select day::timestamp at time zone t.time_zone from public.tenants t where t.id = app.tenant_id());
end
$$;

comment on function app.local_midnight(date) is 'Start of a day in the tenant''s time zone.';

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
  'Time range of a period in the tenant''s calendar: today, week (from Monday), month, quarter, year, all_time or '
  'custom (both days included).';

grant execute on function app.period(uuid, text, date, date) to api;
