-- Privacy: retention of historical data, in days per table for this deployment. Daily maintenance deletes older rows in
-- batches. The request log has its own rule: seven years, by partition.

create table private.retention (
  what       text    primary key,
  days       integer not null,
  least_days integer not null,
  check (days >= least_days)
);

comment on table  private.retention is 'Retention of each table of historical data in days, set with admin.set_retention.';
comment on column private.retention.what is 'Table name.';
comment on column private.retention.days is 'Days to keep rows; daily maintenance deletes older ones.';
comment on column private.retention.least_days is 'Minimum number of days that features such as replays of responses need.';

alter table private.retention enable row level security;

insert into private.retention (what, days, least_days) values
  ('events',             400,  1),
  ('event_positions',     30,  1),
  ('webhook_deliveries',  90,  1),
  ('automation_runs',     90,  1),
  ('merged_leads',       400,  1),
  -- Finished jobs, and those that failed permanently.
  ('jobs',                 7,  1),
  ('failed_jobs',         30,  1),
  ('idempotency_keys',     2,  2),
  ('request_answers',      2,  2),
  ('provider_account_events', 400, 30),
  ('crm_events',          30,  1),
  ('crm_preview_rows',     7,  1),
  ('crm_runs',            90,  7);

-- Rows are inserted in chronological order, so a BRIN index is enough.
create index events_age_idx             on public.events             using brin (created_at);
create index event_positions_age_idx    on public.event_positions    using brin (created_at);
create index webhook_deliveries_age_idx on public.webhook_deliveries using brin (created_at);
create index merged_leads_age_idx       on public.merged_leads       using brin (merged_at);
create index automation_runs_age_idx    on public.automation_runs    using brin (created_at);
create index provider_account_events_age_idx on public.provider_account_events using brin (received_at);
create index jobs_failed_idx            on public.jobs (failed_at) where failed_at is not null;

create function app.drop_expired(what text, at_most integer default 1000) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  cutoff timestamptz;
  dropped integer;
begin
  select now() - make_interval(days => r.days) into cutoff from private.retention r where r.what = drop_expired.what;
  if not found then
    perform private.expect_one_of('what', what, array(select r.what from private.retention r order by r.what));
  end if;
  perform set_config('app.maintenance', 'on', true);
  case what
    when 'webhook_deliveries' then
      update public.webhook_deliveries d
      set status = 'failed', next_at = null, fold_key = null, fold_until = null, last_error = 'the webhook was paused for more than 30 days'
      where d.id in (
        select o.id from public.webhook_deliveries o
        join public.webhook_endpoints w on w.tenant_id = o.tenant_id and w.id = o.endpoint_id
        where o.created_at < now() - interval '30 days' and o.status = 'pending' and w.paused_at is not null limit at_most);
      delete from public.webhook_deliveries d where d.id in (
        select o.id from public.webhook_deliveries o where o.created_at < cutoff and o.status <> 'pending' limit at_most);
    when 'automation_runs' then
      delete from public.automation_runs d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.automation_runs o where o.created_at < cutoff limit at_most);
    when 'events' then
      -- An event is kept as long as a delivery, an automation run or a feed position refers to it.
      delete from public.events d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.events o
        where o.created_at < cutoff
          and not exists (select from public.webhook_deliveries w where w.tenant_id = o.tenant_id and w.event_id = o.id)
          and not exists (select from public.automation_runs r where r.tenant_id = o.tenant_id and r.event_id = o.id)
          and not exists (select from public.event_positions p where p.tenant_id = o.tenant_id and p.sequence = o.sequence)
        limit at_most);
    when 'merged_leads' then
      -- Merged leads are kept as long as the winner, and after its deletion as long as the winner's own row here.
      delete from public.merged_leads d where (d.tenant_id, d.lead_id) in (
        select o.tenant_id, o.lead_id from public.merged_leads o
        left join public.merged_leads w on w.tenant_id = o.tenant_id and w.lead_id = o.merged_into
        where o.merged_at < cutoff and coalesce(w.merged_at, o.merged_at) < cutoff
          and not exists (select from public.leads l where l.tenant_id = o.tenant_id and l.id = o.merged_into)
        limit at_most);
    when 'event_positions' then
      -- Cursors expire before the first position is deleted, so that no reader skips one unnoticed.
      update public.event_feeds f set dropped_position = o.last
      from (select p.tenant_id, max(p.position) as last from public.event_positions p where p.created_at < cutoff group by p.tenant_id) as o
      where f.tenant_id = o.tenant_id and f.dropped_position < o.last;
      delete from public.event_positions d where (d.tenant_id, d.interface, d.position) in (
        select o.tenant_id, o.interface, o.position from public.event_positions o where o.created_at < cutoff limit at_most);
    when 'jobs' then
      delete from public.jobs d where d.id in (
        select o.id from public.jobs o where o.finished_at < cutoff limit at_most);
    when 'failed_jobs' then
      delete from public.jobs d where d.id in (
        select o.id from public.jobs o where o.failed_at < cutoff and o.finished_at is null limit at_most);
    when 'idempotency_keys' then
      delete from public.idempotency_keys d where (d.tenant_id, d.key) in (
        select o.tenant_id, o.key from public.idempotency_keys o
        where (coalesce(o.resource_id, '') like 'po\_%') = false and o.created_at < cutoff and o.locked_until < now()
        union all
        -- app.claim_key recognizes the keys of payouts for 90 days.
        select o.tenant_id, o.key from public.idempotency_keys o
        where (coalesce(o.resource_id, '') like 'po\_%') = true and o.created_at < least(cutoff, now() - interval '90 days')
          and o.locked_until < now()
        limit at_most);
    when 'request_answers' then
      delete from public.request_answers d where (d.tenant_id, d.scope, d.key) in (
        select o.tenant_id, o.scope, o.key from public.request_answers o where o.created_at < cutoff limit at_most);
    when 'provider_account_events' then
      delete from public.provider_account_events d where (d.account_id, d.event_id) in (
        select o.account_id, o.event_id from public.provider_account_events o where o.received_at < cutoff limit at_most);
    when 'crm_events' then
      delete from public.crm_events d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.crm_events o where o.received_at < cutoff limit at_most);
    when 'crm_preview_rows' then
      delete from public.crm_preview_rows d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.crm_preview_rows o where o.created_at < cutoff limit at_most);
    when 'crm_runs' then
      delete from public.crm_runs d where (d.tenant_id, d.id) in (
        select o.tenant_id, o.id from public.crm_runs o where o.finished_at < cutoff limit at_most);
  end case;
  get diagnostics dropped = row_count;
  perform set_config('app.maintenance', '', true);
  return dropped;
end
$$;

comment on function app.drop_expired(text, integer) is
  'Deletes up to at_most rows of a table beyond its retention and returns their number (worker only).';

grant execute on function app.drop_expired(text, integer) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.set_retention(what text, days integer) returns void
language plpgsql
set search_path = ''
as $$
declare
  least_days integer;
begin
  perform private.expect_one_of('what', what, array(select r.what from private.retention r order by r.what));
  select r.least_days into least_days from private.retention r where r.what = set_retention.what;
  perform private.expect_number('days', days, least_days);
  update private.retention r set days = set_retention.days where r.what = set_retention.what;
end
$$;

comment on function private.set_retention(text, integer) is
  'Sets the retention of a table (see admin.retention) in days; referenced events and merged leads of an existing lead are kept.';

create view admin.retention with (security_invoker = true) as
  select what, days, least_days from private.retention;

comment on view admin.retention is 'Retention of each table of historical data, in days.';
