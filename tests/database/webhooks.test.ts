// Webhooks of admins, and the privileges on their tables.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant, truncateRefusal } from '../support/database.ts';
import { createWebhook, emit, emitOne, recordAttempt } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const NOBODY = '00000000-0000-4000-8000-00000000ffff';

describe('admin.create_payment_webhook', () => {
  test('accepts arguments by name', async () => {
    const { id: tenantId } = await createTenant(sql);
    const [row] = await sql`
      select * from admin.create_payment_webhook(
        tenant_id => ${tenantId}, url => 'https://example.com/hook', events => array['invoice.paid'])`;
    expect(row).toEqual({
      id: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    });
    const [endpoint] = await sql`select * from admin.webhook_endpoints where id = ${row?.id}`;
    expect(endpoint).toMatchObject({ interface: 'payments', events: ['invoice.paid'], active: true });
    expect(JSON.stringify(endpoint)).not.toContain('whsec_');
  });

  test('names unknown events', async () => {
    const { id } = await createTenant(sql);
    const events = ['invoice.paid', 'invoice.lost', 'deal.won'];
    await expect(createWebhook(sql, id, 'https://example.com', events)).rejects.toThrow(
      'events: unknown: invoice.lost, deal.won',
    );
    await expect(createWebhook(sql, id, 'https://example.com', [])).rejects.toThrow(/events/);
  });

  test.each([
    'ftp://example.com',
    'example.com',
    'https://',
    'https:///path',
    'https://user:pass@example.com',
    'https://user@example.com',
    'https://a b.example.com',
    'https://evil.example\\@example.com',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('rejects %s', async (url) => {
    const { id } = await createTenant(sql);
    await expect(createWebhook(sql, id, url)).rejects.toThrow(/url/);
  });

  test.each([
    'https://example.com',
    'https://example.com:8443/a?b=c#d',
    'http://127.0.0.1:5000/@x',
    'HTTPS://[::1]/',
  ])('accepts %s', async (url) => {
    const { id } = await createTenant(sql);
    expect((await createWebhook(sql, id, url)).id).toBeDefined();
  });

  test('accepts only https in production', async () => {
    const { id } = await createTenant(sql);
    const undone = new Error('undone');
    const inProduction = sql.begin(async (tx) => {
      await tx`select admin.set_environment('production')`;
      await tx.savepoint(async (inner) => {
        await expect(
          inner.savepoint((s) => s`select admin.create_payment_webhook(${id}, 'http://example.com')`),
        ).rejects.toThrow(/https/);
        await inner`select admin.create_payment_webhook(${id}, 'https://example.com')`;
      });
      throw undone;
    });
    await expect(inProduction).rejects.toBe(undone);
  });
});

test('rejects actions on a webhook that does not exist', async () => {
  await expect(sql`select admin.rotate_webhook_secret(${NOBODY})`).rejects.toThrow(
    /webhook \S+ does not exist/,
  );
  await expect(sql`select admin.reactivate_webhook(${NOBODY})`).rejects.toThrow(/webhook \S+ does not exist/);
});

test('many events of one statement create their deliveries together', async () => {
  const { id: tenantId } = await createTenant(sql);
  await createWebhook(sql, tenantId, 'https://example.com');
  await sql`
    insert into events (tenant_id, interface, type, data)
    select ${tenantId}, 'payments', 'invoice.paid', jsonb_build_object('n', n) from generate_series(1, 500) n`;
  const [row] = await sql`
    select count(*)::integer as deliveries, count(distinct d.event_id)::integer as events,
           (select count(*)::integer from jobs where tenant_id = ${tenantId}) as jobs
    from webhook_deliveries d where d.tenant_id = ${tenantId}`;
  await sql`delete from jobs where tenant_id = ${tenantId}`;
  expect(row).toEqual({ deliveries: 500, events: 500, jobs: 500 });
});

test('events and attempts cannot be changed or deleted, not even by the owner', async () => {
  const { id: tenantId } = await createTenant(sql);
  await createWebhook(sql, tenantId, 'https://example.com');
  const { id } = await emitOne(sql, tenantId);
  await recordAttempt(sql, id, 500, 'x');
  for (const statement of [
    sql`update events set type = 'a.b' where tenant_id = ${tenantId}`,
    sql`delete from events where tenant_id = ${tenantId}`,
    sql`update webhook_attempts set error = null where tenant_id = ${tenantId}`,
    sql`delete from webhook_attempts where tenant_id = ${tenantId}`,
  ]) {
    await expect(statement).rejects.toThrow(/append-only/);
  }
  for (const table of ['events', 'webhook_attempts']) {
    expect(await truncateRefusal(sql, table)).toContain('append-only');
  }
});

describe('the role', () => {
  const as = (role: string, tenantId: string | null, statement: string) =>
    sql.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true), set_config('app.tenant_id', ${tenantId ?? ''}, true)`;
      return await tx.unsafe(statement);
    });
  const TABLES = ['events', 'webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'];

  test('api sees only rows of its tenant, and writes only endpoints of records', async () => {
    const [mine, other] = [await createTenant(sql), await createTenant(sql)];
    for (const { id: tenantId } of [mine, other]) {
      await createWebhook(sql, tenantId, 'https://example.com');
      for (const { id } of await emit(sql, tenantId)) {
        await recordAttempt(sql, id, 500, 'x');
      }
    }
    for (const table of TABLES) {
      const rows = await as('api', mine.id, `select tenant_id from ${table}`);
      expect(rows.map((row) => row.tenant_id)).toEqual([mine.id]);
      expect(await as('api', null, `select from ${table}`)).toHaveLength(0);
    }
    for (const statement of [
      `insert into events (tenant_id, interface, type, data) values ('${mine.id}', 'records', 'deal.won', '{}')`,
      "update webhook_endpoints set interface = 'records'",
      'delete from webhook_deliveries',
      `select app.webhook_credentials('${NOBODY}')`,
      `select app.fail_webhook_delivery('whd_x', 'x')`,
      `select app.keep_webhook_key('whd_x', 'x', 'x')`,
      'select * from private.webhook_secrets',
      'select * from private.webhook_keys',
    ]) {
      await expect(as('api', mine.id, statement)).rejects.toThrow(/permission denied/);
    }
    const touched = await as('api', mine.id, 'update webhook_endpoints set active = false returning id');
    expect(touched).toHaveLength(0);
    const planted = `insert into webhook_endpoints (tenant_id, interface, url, events) values ('${mine.id}', 'payments', 'https://example.com', null)`;
    await expect(as('api', mine.id, planted)).rejects.toThrow(/row-level security/);
  });

  test('worker reads secrets and writes only through its functions', async () => {
    const { id: tenantId } = await createTenant(sql);
    const { id, secret } = await createWebhook(sql, tenantId, 'https://example.com');
    const asked = `select app.webhook_credentials('${id}') as found`;
    expect(await as('worker', null, asked)).toEqual([
      { found: { secrets: [secret], signing_key: null, headers: null } },
    ]);
    for (const statement of [
      'select * from private.webhook_secrets',
      'select * from private.webhook_keys',
      "update webhook_endpoints set interface = 'records'",
      `update webhook_deliveries set status = 'failed'`,
      'delete from webhook_attempts',
      `insert into events (tenant_id, interface, type, data) values ('${tenantId}', 'records', 'deal.won', '{}')`,
    ]) {
      await expect(as('worker', null, statement)).rejects.toThrow(/permission denied/);
    }
  });
});
