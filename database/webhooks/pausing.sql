-- Webhooks: pausing and resuming deliveries.

create function private.have_deliveries_sent(webhook public.webhook_endpoints, only_folding boolean default false) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Jobs of paused deliveries have finished; those of suspended ones are due at the end of the suspension.
  update public.jobs j set due_at = greatest(d.next_at, now()), finished_at = null
  from public.webhook_deliveries d
  where d.tenant_id = webhook.tenant_id and d.endpoint_id = webhook.id and d.status = 'pending' and (d.fold_key is not null or not only_folding)
    and j.name = 'deliver-webhook' and j.key = d.id and j.failed_at is null
    and (j.finished_at is not null or j.due_at > greatest(d.next_at, now()));
  -- Finished jobs are deleted before their deliveries, so recreate missing ones.
  perform private.schedule_deliveries(variadic array(
    select d from public.webhook_deliveries d
    where d.tenant_id = webhook.tenant_id and d.endpoint_id = webhook.id and d.status = 'pending' and (d.fold_key is not null or not only_folding)
      and not exists (select from public.jobs j where j.name = 'deliver-webhook' and j.key = d.id)));
end
$$;

comment on function private.have_deliveries_sent(public.webhook_endpoints, boolean) is
  'Reschedules the jobs of a webhook''s pending deliveries; with only_folding, only of deliveries that are folding events.';

create function private.release_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.have_deliveries_sent(new);
  return null;
end
$$;

comment on function private.release_deliveries() is
  'Trigger: reschedules a webhook''s pending deliveries once it is neither paused nor suspended.';

create trigger webhook_endpoints_release after update of paused_at, suspended_until on public.webhook_endpoints
  for each row when (new.active and new.paused_at is null and new.suspended_until is null
                     and (old.paused_at is not null or old.suspended_until is not null))
  execute function private.release_deliveries();

create function private.end_webhook_pause() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  new.paused_at       := null;
  new.suspended_until := null;
  new.suspensions     := 0;
  return new;
end
$$;

comment on function private.end_webhook_pause() is 'Trigger: deactivating a webhook ends its pause and suspension.';

create trigger webhook_endpoints_end_pause before update of active on public.webhook_endpoints
  for each row when (old.active and not new.active)
  execute function private.end_webhook_pause();

create function private.fail_held_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Skips deliveries into which an open transaction may be folding an event; their jobs fail them later.
  update public.webhook_deliveries d set status = 'failed', next_at = null, last_error = 'the webhook is deactivated'
  where d.tenant_id = new.tenant_id and d.endpoint_id = new.id and d.status = 'pending' and d.fold_key is null;
  perform private.have_deliveries_sent(new, only_folding => true);
  return null;
end
$$;

comment on function private.fail_held_deliveries() is
  'Trigger: fails pending deliveries when a paused webhook is deactivated, because no job would pick them up.';

create trigger webhook_endpoints_fail_held after update of active on public.webhook_endpoints
  for each row when (old.active and not new.active and old.paused_at is not null)
  execute function private.fail_held_deliveries();
