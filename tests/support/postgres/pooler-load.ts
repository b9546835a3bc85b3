// Load on all interfaces at once, on several workers that reach Postgres through a pooler or proxy.
import type postgres from 'postgres';
import { expect, inject } from 'vitest';
import type { FunctionName } from '../../../functions/manifest.ts';
import { createTenant } from '../database.ts';
import { type OwnFunction, startOwnFunction } from '../functions.ts';
import { activity, collaborator, type Reply, sync, syncCollaborators } from '../gamification/sync.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../payments/payments.ts';
import { createRecordsTenant, records } from '../records/records.ts';

/** The address that the functions of the stack use for Postgres. */
export const databaseAddress = (): string => {
  const { DATABASE_URL, SUPABASE_DB_URL = '' } = inject('env');
  return DATABASE_URL ?? SUPABASE_DB_URL;
};

/** Two workers of records, which prepare the same statements. */
const WORKERS = ['default-integration', 'payments', 'v1', 'v1'] as const satisfies FunctionName[];

export type Workers = (OwnFunction & { name: FunctionName })[];

/** Starts workers that connect to Postgres at this address. */
export const startWorkers = (url: string, env: Record<string, string> = {}): Promise<Workers> =>
  Promise.all(
    WORKERS.map(async (name) => {
      // One tenant may use all connections, so that all of them are used.
      const settings = { DATABASE_URL: url, DATABASE_TENANT_CONNECTIONS: '4', ...env };
      return { name, ...(await startOwnFunction(name, settings)) };
    }),
  );

/** How many records each interface creates. Each is requested twice at the same time, and once more at the end. */
const THINGS = 15;

/**
 * Sends requests to all workers at once, and asserts that each record is created once. `mayRefuse`: whether a write with an Idempotency-Key
 * may fail with 503, because its worker detected the pooler in the second message of the transaction.
 */
export async function expectServed(
  sql: postgres.Sql,
  workers: Workers,
  { mayRefuse = false } = {},
): Promise<void> {
  const { id, apiKey } = await createTenant(sql, { scopes: ['default:sync', ...PAYMENT_SCOPES] });
  await syncCollaborators(apiKey, [collaborator('ana')]);
  const tenant = await createRecordsTenant(sql);
  let sent = 0;
  const at = (name: FunctionName) => {
    const all = workers.filter((worker) => worker.name === name);
    return { baseUrl: all[sent++ % all.length]?.baseUrl ?? '' };
  };
  const things = Array.from({ length: THINGS }, (_, i) => `thing-${i}`);
  const makeAll = (): Promise<Reply>[] =>
    things.flatMap((name) => {
      const activities = [activity(name, 'ana@example.com')];
      const lead = { name, email: `${name}@example.com` };
      const keyed = { headers: { 'Idempotency-Key': name } };
      return [
        sync(apiKey, { action: 'sync_activities', activities }, at('default-integration')),
        records(tenant.token, 'POST', '/leads', lead, { ...at('v1'), ...keyed }),
        pay(apiKey, '/invoices', invoice(), { ...at('payments'), key: name }),
      ];
    });
  const readAll = () =>
    things.flatMap(() => [
      records(tenant.token, 'GET', '/leads', undefined, at('v1')),
      pay(apiKey, '/invoices', undefined, at('payments')),
    ]);

  const replies = await Promise.all([...makeAll(), ...readAll(), ...makeAll()]);
  expect(replies.filter((reply) => !isServed(reply) && !(mayRefuse && isRefused(reply)))).toEqual([]);
  const again = await Promise.all(makeAll());
  expect(again.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
  const [made] = await sql`
    select (select count(*)::integer from activities where tenant_id = ${id}) as activities,
           (select count(*)::integer from leads where tenant_id = ${tenant.id}) as leads,
           (select count(*)::integer from invoices where tenant_id = ${id}) as invoices`;
  expect(made).toEqual({ activities: THINGS, leads: THINGS, invoices: THINGS });
  for (const { name, baseUrl } of workers) {
    expect((await fetch(`${baseUrl}/${name}/health`)).status).toBe(200);
  }
}

/** Finished, or in progress with the same key. */
const isServed = ({ status, body }: Reply): boolean =>
  status === 200 || status === 201 || /idempotency_key_in_use/i.test(JSON.stringify(body));

const isRefused = ({ status, body }: Reply): boolean =>
  status === 503 && /Nothing was done/.test(JSON.stringify(body));

/** How many times each worker logged that it turned off prepared statements. */
export const timesTurnedOff = (workers: Workers): number[] =>
  workers.map(
    ({ lines }) =>
      lines.filter((line) =>
        line.includes('prepared statements turned off: a pooler in transaction mode is between'),
      ).length,
  );
