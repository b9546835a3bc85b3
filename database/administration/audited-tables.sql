-- Audit trail: the triggers of the tables whose changes it records.

do $$
declare
  t record;
begin
  for t in
    select * from (values
      ('public.tenants',               'tenant',               'id',       'name',     'name slug plan time_zone language owner_email nfse_cancellation_hours sign_in require_mfa'),
      ('public.plans',                 'plan',                 'name',     'name',     'name requests_per_minute max_users max_invitation_mails_per_day max_webhooks max_webhooks_per_host'),
      ('public.missions',              'mission',              'id',       'name',     'name points'),
      ('public.mission_codes',         'activity_code',        'code',     'code',     'mission_id=mission'),
      ('public.point_rules',           'point_rule',           'id',       'event',    'event points stage_id=stage max_per_day'),
      ('public.tiers',                 'tier',                 'id',       'name',     'name min_points'),
      ('public.badges',                'badge',                'id',       'name',     'name metric threshold'),
      ('public.challenges',            'challenge',            'id',       'name',     'name metric target starts_at ends_at reward_points'),
      ('public.seasons',               'season',               'id',       'name',     'name starts_at ends_at'),
      ('public.boards',                'board',                'id',       'name',     'name team_id=team season_id=season period expires_at'),
      ('public.pipeline_stages',       'stage',                'id',       'name',     'name position probability'),
      ('public.automations',           'automation',           'id',       'name',     'name event conditions actions active'),
      ('public.api_keys',              'api_key',              'id',       'label',    'label scopes requests_per_hour ip_allowlist expires_at revoked_at'),
      ('public.oauth_clients',         'client',               'client_id', 'label',   'label scopes variant user_id=user revoked_at'),
      ('public.webhook_endpoints',     'webhook',              'id',       'url',      'url events filters changed header_names=headers ordered fold_seconds description variant active paused_at deactivated_at'),
      ('public.provider_accounts',     'provider_account',     'id',       'provider', 'provider settings disconnected_at'),
      ('public.provider_routes',       'provider_route',       'kind+region+currency+method', 'kind+region+currency+method', 'provider preference min_amount max_amount'),
      ('public.payout_approval_rules', 'payout_approval_rule', 'currency', 'currency', 'currency above_amount'),
      ('public.cost_centers',          'cost_center',          'code',     'name',     'code name is_default'),
      ('private.retention',            'retention',            'what',     'what',     'days'),
      ('public.due_limits',            'due_limit',            'tenant_id', 'tenant_id', 'fine_percent interest_percent_month'),
      ('private.fiscal_rules',         'fiscal_rule',          'regime+rule', 'regime+rule', 'sent_from required_from'),
      ('private.tenant_moves',         'move',                 'id', 'slug', 'state moved_to'),
      ('private.deployment',           'deployment',           'environment', 'environment', 'environment sweep_url')
    ) as audited (of_table, kind, id_column, name_column, columns)
  loop
    -- The deletion of a tenant is recorded by audit_deletion.
    execute format('create trigger audit_rows after %s on %s for each row execute function private.record_change(%L, %L, %L, %L)',
                   case t.kind when 'tenant' then 'insert' else 'insert or delete' end,
                   t.of_table, t.kind, t.id_column, t.name_column, t.columns);
    -- Only statements that set an audited column run the trigger, so that the service's own updates cost nothing.
    execute format('create trigger audit_updates after update of %s on %s for each row execute function private.record_change(%L, %L, %L, %L)',
                   (select string_agg(quote_ident(split_part(m, '=', 1)), ', ') from string_to_table(t.columns, ' ') as m),
                   t.of_table, t.kind, t.id_column, t.name_column, t.columns);
  end loop;
end
$$;

-- Tables that requests and jobs write all the time: only these rows run the function.

create function private.record_correction() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not private.is_audited() then
    return null;
  end if;
  case tg_table_name
    when 'point_entries' then
      perform private.add_change(
        new.tenant_id, 'points.adjusted', 'player', new.player_id::text,
        (select p.email from public.players p where p.tenant_id = new.tenant_id and p.id = new.player_id),
        null, jsonb_build_object('points', new.points), new.note);
    when 'balance_transactions' then
      perform private.add_change(
        new.tenant_id, 'balance.adjusted', 'balance', new.id, new.id,
        null, jsonb_build_object('amount', new.amount, 'currency', new.currency), new.reason);
    when 'activities' then
      perform private.add_change(
        new.tenant_id, 'activity.voided', 'activity', new.external_id, new.external_id,
        jsonb_build_object('voided_at', null), jsonb_build_object('voided_at', new.voided_at), new.void_reason);
    when 'players' then
      perform private.add_change(
        new.tenant_id, case when new.opted_out_of_rankings then 'ranking.opted_out' else 'ranking.opted_in' end, 'player', new.id::text, new.email,
        jsonb_build_object('opted_out', old.opted_out_of_rankings), jsonb_build_object('opted_out', new.opted_out_of_rankings));
    when 'payouts' then
      perform private.add_change(
        new.tenant_id, 'payout.' || new.approval, 'payout', new.id, new.id,
        jsonb_build_object('approval', old.approval), jsonb_build_object('approval', new.approval),
        case when new.approval = 'rejected' then new.failure_reason end);
  end case;
  return null;
end
$$;

comment on function private.record_correction() is 'Trigger: adds a manual correction or decision to the audit trail.';

create trigger audit_adjustments after insert on public.point_entries
  for each row when (new.reason = 'adjustment') execute function private.record_correction();
create trigger audit_adjustments after insert on public.balance_transactions
  for each row when (new.type = 'adjustment' and new.invoice_id is null and new.payout_id is null and new.provider is null)
  execute function private.record_correction();
create trigger audit_voids after update of voided_at on public.activities
  for each row when (old.voided_at is null and new.voided_at is not null) execute function private.record_correction();
create trigger audit_opt_outs after update of opted_out_of_rankings on public.players
  for each row when (old.opted_out_of_rankings is distinct from new.opted_out_of_rankings) execute function private.record_correction();
create trigger audit_decisions after update of approval on public.payouts
  for each row when (old.approval = 'waiting' and new.approval in ('approved', 'rejected')) execute function private.record_correction();

-- Secrets: that one was replaced, and nothing of it.

create function private.record_rotation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  replaced constant jsonb := '{"secret": "replaced"}';
  client   public.oauth_clients;
  webhook  public.webhook_endpoints;
  account  public.provider_accounts;
begin
  if not private.is_audited() then
    return null;
  end if;
  case tg_table_name
    when 'oauth_client_secrets' then
      select * into client from public.oauth_clients c where c.id = new.oauth_client_id;
      if exists (select from private.oauth_client_secrets s where s.oauth_client_id = client.id and s.id < new.id) then
        perform private.add_change(client.tenant_id, 'client.secret_rotated', 'client', client.client_id, client.label, replaced, replaced);
      end if;
    when 'webhook_secrets' then
      select * into webhook from public.webhook_endpoints w where w.id = new.endpoint_id;
      if exists (select from private.webhook_secrets s where s.endpoint_id = webhook.id and s.id < new.id) then
        perform private.add_change(
          webhook.tenant_id, case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end || '.secret_rotated',
          case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end,
          webhook.id::text, private.audited_url(webhook.url), replaced, replaced);
      end if;
    when 'provider_secrets' then
      select * into account from public.provider_accounts a where a.id = new.account_id;
      perform private.add_change(account.tenant_id, 'provider_account.updated', 'provider_account', account.id, account.provider, replaced, replaced);
  end case;
  return null;
end
$$;

comment on function private.record_rotation() is 'Trigger: adds to the audit trail that a secret was replaced.';

create trigger audit_rotations after insert on private.oauth_client_secrets for each row execute function private.record_rotation();
create trigger audit_rotations after insert on private.webhook_secrets for each row execute function private.record_rotation();
create trigger audit_rotations after update of api_key_hash, withdrawal_token_hash on private.provider_secrets
  for each row when (old.api_key_hash is distinct from new.api_key_hash or old.withdrawal_token_hash is distinct from new.withdrawal_token_hash)
  execute function private.record_rotation();
