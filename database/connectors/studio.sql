-- Connectors in Studio: views.

create view admin.crm_accounts with (security_invoker = true) as
  select a.id, a.tenant_id, t.slug as tenant, a.crm, a.status, a.reason, a.webhook_state, a.last_event_at, a.rejected_events,
         a.last_reconciled_at, a.waiting_until, a.settings, a.created_at
  from public.crm_accounts a join public.tenants t on t.id = a.tenant_id
  where a.forgotten_at is null;

comment on view admin.crm_accounts is 'Accounts at CRMs of all tenants: status and reason, webhooks, limits, settings.';

create view admin.crm_links with (security_invoker = true) as
  select l.account_id, l.kind, l.placar_id, l.crm_id, l.state, l.crm_updated_at from public.crm_links l
  union all
  select c.account_id, 'user', u.id::text, c.crm_id, 'linked', null
  from public.crm_users c join public.users u on u.tenant_id = c.tenant_id and u.email = c.email
  union all
  select s.account_id, 'stage', private.stage_of_crm(a, s.crm_id)::text, s.crm_id, case when s.is_present then 'linked' else 'gone' end, null
  from public.crm_stages s join public.crm_accounts a on a.id = s.account_id
  where private.stage_of_crm(a, s.crm_id) is not null;

comment on view admin.crm_links is
  'Which record here is which record in a CRM: leads, deals and activities, users by address, and stages by mapping or name.';

create view admin.crm_stages with (security_invoker = true) as
  select s.account_id, s.crm_id, s.name, s.pipeline, s.pipeline_name, s.closes, s.is_present, s.stage_id as mapped_to,
         private.stage_of_crm(a, s.crm_id) as stage_id
  from public.crm_stages s join public.crm_accounts a on a.id = s.account_id;

comment on view admin.crm_stages is 'Stages of CRMs, with the stage here that each is mapped to or shares its name with.';

create view admin.crm_activity_types with (security_invoker = true) as
  select t.account_id, t.crm_type, t.code from public.crm_activity_types t;

comment on view admin.crm_activity_types is 'Types of activities of CRMs and the codes that they are mapped to; types without a code are not read.';

create view admin.crm_runs with (security_invoker = true) as
  select r.id, r.account_id, r.kind, r.status, r.phase, r.read, r.created, r.updated, r.linked, r.unchanged, r.skipped, r.failed, r.waiting_until,
         r.error, r.started_at, r.finished_at
  from public.crm_runs r;

comment on view admin.crm_runs is 'Previews, imports, reconciliations and comparisons of CRMs, with their progress.';

create view admin.crm_preview with (security_invoker = true) as
  select p.run_id, p.kind, p.action, p.crm_id, p.placar_id, p.name, p.fields, p.reason from public.crm_preview_rows p;

comment on view admin.crm_preview is 'What an import would do with each record: create, update, link or skip, and the members that would change.';

create view admin.crm_differences with (security_invoker = true) as
  select d.id, d.account_id, d.kind, d.record, d.crm_id, d.placar_id, d.field, d.ours, d.theirs, d.found_at, d.resolved_at
  from public.crm_differences d;

comment on view admin.crm_differences is 'Differences between records here and in a CRM; resolved_at is null while one is open.';

-- The admin API reads these tables of its tenant.

grant select on public.crm_accounts, public.crm_users, public.crm_stages, public.crm_activity_types, public.crm_links, public.crm_differences,
  public.crm_runs, public.crm_preview_rows, public.crm_events to manage;

create policy "Admins see their accounts" on public.crm_accounts for select to manage
  using (tenant_id = (select app.tenant_id()) and forgotten_at is null);
create policy "Admins see their users" on public.crm_users for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their stages" on public.crm_stages for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their types" on public.crm_activity_types for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their links" on public.crm_links for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their differences" on public.crm_differences for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their runs" on public.crm_runs for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their previews" on public.crm_preview_rows for select to manage using (tenant_id = (select app.tenant_id()));
create policy "Admins see their webhooks" on public.crm_events for select to manage using (tenant_id = (select app.tenant_id()));
