// A database whose disk is full: each interface reports a temporary error, and continues when there is space.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type PlatformDatabase,
  startMigratedDatabase,
  urlForFunctions,
} from '../platform/platform-database.ts';
import { createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { collaborator, type Reply, sync } from '../support/gamification/sync.ts';
import { createOAuthClient, grant, requestToken } from '../support/oauth.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../support/payments/payments.ts';
import { newEmail } from '../support/records/record-flows.ts';
import { records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';

// A separate stack, because a full disk affects everyone.
let database: PlatformDatabase;
let functionsUrl: string;
beforeAll(async () => {
  database = await startMigratedDatabase();
  functionsUrl = await urlForFunctions(database);
});
afterAll(() => database?.stop());

/** Makes Postgres report that a table cannot grow, until it is reset. */
async function fill(table: string) {
  const { sql } = database;
  await sql.unsafe(`
    create function public.no_room() returns trigger language plpgsql as $$
    begin
      raise exception 'could not extend file "base/5/1": No space left on device' using errcode = 'disk_full';
    end $$;
    create trigger no_room before insert on public.${table} for each row execute function public.no_room();`);
  return () => sql.unsafe('drop function public.no_room cascade');
}

/** Sends requests while the table is full and afterwards. `words` returns the text of an error. */
async function expectFull(
  table: string,
  status: number,
  send: () => Promise<Reply>,
  words: (body: Reply['body']) => string,
) {
  expect((await send()).status).toBe(status);
  const makeRoom = await fill(table);
  const full = await send();
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '30']);
  expect(words(full.body)).toMatch(/^The database is out of disk space .* Nothing was done; please retry\.$/);
  const [row] = await waitFor(async () => {
    const rows = await database.sql`
      select reason, status from admin.request_log where request_id = ${full.headers.get('x-request-id')}`;
    return rows.length > 0 && rows;
  });
  expect(row).toEqual({ reason: 'database_full', status: 503 });
  await makeRoom();
  expect((await send()).status).toBe(status);
}

test('activity sync', async () => {
  const { baseUrl } = await startOwnFunction('default-integration', { SUPABASE_DB_URL: functionsUrl });
  const { apiKey } = await createTenant(database.sql);
  let sent = 0;
  const send = () => {
    const body = { action: 'sync_collaborators', collaborators: [collaborator(`c${sent++}`)] };
    return sync(apiKey, body, { baseUrl });
  };
  await expectFull('collaborators', 200, send, (body) => body.error.message);
});

test('records', async () => {
  const settings = { SUPABASE_DB_URL: functionsUrl };
  const [oauth, { baseUrl }] = [
    await startOwnFunction('oauth', settings),
    await startOwnFunction('v1', settings),
  ];
  const { id } = await createTenant(database.sql);
  const client = await createOAuthClient(database.sql, id);
  const { body } = await requestToken(grant(client), { baseUrl: oauth.baseUrl });
  const send = () =>
    records(body.access_token, 'POST', '/leads', { name: 'Ana', email: newEmail() }, { baseUrl });
  await expectFull('leads', 201, send, (answer) => answer.error.message);
});

test('payments', async () => {
  const { baseUrl } = await startOwnFunction('payments', { SUPABASE_DB_URL: functionsUrl });
  const { apiKey } = await createTenant(database.sql, { scopes: PAYMENT_SCOPES });
  const send = () => pay(apiKey, '/invoices', invoice(), { baseUrl });
  await expectFull('idempotency_keys', 201, send, (body) => body.detail);
});
