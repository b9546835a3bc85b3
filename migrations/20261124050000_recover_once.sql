-- Callers that retry while their provider is unreachable do not pile up lookups of the same order.

set local lock_timeout = '3s';

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
    -- A lookup that waits to run again covers this attempt, too.
    and not exists (
      select from public.jobs w
      where w.tenant_id = k.tenant_id and w.name = 'recover-order' and w.payload ->> 'id' = k.resource_id
        and w.finished_at is null and w.failed_at is null and w.attempts > 0 and coalesce(w.locked_until <= now(), true))
  on conflict (name, key) do update set due_at = now()
  where j.attempts = 0 and j.due_at > now();
end
$$;
