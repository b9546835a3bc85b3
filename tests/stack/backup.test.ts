// Backup and restore as in docs/operations/backup.md: pg_dump of one stack, restored into another, empty one that continues with the data.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import postgres from 'postgres';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { StackInfo } from '../../local/demo.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import { sweep } from '../support/moves/projects.ts';
import { invoice, pay } from '../support/payments/payments.ts';
import { dumpDatabase } from '../support/postgres/pg-dump/index.ts';
import { waitFor } from '../support/wait-for.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'placar-backup-'));
const stacks: Stack[] = [];

afterAll(async () => {
  for (const stack of stacks) await stack.stop();
  rmSync(home, { recursive: true, force: true });
});

async function start(name: string): Promise<{ stack: Stack; sql: postgres.Sql }> {
  const stack = await startStack({ dir: join(home, name), port: 0, durable: false });
  stacks.push(stack);
  const sql = postgres(stack.info.database_url, { max: 2, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 1 }));
  return { stack, sql };
}

/** The arguments of pg_dump in the documentation. */
function documentedArguments(): string[] {
  const [, line = ''] =
    /^pg_dump "\$DATABASE_URL" ([\s\S]*?) --file=placar\.sql$/m.exec(
      read('docs/operations/backup.md').replaceAll('\\\n', ''),
    ) ?? [];
  return line.replaceAll("'", '').split(/\s+/);
}

/** Requests of integrations with credentials from the time of the backup. */
function integrator(info: StackInfo, credentials: StackInfo) {
  const functions = `${info.base_url}/functions/v1`;
  const payments = (path: string, body?: unknown) =>
    pay(credentials.api_key, path, body, { baseUrl: functions });
  const json = async (response: Response) => ({ status: response.status, body: await response.json() });
  return {
    payments,
    sync: async (external_id: string) =>
      json(
        await fetch(`${functions}/default-integration`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${credentials.api_key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({
            action: 'sync_activities',
            activities: [{ activity_code: '002', external_id, collaborator_email: 'bruno@demo.example' }],
          }),
        }),
      ),
    records: async (method: string, path: string, body?: unknown) => {
      const basic = Buffer.from(`${credentials.client_id}:${credentials.client_secret}`).toString('base64');
      const granted = await fetch(`${info.auth_url}/oauth/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${basic}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      const { access_token: token } = await granted.json();
      return json(
        await fetch(`${functions}/v1${path}`, {
          method,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
    },
  };
}

/** The content of the tables that do not change on their own. */
async function contentsOf(sql: postgres.Sql): Promise<Record<string, string>> {
  const tables = [
    'tenants',
    'plans',
    'users',
    'collaborators',
    'players',
    'activities',
    'missions',
    'mission_codes',
  ];
  tables.push('point_entries', 'leads', 'deals', 'pipeline_stages', 'events', 'invoices', 'payouts');
  tables.push('balance_transactions', 'document_numbers', 'webhook_endpoints', 'oauth_clients');
  const contents: Record<string, string> = {};
  for (const table of tables) {
    const [row] = await sql`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as sum
      from ${sql(table)} t`;
    contents[table] = row?.sum;
  }
  return contents;
}

test('a dump is restored into an empty project, and everything continues there', async () => {
  const before = await start('before');
  const { info } = before.stack;
  const there = integrator(info, info);
  expect(await there.sync('before-backup')).toMatchObject({ status: 200, body: { data: { processed: 1 } } });
  const lead = await there.records('POST', '/leads', { name: 'Nina Reis', email: 'nina@backup.example' });
  expect(lead.status).toBe(201);
  const { body: billed } = await there.payments('/invoices', invoice());
  expect(await there.payments(`/sandbox/invoices/${billed.id}/pay`, {})).toMatchObject({ status: 200 });
  const balance = await there.payments('/balance');
  // A job whose message was lost waits for the sweep, which is due only once a minute.
  await sweep({ functionsUrl: `${info.base_url}/functions/v1`, stack: before.stack });
  await waitFor(async () => {
    const waiting =
      await before.sql`select from jobs where finished_at is null and failed_at is null and due_at <= now()`;
    return waiting.length === 0;
  });
  // Jobs that are due later may still add an event, such as a changed ranking. The dump is used if nothing changed while it ran.
  const { contents, dump } = await waitFor(async () => {
    const contents = await contentsOf(before.sql);
    const dump = await dumpDatabase(info.database_url, documentedArguments());
    return isDeepStrictEqual(await contentsOf(before.sql), contents) && { contents, dump };
  });
  expect(dump).toContain('Dumped by pg_dump version 17');
  await before.stack.stop();

  const after = await start('after');
  // In a separate session, as psql: the dump changes settings of the session.
  const psql = postgres(after.stack.info.database_url, { max: 1, onnotice: () => {} });
  onTestFinished(() => psql.end({ timeout: 1 }));
  const restore = () =>
    psql.begin(async (tx) => {
      await tx.unsafe(read('scripts/database/before-restore.sql'));
      await tx.unsafe(dump);
      await tx.unsafe(read('scripts/database/after-restore.sql'));
    });
  await expect(restore()).rejects.toThrow('This database has tenants');
  await after.sql`select admin.delete_tenant(id, confirm_slug => slug) from tenants`;
  // A local stack has accounts, which an empty project has not.
  await after.sql`delete from auth.users`;
  await restore();

  expect(await contentsOf(after.sql)).toEqual(contents);
  expect(await after.sql`select * from admin.point_differences`).toEqual([]);
  const here = integrator(after.stack.info, info);
  // An activity that was recorded before is recognized, and a new one counts.
  expect(await here.sync('before-backup')).toMatchObject({ body: { data: { processed: 0, duplicates: 1 } } });
  expect(await here.sync('after-restore')).toMatchObject({ body: { data: { processed: 1 } } });
  expect(await here.payments('/balance')).toMatchObject({ body: balance.body });
  expect(await here.payments(`/invoices/${billed.id}`)).toMatchObject({ body: { status: 'paid' } });
  const number = Number(billed.our_number.slice(-6));
  const next = await here.payments('/invoices', invoice());
  expect(Number(next.body.our_number.slice(-6))).toBe(number + 1);
  const { id } = lead.body.data;
  expect(await here.records('GET', `/leads/${id}`)).toMatchObject({
    status: 200,
    body: { data: { email: 'nina@backup.example' } },
  });
  // Triggers work again: a change creates an event.
  expect(await here.records('PATCH', `/leads/${id}`, { phone: '+55 11 5555-0100' })).toMatchObject({
    status: 200,
  });
  const [event] = await after.sql`
    select type from events where data ->> 'id' = ${id} order by created_at desc, id desc limit 1`;
  expect(event).toEqual({ type: 'lead.updated' });
});
