-- Callers that retry while their provider is unreachable do not pile up lookups of the same order.

set local lock_timeout = '3s';

create function app.has_waiting_recovery(tenant_id uuid, order_id text) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.jobs j
    where j.tenant_id = has_waiting_recovery.tenant_id and j.name = 'recover-order'
      and j.finished_at is null and j.failed_at is null
      and j.payload ->> 'id' = has_waiting_recovery.order_id
      and j.attempts > 0 and (j.locked_until is null or j.locked_until <= now()))
$$;

comment on function app.has_waiting_recovery(uuid, text) is
  'Whether a lookup of this order that ran before waits to run again: it also covers attempts that ended before it runs.';

grant execute on function app.has_waiting_recovery(uuid, text) to worker;

create or replace function app.recover_order_soon(kind text, id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- One job per attempt, as in the sweep, because each attempt may have reached the provider.
  insert into public.jobs as j (tenant_id, name, key, payload)
  select k.tenant_id, 'recover-order', concat_ws(':', k.resource_id, k.claimed_by),
         jsonb_build_object('table', recover_order_soon.kind, 'id', k.resource_id)
  from public.idempotency_keys k
  where k.tenant_id = app.tenant_id() and k.resource_id = recover_order_soon.id and k.response_status is null
    and not app.has_waiting_recovery(k.tenant_id, k.resource_id)
  on conflict (name, key) do update set due_at = now()
  where j.attempts = 0 and j.due_at > now();
end
$$;
