-- Moves: every table with rows of tenants, and what a move does with them.

insert into private.tables_of_tenants_to_move (table_name, how, why)
select 'public.' || name, 'copy', 'data of the tenant'
from unnest('{activities, automation_runs, automations, badges, balance_transactions, boards, challenges, collaborators,
  completed_challenges, cost_centers, deal_activities, deals, document_numbers, earned_badges, event_positions, event_values,
  external_ids, idempotency_keys, invitations, invoices, ledger_sums, leads, merged_leads, mission_codes, missions, oauth_clients,
  payout_approval_rules, payouts, pipeline_stages, players, point_days, point_entries, point_rules, provider_account_events,
  provider_accounts, provider_statement_lines, rankings, request_answers, seasons, tax_documents, teams, tiers, users,
  webhook_deliveries, webhook_endpoints, webhook_replay_deliveries, webhook_replays}'::text[]) as name;

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values
('public.api_keys',  'copy', 'the same keys work at the destination', null, null, '{last_used_at}', false),
  ('public.events',    'copy', 'keeps ids and sequences',              '{sequence}', null, '{}', false),
  ('public.event_feeds', 'copy', 'cursors continue; the progress refers to transactions of one database', '{tenant_id}', null, '{settled,checkpoint,checkpoint_xid}', false),
  ('public.jobs',      'copy', 'jobs run at the destination once it is open', '{id}', null, '{published_at,announcements}', false),
  ('public.provider_routes', 'copy', 'routes of the tenant; default routes belong to the deployment', '{tenant_id}', null, '{}', false),
  ('public.tenants',   'copy', 'the tenant itself, with the plan of the destination', '{id}', 't.id = $tenant', '{plan}', false),
  ('public.provider_differences', 'renumber', 'ids are internal', '{account_id,kind,subject}', null, '{}', false),
  ('public.webhook_attempts',     'renumber', 'ids are internal', '{delivery_id}', null, '{}', false),
  ('public.request_log', 'stay', 'largest table, nothing refers to it; copied with --with-log', null, null, '{}', true),
  ('public.plans',       'stay', 'each deployment has its own plans', null, '', '{}', true),
  ('private.erasures',   'renumber', 'erasures are recorded on both sides', '{email_hash}', null, '{}', true),
  ('private.found_point_differences', 'stay', 'found again by the daily check', null, null, '{}', false),
  ('private.invitation_mails', 'copy', 'limits of emails continue', null, null, '{}', false),
  ('private.pending_recounts', 'renumber', 'ids are internal', '{player_id}', null, '{}', false),
  ('private.uncounted',        'copy', 'data of the tenant', null, null, '{}', false),
  ('private.user_accounts',    'auth', 'refer to accounts in Auth, which each project has its own of', '{user_id}', null, '{auth_user_id}', false),
  ('private.auth_accounts',    'auth', 'belong to accounts in Auth, which several tenants can share', null, '', '{}', true),
  ('private.webhook_folded_events', 'copy', 'data of the tenant', null, null, '{}', false),
  ('private.webhook_mails',    'copy', 'limits of emails continue', null, null, '{}', false),
  ('private.oauth_client_secrets', 'renumber', 'the same secrets work at the destination', '{oauth_client_id}',
   't.oauth_client_id in (select c.id from public.oauth_clients c where c.tenant_id = $tenant)', '{}', false),
  ('private.revoked_tokens', 'stay', 'access tokens end with the move, because the source issued them', null,
   't.oauth_client_id in (select c.id from public.oauth_clients c where c.tenant_id = $tenant)', '{}', false),
  ('private.user_access', 'copy', 'users may do the same at the destination', null, null, '{}', false),
  ('private.trusted_sso', 'copy', 'data of the tenant', '{sso_provider_id}', null, '{}', false),
  ('private.revoked_person_tokens', 'stay', 'access tokens end with the move, because the source issued them', null, null, '{}', false),
  ('private.admitted_clients', 'stay', 'derived from clients and plans by triggers', null, null, '{}', false),
  ('private.webhook_headers', 'copy', 'data of the tenant', '{endpoint_id}',
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_keys', 'copy', 'receivers keep the key that verifies deliveries', '{endpoint_id}',
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_secrets', 'renumber', 'receivers keep the secret that verifies deliveries', '{endpoint_id}',
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_routes', 'stay', 'the destination resolves hosts itself', null,
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_requests', 'stay', 'deliveries in flight; none when the tenant is settled', null, '', '{}', true),
  ('private.provider_secrets', 'vault', 'keys of providers are in Vault, whose ids differ', '{account_id}',
   't.account_id in (select a.id from public.provider_accounts a where a.tenant_id = $tenant)', '{api_key,webhook_secret}', false),
  ('private.provider_orders_to_compare', 'renumber', 'ids are internal', '{account_id,kind,order_id}',
   't.account_id in (select a.id from public.provider_accounts a where a.tenant_id = $tenant)', '{}', false),
  ('private.sandbox_orders', 'copy', 'orders of the tenant at the simulated provider', '{kind,reference}',
   't.kind = ''charge'' and t.reference in (select i.id from public.invoices i where i.tenant_id = $tenant)
    or t.kind = ''payout'' and t.reference in (select p.id from public.payouts p where p.tenant_id = $tenant)
    or t.kind = ''tax_document'' and t.reference in (select d.id from public.tax_documents d where d.tenant_id = $tenant)', '{}', false),
  ('private.approvals_while_moving', 'stay', 'part of a move', null, '', '{}', true),
  ('private.deployment',  'stay', 'settings of the deployment', null, '', '{}', true),
  ('private.moved_callers', 'stay', 'part of a move', null, '', '{}', true),
  ('private.retention',   'stay', 'settings of the deployment', null, '', '{}', true),
  ('private.sweep_runs',  'stay', 'state of the deployment', null, '', '{}', true),
  ('private.tables_of_tenants_to_move', 'stay', 'describes moves', null, '', '{}', true),
  ('private.tenant_move_chunks', 'stay', 'part of a move', null, '', '{}', true),
  ('private.tenant_moves', 'stay', 'part of a move', null, null, '{}', true),
  ('public.provider_fiscal_codes', 'stay', 'read again from the provider every day', null, null, '{}', false),
  ('public.refunds', 'copy', 'data of the tenant', null, null, '{}', false),
  ('public.disputes', 'copy', 'data of the tenant', null, null, '{}', false),
  ('public.provider_balance_events', 'copy', 'events whose statement lines are still awaited', null, null, '{}', false),
  ('public.due_limits', 'copy', 'limits of the tenant', '{tenant_id}', null, '{}', false),
  ('public.admin_changes', 'stay', 'a record of what was done in this project', null, null, '{}', true),
  ('private.credential_holders', 'copy', 'the same credentials work at the destination', null, null, '{}', false),
  ('private.write_probes', 'stay', 'state of the deployment', null, '', '{}', true),
  ('private.metric_sums', 'stay', 'figures of the deployment', null, '', '{}', true),
  ('private.fiscal_rules', 'stay', 'settings of the deployment', null, '', '{}', true),
  ('private.payment_providers', 'stay', 'the same in every project', null, '', '{}', true),
  ('private.sandbox_tax_regimes', 'copy', 'data of the tenant', '{tenant_id}', null, '{}', false),
  ('private.sandbox_refunds', 'copy', 'orders of the tenant at the simulated provider', '{reference}',
   't.reference in (select r.id from public.refunds r where r.tenant_id = $tenant)', '{}', false),
  ('private.ledger_exports', 'stay', 'downloads in progress', null, null, '{}', false);

create function app.measure_moves() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  select 'placar_tenant_moves', jsonb_build_object('state', m.state), count(*)::double precision from private.tenant_moves m group by m.state
$$;

comment on function app.measure_moves() is 'Metrics: moves of tenants by state (worker only).';

grant execute on function app.measure_moves() to worker;
