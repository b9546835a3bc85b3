// A tenant sees only its own rows, table by table. Without a tenant, nothing is visible.
import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, createTenant, type Tenant, truncateRefusal } from '../support/database.ts';
import { activity, collaborator, syncActivities, syncCollaborators } from '../support/gamification/sync.ts';
import { invoice, PAYMENT_SCOPES, pay, pixPayout } from '../support/payments/payments.ts';
import { createWebhook, emitOne, recordAttempt } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();

/** Runs as a request of this tenant does. */
function as<T>(
  role: 'api' | 'worker',
  tenantId: string | null,
  work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  return sql.begin(async (tx) => {
    await tx`select set_config('role', ${role}, true), set_config('app.tenant_id', ${tenantId ?? ''}, true)`;
    return await work(tx);
  }) as Promise<T>;
}

const api = <T>(tenantId: string | null, work: (tx: postgres.TransactionSql) => Promise<T>) =>
  as('api', tenantId, work);

/** A tenant with at least one row in every table that requests may read. */
async function filledTenant() {
  const tenant = await createTenant(sql, { scopes: ['default:sync', ...PAYMENT_SCOPES] });
  await sql`select admin.register_cost_center(${tenant.id}, 'sales', 'Sales', true)`;
  await createWebhook(sql, tenant.id, 'https://example.com');
  const delivery = await emitOne(sql, tenant.id);
  await recordAttempt(sql, delivery.id, 500, 'x');
  await sql`
    with replay as (
      insert into webhook_replays (tenant_id, endpoint_id, failed, last)
      select d.tenant_id, d.endpoint_id, true, 0 from webhook_deliveries d where d.id = ${delivery.id}
      returning tenant_id, id
    )
    insert into webhook_replay_deliveries (tenant_id, replay_id, delivery_id, attempts_before)
    select tenant_id, id, ${delivery.id}, 1 from replay`;
  const taxed = { tax_document: { auto_issue: true, service_code: '1.01' } };
  const billed = await pay(tenant.apiKey, '/invoices', invoice(taxed));
  expect((await pay(tenant.apiKey, `/sandbox/invoices/${billed.body.id}/pay`, {})).status).toBe(200);
  expect((await pay(tenant.apiKey, `/invoices/${billed.body.id}/refunds`, { amount: 1 })).status).toBe(201);
  expect((await pay(tenant.apiKey, `/sandbox/invoices/${billed.body.id}/dispute`, {})).status).toBe(200);
  expect((await pay(tenant.apiKey, '/payouts', pixPayout())).status).toBe(201);
  const [mission] = await sql`select admin.create_mission(${tenant.id}, 'Calls', 5) as id`;
  await sql`select admin.map_activity_code(${tenant.id}, '001', ${mission?.id})`;
  await sql`select admin.create_oauth_client(${tenant.id}, 'crm', array['admin'])`;
  await sql`insert into users (tenant_id, name, email) values (${tenant.id}, 'Ana', 'ana@example.com')`;
  await sql`insert into users (tenant_id, name, email, status) values (${tenant.id}, 'Bo', 'bo@example.com', 'invited')`;
  await sql`insert into teams (tenant_id, name) values (${tenant.id}, 'North')`;
  await sql`
    insert into leads (tenant_id, name, email, custom_fields, external_ids)
    values (${tenant.id}, 'Lia', 'lia@example.com', jsonb_build_object('text', repeat('x', 2000)), '{"crm": ["1"]}')`;
  await sql`
    with deal as (
      insert into deals (tenant_id, name, value, stage_id)
      select tenant_id, 'Big', 1, id from pipeline_stages where tenant_id = ${tenant.id} and position = 1
      returning tenant_id, id
    )
    insert into deal_activities (tenant_id, type, deal_id) select tenant_id, 'note', id from deal`;
  await sql`
    insert into request_answers (tenant_id, scope, key, fingerprint, status, body, headers)
    values (${tenant.id}, 'crm', 'order-7', 'f', 201, '{"data": {"id": "1"}}', '{}')`;
  await sql`
    insert into merged_leads (tenant_id, lead_id, merged_into, email)
    select tenant_id, gen_random_uuid(), id, 'loser@example.com' from leads where tenant_id = ${tenant.id}`;
  await sql`insert into jobs (tenant_id, name, key) values (${tenant.id}, 'test-job', ${tenant.id})`;
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  await syncActivities(tenant.apiKey, [activity('1', 'ana@example.com')]);
  await addGamification(tenant.id);
  await addProviderAccount(tenant.id);
  // As the first reader of its feed does.
  await api(tenant.id, (tx) => tx`select app.number_events()`);
  return { ...tenant, missionId: mission?.id as string };
}

/** Rules, and the resulting awards and runs. */
async function addGamification(id: string): Promise<void> {
  await sql`select admin.set_point_rule(${id}, 'deal.won', 1), admin.create_tier(${id}, 'Bronze', 0)`;
  await sql`
    select admin.create_badge(${id}, 'Points', 'points', 1),
           admin.create_challenge(${id}, 'Points', 'points', 1, '-infinity', 'infinity'),
           admin.create_season(${id}, 'Summer', '2026-01-01', '2026-04-01'),
           admin.create_automation(${id}, 'Tag', 'lead.created', '[]', '[{"type": "add_tag", "tag": "new"}]')`;
  await sql`select app.recount(${id})`;
  await sql`insert into leads (tenant_id, name, email) values (${id}, 'Leo', 'leo@example.com')`;
  await sql`
    select app.run_automations(tenant_id, key) from jobs where tenant_id = ${id} and name = 'run-automations'`;
}

/** A disconnected account at a provider, its notifications, and other decisions of admins about payments. */
async function addProviderAccount(id: string): Promise<void> {
  await sql`
    with account as (
      insert into provider_accounts (tenant_id, provider, status) values (${id}, 'asaas', 'disconnected')
      returning tenant_id, id
    )
    insert into provider_account_events (account_id, event_id, tenant_id, type, body)
    select id, 'evt_1', tenant_id, 'PAYMENT_RECEIVED', '{}' from account`;
  await sql`
    select admin.set_provider_route(${id}, 'payout', '*', 'GBP', null, '{wise}'),
           admin.require_payout_approval(${id}, 100000), admin.set_due_limits(${id}, 10, 2)`;
  await sql`
    insert into ledger_sums (tenant_id, created_before, available_by, net) values (${id}, now(), current_date, '{"BRL": 1}')`;
}

/** Tables of tenants that the role may read. */
const readable = await sql`
  select distinct c.table_name as name from information_schema.column_privileges c
  where c.grantee = 'api' and c.privilege_type = 'SELECT' and c.table_schema = 'public' and c.column_name = 'tenant_id'
  order by 1`;

describe('reading', () => {
  let mine: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    [mine, other] = [await filledTenant(), await filledTenant()];
  });

  test.each(readable.map(({ name }) => name as string))('%s', async (name) => {
    const count = (tenantId: string | null, of: string) =>
      api(
        tenantId,
        async (tx) =>
          (await tx`select count(*)::integer as n from ${tx(name)} where tenant_id = ${of}`)[0]?.n,
      );
    expect(await count(mine.id, mine.id)).toBeGreaterThan(0);
    expect(await count(mine.id, other.id)).toBe(0);
    expect(await count(null, mine.id)).toBe(0);
    // Routes without a tenant apply to all tenants.
    const all = await api(
      mine.id,
      (tx) => tx`select distinct tenant_id from ${tx(name)} where tenant_id is not null`,
    );
    expect(all).toEqual([{ tenant_id: mine.id }]);
  });

  test('tenants: only its own row', async () => {
    const { id } = await createTenant(sql);
    expect(await api(id, (tx) => tx`select id from tenants`)).toEqual([{ id }]);
    expect(await api(null, (tx) => tx`select id from tenants`)).toEqual([]);
  });

  test('requests cannot read hashes of keys and secrets or the request log', async () => {
    const { id } = await createTenant(sql);
    await expect(api(id, (tx) => tx`select key_hash from api_keys`)).rejects.toThrow('permission denied');
    await expect(api(id, (tx) => tx`select * from private.oauth_client_secrets`)).rejects.toThrow(
      'permission denied',
    );
    await expect(api(id, (tx) => tx`select * from request_log`)).rejects.toThrow('permission denied');
    await expect(api(id, (tx) => tx`select * from app.find_api_key('', null)`)).rejects.toThrow(
      'permission denied',
    );
    await expect(api(id, (tx) => tx`select admin.create_mission(${id}, 'x', 1)`)).rejects.toThrow(
      'permission denied',
    );
  });
});

describe('writing', () => {
  test('cannot create, change or reference rows of another tenant', async () => {
    const [mine, other] = [await filledTenant(), await filledTenant()];
    const [theirs] = await sql`select id from collaborators where tenant_id = ${other.id}`;
    const violates = /row-level security/;
    const attempts: [string, (tx: postgres.TransactionSql) => Promise<unknown>, RegExp][] = [
      [
        'collaborator',
        (tx) =>
          tx`insert into collaborators (tenant_id, external_id, name, email) values (${other.id}, 'x', 'x', 'x@example.com')`,
        violates,
      ],
      [
        'activity',
        (tx) =>
          tx`insert into activities (tenant_id, external_id, activity_code, collaborator_id) values (${other.id}, 'x', '001', ${theirs?.id})`,
        violates,
      ],
      [
        'job',
        (tx) => tx`insert into jobs (tenant_id, name, key) values (${other.id}, 'x', 'x')`,
        /permission denied/,
      ],
      [
        'job of nobody',
        (tx) => tx`insert into jobs (tenant_id, name, key) values (null, 'x', 'x')`,
        /permission denied/,
      ],
      [
        'log row',
        (tx) =>
          tx`insert into request_log (request_id, tenant_id, function, method, path, status, duration_ms) values ('x', ${other.id}, 'x', 'x', 'x', 200, 1)`,
        violates,
      ],
      [
        'moving a row away',
        (tx) => tx`update collaborators set tenant_id = ${other.id}`,
        /permission denied/,
      ],
      [
        'pointing at theirs',
        (tx) =>
          tx`insert into activities (tenant_id, external_id, activity_code, collaborator_id) values (${mine.id}, 'x', '001', ${theirs?.id})`,
        /foreign key/,
      ],
    ];
    for (const [name, attempt, error] of attempts) {
      await expect(
        api(mine.id, async (tx) => void (await attempt(tx))),
        name,
      ).rejects.toThrow(error);
    }
    expect(
      (await api(mine.id, (tx) => tx`update collaborators set name = 'x' where tenant_id = ${other.id}`))
        .count,
    ).toBe(0);
    expect((await api(null, (tx) => tx`update collaborators set name = 'x'`)).count).toBe(0);
  });

  test.each([
    ['missions', 'update missions set points = 1'],
    ['mission_codes', 'delete from mission_codes'],
    [
      'point_entries',
      "insert into point_entries (tenant_id, player_id, reason, points) select tenant_id, id, 'mission_completed', 1 from players",
    ],
    ['players', 'update players set total_points = 1'],
    ['users', "update users set email = 'other@example.com'"],
    ['pipeline_stages', 'update pipeline_stages set probability = 100'],
    ['invitations', "update invitations set token_hash = sha256('x')"],
    ['deal_activities', 'delete from deal_activities'],
    ['activities', 'delete from activities'],
    ['activities', "update activities set activity_code = '002'"],
    ['api_keys', "update api_keys set scopes = '{default:sync}'"],
    ['plans', 'update plans set requests_per_minute = 1'],
    ['tenants', "update tenants set plan = 'enterprise'"],
  ])('requests cannot change %s', async (_, statement) => {
    const { id } = await createTenant(sql);
    await expect(api(id, (tx) => tx.unsafe(statement))).rejects.toThrow('permission denied');
  });

  test('no session can shadow a type that a function uses', async () => {
    const { id } = await createTenant(sql);
    await expect(api(id, (tx) => tx`create temporary table t (x integer)`)).rejects.toThrow(
      'permission denied',
    );
    await expect(api(id, (tx) => tx`create domain pg_temp.text as pg_catalog.text`)).rejects.toThrow(
      'permission denied',
    );
  });

  test('the worker role cannot drop the log by passing a future time', async () => {
    const result = await sql.begin(async (tx) => {
      await tx`set local role worker`;
      return await tx`select dropped from app.maintain_request_log('2060-01-01')`;
    });
    expect(result).toEqual([{ dropped: 0 }]);
  });

  test('the worker role sees jobs and tenants, but no tenant data', async () => {
    const { id } = await filledTenant();
    expect(
      await as('worker', null, (tx) => tx`select from jobs where tenant_id = ${id} and name = 'test-job'`),
    ).toHaveLength(1);
    for (const name of ['collaborators', 'activities', 'point_entries', 'players', 'users', 'api_keys']) {
      await expect(as('worker', null, (tx) => tx`select * from ${tx(name)}`)).rejects.toThrow(
        'permission denied',
      );
    }
  });
});

describe('append-only, even for the owner', () => {
  test.each([
    'update point_entries set points = 0',
    'delete from point_entries',
    "update request_log set reason = 'x'",
    'delete from request_log',
  ])('%s', async (statement) => {
    await filledTenant();
    await expect(sql.unsafe(statement)).rejects.toThrow('append-only');
  });

  test.each(['point_entries', 'request_log', 'request_log_default', 'mission_codes'])(
    'truncate %s',
    async (table) => {
      expect(await truncateRefusal(sql, table)).toContain('append-only');
    },
  );
});
