// A read-only database, as hosted ones become when the disk is nearly full: reads are served, and writes are 503.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import type { Reply } from '../support/gamification/sync.ts';
import { PAYMENT_SCOPES, pay } from '../support/payments/payments.ts';
import { databaseAddress } from '../support/postgres/pooler-load.ts';
import {
  isAboutLeads,
  startRecordsBehindPooler,
  startSenders,
} from '../support/postgres/records-behind-pooler.ts';
import { startTransactionPooler } from '../support/postgres/transaction-pooler.ts';
import { createLead } from '../support/records/record-flows.ts';
import { records } from '../support/records/records.ts';
import { expectError, logRow } from '../support/records/records-answers.ts';
import { furnish } from '../support/records/records-furnish.ts';
import { fillPath, routes } from '../support/records/records-routes.ts';

const sql = connectDatabase();

function expectReadOnly(reply: Reply) {
  expectError(reply, 503, 'SERVER_ERROR');
  expect([reply.headers.get('retry-after'), reply.body.error.message]).toEqual([
    '30',
    'The database is read-only at the moment. Nothing was done; please retry.',
  ]);
}

test('set and unset under load: reads continue, and every write is done or rejected', async () => {
  const { pooler, tenant, read, write, logged } = await startRecordsBehindPooler(sql);
  const reads = startSenders(read);
  const writes = startSenders(write);
  await writes.more(({ status }) => status === 201);
  pooler.faults.transaction = () => 'read-only';
  await Promise.all([
    writes.more(({ status }) => status === 503),
    reads.more(({ status }) => status === 200),
  ]);
  pooler.faults = {};
  await writes.more(({ status }) => status === 201);
  await Promise.all([reads.stop(), writes.stop()]);

  expect(reads.replies.filter(({ status }) => status !== 200)).toEqual([]);
  const rejected = writes.replies.filter(({ status }) => status !== 201);
  for (const reply of rejected) expectReadOnly(reply);
  const [made] = await sql`select count(*)::integer as n from leads where tenant_id = ${tenant.id}`;
  // One exists from the start.
  expect(made?.n).toBe(1 + writes.replies.length - rejected.length);
  const failed = logged('request failed');
  expect(failed.map(({ reason }) => reason)).toEqual(failed.map(() => 'database_read_only'));
});

test('the request log has the reason of a rejected write', async () => {
  const { pooler, write } = await startRecordsBehindPooler(sql);
  pooler.faults.transaction = (text) => (isAboutLeads(text) ? 'read-only' : undefined);
  const reply = await write();
  expectReadOnly(reply);
  expect(await logRow(sql, reply)).toMatchObject({ status: 503, reason: 'database_read_only' });
});

test('serves every GET of records', async () => {
  const { tenant, ids } = await furnish(sql);
  const { pooler, baseUrl } = await startRecordsBehindPooler(sql);
  pooler.faults.transaction = () => 'read-only';
  // The next test reads the feed.
  const reads = routes.filter(({ method, path }) => method === 'GET' && path !== '/events');
  const answers = await Promise.all(
    reads.map(async ({ name, path }) => {
      const { status } = await records(tenant.token, 'GET', fillPath(path, ids), undefined, { baseUrl });
      return `${name} ${status}`;
    }),
  );
  expect(answers).toEqual(reads.map(({ name }) => `${name} 200`));
});

test('serves the event feed while its last events have no positions', async () => {
  const { pooler, tenant, baseUrl } = await startRecordsBehindPooler(sql);
  await createLead(tenant.token);
  pooler.faults.transaction = () => 'read-only';
  const { status } = await records(tenant.token, 'GET', '/events', undefined, { baseUrl });
  expect(status).toBe(200);
});

test('serves reads of payments although the last use of the API key cannot be stored', async () => {
  const { pooler, url } = await startTransactionPooler(databaseAddress());
  pooler.faults.transaction = () => 'read-only';
  const { baseUrl, edge } = await startOwnFunction('payments', { DATABASE_URL: url });
  const { id, apiKey } = await createTenant(sql, { scopes: PAYMENT_SCOPES });
  const pid = edge.pid();
  for (const path of [
    '/invoices',
    '/payouts',
    '/balance',
    '/balance-transactions',
    '/webhooks',
    '/invoices',
  ]) {
    expect([path, (await pay(apiKey, path, undefined, { baseUrl })).status]).toEqual([path, 200]);
  }
  expect(edge.pid()).toBe(pid);
  expect(await sql`select last_used_at from api_keys where tenant_id = ${id}`).toEqual([
    { last_used_at: null },
  ]);
});
