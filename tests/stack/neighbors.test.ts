// Tenants of one worker: blocked requests of one tenant leave connections to the others, and are rejected if there are too many.
import type postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import type { FunctionName } from '../../functions/manifest.ts';
import { connectDatabase, createTenant, openDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { activity, collaborator, type Reply, sync, syncCollaborators } from '../support/gamification/sync.ts';
import { createPayTenant } from '../support/payments/payment-flows.ts';
import { invoice, pay } from '../support/payments/payments.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { expectError, limitOf } from '../support/records/records-answers.ts';
import { newLead, withoutReferences } from '../support/records/records-routes.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
const SENT = 6;

/** Rolls back what a test locked. */
class LetGo extends Error {}

/** A tenant of an interface: how to block its writes, how to write, and how a rejection looks. */
interface Neighbor {
  hold(tx: postgres.TransactionSql): Promise<unknown>;
  write(baseUrl: string): Promise<Reply>;
  expectRefused(reply: Reply): void;
  /** The records that its writes stored. */
  stored(): Promise<number>;
}

async function ofRecords(): Promise<Neighbor> {
  const { id, token } = await createRecordsTenant(sql);
  const made = await records(token, 'POST', '/leads', withoutReferences(newLead()));
  const lead = made.body.data.id;
  return {
    hold: (tx) => tx`select from leads where id = ${lead} for update`,
    write: (baseUrl) => records(token, 'PATCH', `/leads/${lead}`, { score: Math.random() }, { baseUrl }),
    expectRefused(reply) {
      expectError(reply, 429, 'RATE_LIMITED');
      expect(limitOf(reply).limit).toBe(2000);
    },
    // A log row is part of the transaction of its work.
    stored: async () => {
      const rows = await sql`
        select from request_log where tenant_id = ${id} and method = 'PATCH' and status = 200`;
      return rows.length;
    },
  };
}

async function ofPayments(): Promise<Neighbor> {
  const { id, apiKey } = await createPayTenant(sql);
  const keys = Array.from({ length: SENT }, () => crypto.randomUUID());
  let next = 0;
  return {
    // A concurrent claim of the same key waits until the first transaction ends.
    hold: (tx) => tx`
      insert into idempotency_keys (tenant_id, key, fingerprint, claimed_by, locked_until)
      select ${id}, key, '', gen_random_uuid(), now() from unnest(${keys}::text[]) as key`,
    write: (baseUrl) => pay(apiKey, '/invoices', invoice(), { key: keys[next++] ?? '', baseUrl }),
    expectRefused: ({ status, body }) =>
      expect([status, body]).toMatchObject([429, { status: 429, code: 'rate_limited' }]),
    stored: async () => (await sql`select from idempotency_keys where tenant_id = ${id}`).length,
  };
}

async function ofActivitySync(): Promise<Neighbor> {
  const { id, apiKey } = await createTenant(sql);
  await syncCollaborators(apiKey, [collaborator('ana')]);
  const [mission] = await sql`select admin.create_mission(${id}, 'Calls', 1) as id`;
  const body = () => ({
    action: 'sync_activities',
    activities: [activity(crypto.randomUUID(), 'ana@example.com')],
  });
  return {
    hold: (tx) => tx`select admin.map_activity_code(${id}, '001', ${mission?.id})`,
    write: (baseUrl) => sync(apiKey, body(), { baseUrl }),
    expectRefused: ({ status, body: { error } }) =>
      expect([status, error]).toMatchObject([429, { code: 'RATE_LIMITED', retry_after: 2 }]),
    stored: async () => (await sql`select from activities where tenant_id = ${id}`).length,
  };
}

test.each<[FunctionName, () => Promise<Neighbor>]>([
  ['v1', ofRecords],
  ['payments', ofPayments],
  ['default-integration', ofActivitySync],
])('%s: a tenant that waits leaves a connection to the others', async (name, create) => {
  const [noisy, quiet] = [await create(), await create()];
  // A separate name that identifies its connections.
  const application = `neighbors-${crypto.randomUUID()}`;
  const { baseUrl } = await startOwnFunction(name, {
    SUPABASE_DB_URL: `${inject('env').SUPABASE_DB_URL}?application_name=${application}`,
    DATABASE_POOL_SIZE: '2',
  });
  const heldUp = () => sql`
    select from pg_stat_activity where application_name = ${application} and wait_event_type = 'Lock'`;
  const replies: Reply[] = [];
  let sending: Promise<unknown> = Promise.resolve();
  const holding = sql.begin(async (tx) => {
    await noisy.hold(tx);
    const send = async () => void replies.push(await noisy.write(baseUrl));
    sending = Promise.all(Array.from({ length: SENT }, send));
    await waitFor(async () => (await heldUp()).length > 0);

    expect((await quiet.write(baseUrl)).status).toBeLessThan(300);
    expect(replies).toEqual([]);
    expect(await heldUp()).toHaveLength(1);
    // The first request gets a lock error, and the second one takes its connection, too late for the others.
    await waitFor(() => replies.length === SENT - 1);
    throw new LetGo();
  });
  await expect(holding).rejects.toThrow(LetGo);
  await sending;
  const refused = replies.filter(({ status }) => status === 429);
  for (const reply of refused) {
    noisy.expectRefused(reply);
    expect(reply.headers.get('retry-after')).toBe('2');
  }
  const others = replies.map(({ status }) => status).filter((status) => status !== 429);
  expect(refused).toHaveLength(SENT - 2);
  expect(others).toEqual([503, expect.toSatisfy((status) => status < 300)]);
  expect(await noisy.stored()).toBe(1);
  expect(await quiet.stored()).toBe(1);
});

test('a read-only statement ends after DATABASE_READ_TIMEOUT_MS with 503; one that may write has more time', async () => {
  const { id: tenantId } = await createTenant(sql);
  const database = openDatabase({ DATABASE_POOL_SIZE: 2, DATABASE_READ_TIMEOUT_MS: 100 });
  const run = (reads: boolean, seconds: number) =>
    database.transaction({ role: 'api', tenantId, reads }, (sql) => sql`select pg_sleep(${seconds})`);
  await expect(run(true, 20)).rejects.toMatchObject({ reason: 'database_busy', effect: 'none' });
  await run(false, 0.3);
});
