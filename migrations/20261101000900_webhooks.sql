-- Webhooks: events, the endpoints that subscribe to them, and their deliveries. An event is written by the domain's
-- trigger in the transaction of the change; its deliveries and their due jobs follow from it in the same transaction.

create table public.events (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  id         text not null default app.typeid('evt'),
  interface  text not null check (interface in ('payments', 'records')),
  type       text not null check (type ~ '^[a-z_]+\.[a-z_]+$'),
  data       jsonb not null,
  origin     text,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.events is 'What happened to the data of a tenant. Append-only: the database itself refuses to change or delete a row.';
comment on column public.events.data is 'The resource right after the change, in stored form; rendered for each endpoint when it is sent.';
comment on column public.events.origin is 'What caused it, when that was no person or program; null otherwise.';

create trigger events_append_only
  before update or delete on public.events
  for each row execute function private.refuse_change();
create trigger events_no_truncate
  before truncate on public.events
  execute function private.refuse_change();

create table public.webhook_endpoints (
  id                   uuid primary key default gen_random_uuid(),
  tenant_id            uuid not null references public.tenants (id) on delete cascade,
  interface            text not null check (interface in ('payments', 'records')),
  url                  text not null,
  events               text[] check (cardinality(events) > 0),
  description          text,
  variant              text check (variant in ('a', 'b', 'c')),
  active               boolean not null default true,
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  first_failure_at     timestamptz,
  deactivated_at       timestamptz,
  deactivation_reason  text,
  created_at           timestamptz(3) not null default clock_timestamp(),
  updated_at           timestamptz(3) not null default clock_timestamp(),
  unique (tenant_id, id),
  constraint webhook_endpoints_url_plain
    check (char_length(url) <= 2048 and url ~* '^https?://[^/?#@\\[:space:]]+([/?#][^[:space:]]*)?$')
);

comment on table  public.webhook_endpoints is 'Where events of a tenant are sent.';
comment on column public.webhook_endpoints.url is 'HTTPS, without credentials. Where its name leads is checked at each attempt.';
comment on column public.webhook_endpoints.events is 'Types that are sent; null means all.';
comment on column public.webhook_endpoints.variant is 'Records: naming variant of the payload.';
comment on column public.webhook_endpoints.consecutive_failures is 'Failed attempts, over all deliveries, since the last success.';
comment on column public.webhook_endpoints.first_failure_at is 'The first of the consecutive failures.';
comment on column public.webhook_endpoints.deactivation_reason is 'Why the service deactivated it; null when somebody else did.';

create trigger webhook_endpoints_touch_updated_at
  before update on public.webhook_endpoints
  for each row execute function private.touch_updated_at();

create table private.webhook_secrets (
  id          bigint generated always as identity primary key,
  endpoint_id uuid not null references public.webhook_endpoints (id) on delete cascade,
  secret      text not null check (secret <> ''),
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz
);

comment on table private.webhook_secrets is
  'Secrets that sign deliveries, as they are: a signature needs the secret itself. The present one has no expiry, the one before it 24 hours.';

create unique index webhook_secrets_present_idx on private.webhook_secrets (endpoint_id) where expires_at is null;
create index webhook_secrets_endpoint_idx on private.webhook_secrets (endpoint_id);

create table public.webhook_deliveries (
  id             text primary key default app.typeid('whd'),
  tenant_id      uuid not null references public.tenants (id) on delete cascade,
  endpoint_id    uuid not null,
  event_id       text not null,
  status         text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts       integer not null default 0,
  cycle_attempts integer not null default 0,
  next_at        timestamptz(3) default clock_timestamp(),
  last_status    integer,
  last_error     text,
  created_at     timestamptz(3) not null default clock_timestamp(),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  unique (tenant_id, id),
  unique (tenant_id, event_id, endpoint_id),
  foreign key (tenant_id, endpoint_id) references public.webhook_endpoints (tenant_id, id) on delete cascade,
  foreign key (tenant_id, event_id)    references public.events (tenant_id, id),
  check ((status = 'pending') = (next_at is not null))
);

comment on table  public.webhook_deliveries is 'One event for one endpoint, whatever number of attempts and replays it takes.';
comment on column public.webhook_deliveries.attempts is 'Attempts so far, replays included.';
comment on column public.webhook_deliveries.cycle_attempts is 'Attempts of the present schedule; a replay begins a new one.';
comment on column public.webhook_deliveries.next_at is 'When the next attempt is due, while pending.';
comment on column public.webhook_deliveries.last_status is 'HTTP status of the last attempt; null when there was no answer.';

create index webhook_deliveries_endpoint_idx on public.webhook_deliveries (tenant_id, endpoint_id, id);

create trigger webhook_deliveries_touch_updated_at
  before update on public.webhook_deliveries
  for each row execute function private.touch_updated_at();

create table public.webhook_attempts (
  id               bigint generated always as identity primary key,
  tenant_id        uuid not null references public.tenants (id) on delete cascade,
  delivery_id      text not null,
  at               timestamptz(3) not null default clock_timestamp(),
  response_status  integer,
  response_ms      integer not null,
  response_excerpt text,
  error            text,
  foreign key (tenant_id, delivery_id) references public.webhook_deliveries (tenant_id, id) on delete cascade
);

comment on table  public.webhook_attempts is 'Each attempt to deliver, and what came of it. Append-only; goes with its endpoint alone.';
comment on column public.webhook_attempts.at is 'When its outcome was recorded.';
comment on column public.webhook_attempts.response_excerpt is 'The first 2 KiB of the answer''s body.';
comment on column public.webhook_attempts.error is 'Why it counts as failed; null when it was delivered.';

create index webhook_attempts_delivery_idx on public.webhook_attempts (tenant_id, delivery_id, id);

-- Deleting an endpoint takes its history along: such a cascade runs inside a trigger, a statement of anybody's does not.
create trigger webhook_attempts_append_only
  before update or delete on public.webhook_attempts
  for each row when (pg_trigger_depth() = 0)
  execute function private.refuse_change();
create trigger webhook_attempts_no_truncate
  before truncate on public.webhook_attempts
  execute function private.refuse_change();

alter table public.events              enable row level security;
alter table public.webhook_endpoints   enable row level security;
alter table private.webhook_secrets    enable row level security;
alter table public.webhook_deliveries  enable row level security;
alter table public.webhook_attempts    enable row level security;

grant select         on public.events, public.webhook_endpoints, public.webhook_deliveries, public.webhook_attempts to api;
grant select         on public.events, public.webhook_endpoints, public.webhook_deliveries to worker;

create policy "A tenant sees its own events" on public.events
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the events of every tenant" on public.events
  for select to worker using (true);
create policy "A tenant sees its own endpoints" on public.webhook_endpoints
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the endpoints of every tenant" on public.webhook_endpoints
  for select to worker using (true);
create policy "A tenant sees its own deliveries" on public.webhook_deliveries
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the deliveries of every tenant" on public.webhook_deliveries
  for select to worker using (true);
create policy "A tenant sees the attempts of its own deliveries" on public.webhook_attempts
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.order_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  with ordered as (
    insert into public.webhook_deliveries (tenant_id, endpoint_id, event_id)
    select e.tenant_id, w.id, e.id
    from written e
    join public.webhook_endpoints w
      on w.tenant_id = e.tenant_id and w.interface = e.interface
      and w.active and (w.events is null or e.type = any (w.events))
    returning tenant_id, id, endpoint_id
  )
  insert into public.jobs (tenant_id, name, key, lane, payload)
  select tenant_id, 'deliver-webhook', id, 'webhook-' || endpoint_id, jsonb_build_object('delivery_id', id)
  from ordered;
  return null;
end
$$;

comment on function private.order_deliveries() is
  'Trigger: an event is delivered to each active endpoint that subscribes to its type, each delivery a due job.';

create trigger events_order_deliveries
  after insert on public.events
  referencing new table as written
  for each statement execute function private.order_deliveries();

create function app.webhook_secrets(endpoint_id uuid) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select s.secret
  from private.webhook_secrets s
  where s.endpoint_id = webhook_secrets.endpoint_id and coalesce(s.expires_at > now(), true)
  order by s.id desc
$$;

comment on function app.webhook_secrets(uuid) is 'Secrets that sign an endpoint''s deliveries at present, newest first. For jobs alone.';

grant execute on function app.webhook_secrets(uuid) to worker;

create function private.deactivate_webhook(endpoint_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint public.webhook_endpoints;
begin
  update public.webhook_endpoints w
  set active = false, deactivated_at = now(), deactivation_reason = reason
  where w.id = deactivate_webhook.endpoint_id and w.active
  returning w.* into endpoint;
  if not found then
    return;
  end if;

  insert into public.jobs (tenant_id, name, key, payload)
  select t.id, 'send-mail', format('webhook-deactivated:%s:%s', endpoint.id, extract(epoch from endpoint.deactivated_at)),
         jsonb_build_object(
           'to', t.owner_email,
           'subject', 'Webhook deactivated',
           'text', format(E'A webhook of %s was deactivated and gets no more events.\n\nURL: %s\nReason: %s\nWebhook: %s\n\n'
                          'Once the receiver works again, have an administrator reactivate the webhook and replay what it missed.\n',
                          t.name, endpoint.url, reason, endpoint.id)
         )
  from public.tenants t
  where t.id = endpoint.tenant_id and btrim(t.owner_email) <> '';
end
$$;

comment on function private.deactivate_webhook(uuid, text) is
  'Deactivates an endpoint that does not work, and orders one mail to the tenant''s owner.';

create function app.record_webhook_attempt(
  delivery_id         text,
  response_status     integer,
  response_ms         integer,
  response_excerpt    text,
  error               text,
  retry_seconds       integer[],
  retry_after_seconds integer,
  min_span_seconds    integer
) returns table (status text, next_at timestamptz)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  succeeded constant boolean := record_webhook_attempt.error is null;
  delivery  public.webhook_deliveries;
  endpoint  public.webhook_endpoints;
  wait      integer;
begin
  select * into delivery from public.webhook_deliveries d
  where d.id = record_webhook_attempt.delivery_id for no key update;
  if not found then
    return;
  end if;
  -- Null after the last retry.
  wait := retry_seconds[delivery.cycle_attempts + 1];

  insert into public.webhook_attempts (tenant_id, delivery_id, response_status, response_ms, response_excerpt, error)
  values (delivery.tenant_id, delivery.id, record_webhook_attempt.response_status, record_webhook_attempt.response_ms,
          record_webhook_attempt.response_excerpt, record_webhook_attempt.error);

  update public.webhook_endpoints w
  set consecutive_failures = case when succeeded then 0 else w.consecutive_failures + 1 end,
      first_failure_at     = case when not succeeded then coalesce(w.first_failure_at, now()) end
  where w.id = delivery.endpoint_id and w.active and not (succeeded and w.consecutive_failures = 0);

  select * into strict endpoint from public.webhook_endpoints w where w.id = delivery.endpoint_id;
  if endpoint.active and record_webhook_attempt.response_status = 410 then
    perform private.deactivate_webhook(endpoint.id, 'it answered 410 Gone');
    endpoint.active := false;
  elsif endpoint.active and not succeeded and endpoint.consecutive_failures >= 10
    and now() - endpoint.first_failure_at >= make_interval(secs => min_span_seconds) then
    perform private.deactivate_webhook(
      endpoint.id, format('%s attempts in a row failed, the last one with: %s',
                          endpoint.consecutive_failures, record_webhook_attempt.error));
    endpoint.active := false;
  end if;

  -- A worker that outlived its claim may come with a failure after the success of another: that one stands.
  if succeeded then
    delivery.status := 'delivered';
  elsif delivery.status = 'pending' and (wait is null or not endpoint.active) then
    delivery.status := 'failed';
  end if;

  return query
    update public.webhook_deliveries d
    set status         = delivery.status,
        attempts       = d.attempts + 1,
        cycle_attempts = d.cycle_attempts + 1,
        next_at        = case when delivery.status = 'pending'
                              then now() + make_interval(secs => greatest(wait, retry_after_seconds)) end,
        last_status    = record_webhook_attempt.response_status,
        last_error     = record_webhook_attempt.error
    where d.id = delivery.id
    returning d.status, d.next_at::timestamptz;
end
$$;

comment on function app.record_webhook_attempt(text, integer, integer, text, text, integer[], integer, integer) is
  'Records one attempt and what follows from it: delivered, due again by the schedule (or later, when the receiver asked for it), failed, or the endpoint deactivated. For jobs alone.';

grant execute on function app.record_webhook_attempt(text, integer, integer, text, text, integer[], integer, integer) to worker;

create function app.fail_webhook_delivery(delivery_id text, reason text) returns void
language sql security definer
set search_path = ''
as $$
  update public.webhook_deliveries d
  set status = 'failed', next_at = null, last_error = reason
  where d.id = fail_webhook_delivery.delivery_id and d.status = 'pending'
$$;

comment on function app.fail_webhook_delivery(text, text) is 'Gives a pending delivery up without an attempt. For jobs alone.';

grant execute on function app.fail_webhook_delivery(text, text) to worker;
