// Moving a tenant between two stacks: options, and the conditions for opening a side.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectBucket } from '../../clients/typescript/src/cli/storage/project-bucket.ts';
import { runCli, useCli } from '../clients/cli/run-cli.ts';
import {
  createMovableTenant,
  type MovableTenant,
  type Project,
  type Projects,
  startProjects,
} from '../support/moves/projects.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/postgres/pgbouncer.ts';

let projects: Projects;
let source: Project;
let destination: Project;
useCli();
beforeAll(async () => {
  projects = await startProjects();
  ({ source, destination } = projects);
});
afterAll(() => projects?.stop());

const tenant = (command: string, slug: string, ...more: string[]) => [
  'tenant',
  command,
  slug,
  ...['--from', source.file, '--to', destination.file, '--no-json'],
  ...more,
];

async function succeeds(...args: Parameters<typeof tenant>) {
  const { code, stdout, stderr } = await runCli(tenant(...args));
  expect(code, stderr).toBe(0);
  return stdout;
}

test('all reasons against a move are reported at once', async () => {
  await destination.sql`update private.deployment set environment = 'production'`;
  const { code, stderr } = await runCli(tenant('move', 'demo'));
  await destination.sql`update private.deployment set environment = 'staging'`;
  expect(code).toBe(1);
  expect(stderr).toContain('The source is staging, the destination is production.');
  expect(stderr).toContain('The destination already has these slugs: demo');
});

test('migrations of their own in either project do not prevent a move, missing ones of Placar do', async () => {
  const reasons = async () => (await runCli(tenant('move', 'demo'))).stderr;
  const history = (to: string) => destination.sql`
    update supabase_migrations.schema_migrations set version = ${to} where version in ('20261127010500', '1')`;
  await source.sql`insert into supabase_migrations.schema_migrations (version) values ('20250101000000'), ('29990101000000')`;
  await destination.sql`insert into supabase_migrations.schema_migrations (version) values ('20250202000000')`;
  expect(await reasons()).not.toContain('migrations');
  await history('1');
  const lacking = await reasons();
  await history('20261127010500');
  expect(lacking).toContain('The destination lacks migrations (1), the first is 20261127010500.');
});

test('--with-log copies every row once, and keeps those of the destination', async () => {
  const { id } = await createMovableTenant(source, 'hooli');
  const row = (requestId: string, at: string) => ({
    ...{
      at,
      request_id: requestId,
      tenant_id: id,
      api_key_id: crypto.randomUUID(),
      client_id: 'c',
      user_id: crypto.randomUUID(),
    },
    ...{ function: 'payments', method: 'GET', path: '/payments/invoices', status: 422, reason: 'x' },
    ...{ fields: ['a'], query: ['b'], ip: '203.0.113.9', duration_ms: 3, requests: 2, waited_ms: 1 },
    trace_id: crypto.randomUUID(),
  });
  const columns = await source.sql`
    select column_name as name from information_schema.columns where table_schema = 'public' and table_name = 'request_log'`;
  expect(Object.keys(row('', '')).sort()).toEqual(columns.map(({ name }) => name).sort());
  const sum = row('sum', '2026-01-02T03:04:05Z');
  await source.sql`select private.create_request_log_partition(month) from unnest(array['2026-01-01', '2026-02-01']::date[]) as month`;
  await destination.sql`select private.create_request_log_partition('2026-01-01')`;
  await source.sql`insert into public.request_log ${source.sql([sum, sum, row('old', '2026-02-28T23:59:59.999999Z')])}`;
  // The tenant worked at the destination before.
  await destination.sql`insert into public.request_log ${destination.sql([row('own', '2026-01-03T00:00:00Z')])}`;

  await succeeds('move', 'hooli', '--with-log');
  await succeeds('resume', 'hooli', '--with-log');
  const rows = ({ sql }: Project) =>
    sql`select * from public.request_log where tenant_id = ${id} order by at, request_id`;
  const own = await destination.sql`select * from public.request_log where request_id = 'own'`;
  const wanted = [...(await rows(source)), ...own].sort((a, b) => a.at - b.at);
  expect([...(await rows(destination))]).toEqual(wanted);
  // The default partition is kept forever.
  expect(await destination.sql`select from public.request_log_default`).toHaveLength(0);
  await succeeds('rollback', 'hooli');
});

test('--rate-mb limits the copy, in both directions', async () => {
  const { id } = await createMovableTenant(source, 'initech');
  const fill = ({ sql }: Project, key: string) => sql`
    insert into public.request_answers (tenant_id, scope, key, fingerprint, status, body, headers)
    values (${id}, 'x', ${key}, 'x', 200, to_jsonb(repeat('x', 1500000)), '{}')`;
  const secondsOf = async (...args: Parameters<typeof tenant>) => {
    const startedAt = performance.now();
    await succeeds(...args);
    return (performance.now() - startedAt) / 1000;
  };
  await fill(source, 'first');
  const { SUPABASE_URL = '', SUPABASE_SECRET_KEYS = '' } = source.stack.env;
  const bucket = projectBucket(source.sql, { SUPABASE_URL, SUPABASE_SECRET_KEYS });
  const file = { bytes: new Uint8Array(1_500_000), contentType: 'application/pdf' };
  await bucket.write(`${id}/td_1/nfse.pdf`, file, '', new AbortController().signal);
  // Both at half of the rate, because two tables are copied at once.
  expect(await secondsOf('move', 'initech', '--rate-mb', '1')).toBeGreaterThan(6);
  await fill(destination, 'second');
  await destination.sql`update public.request_answers set status = 201 where tenant_id = ${id}`;
  expect(await secondsOf('rollback', 'initech', '--rate-mb', '1')).toBeGreaterThan(6);
  expect(await source.sql`select from public.request_answers where tenant_id = ${id}`).toHaveLength(2);
});

test('a difference ends the window, and is printed with its table and key, but not stored with its key', async () => {
  const { id } = await createMovableTenant(source, 'umbrella');
  await source.sql`
    insert into public.leads (tenant_id, name, email) select ${id}, n, n || '@umbrella.example' from unnest(array['Ana', 'Bia']) as n`;
  const [bia] = await source.sql`select id from public.leads where tenant_id = ${id} and name = 'Bia'`;
  await destination.sql.unsafe(`
    create function public.spoil() returns trigger language plpgsql as $$ begin new.name := 'Eva'; return new; end $$;
    create trigger spoil before insert on public.leads for each row when (new.name = 'Bia') execute function public.spoil();
    alter table public.leads enable always trigger spoil`);
  const { code, stderr } = await runCli(tenant('move', 'umbrella'));
  await destination.sql`drop function public.spoil cascade`;
  expect(code).toBe(1);
  expect(stderr).toContain(`The first difference in public.leads has the key ["${bia?.id}"].`);
  const [move] =
    await source.sql`select state, frozen_until, last_error from admin.tenant_moves where slug = 'umbrella'`;
  const stored = 'public.leads differs. The workspace can write again.';
  expect(move).toEqual({ state: 'copying', frozen_until: null, last_error: stored });
  await succeeds('move', 'umbrella');
  await succeeds('rollback', 'umbrella');
});

test.runIf(pgbouncerVersion() !== undefined)('through PgBouncer in session mode', async () => {
  const { id } = await createMovableTenant(source, 'vandelay');
  await source.sql`alter role postgres set intervalstyle = 'iso_8601'`;
  onTestFinished(() => source.sql`alter role postgres reset intervalstyle`.then(() => {}));
  const pooled = async ({ stack, file }: Project) => {
    const url = stack.info.database_url;
    const settings = readFileSync(file, 'utf8').replace(
      url,
      await startPgbouncer(url, { pool_mode: 'session' }),
    );
    writeFileSync(`${file}.pooled`, settings, { mode: 0o600 });
    return `${file}.pooled`;
  };
  const files = ['--from', await pooled(source), '--to', await pooled(destination)];
  const { code, stderr } = await runCli(['tenant', 'move', 'vandelay', ...files]);
  expect(code, stderr).toBe(0);
  expect(await destination.sql`select from public.tenants where id = ${id}`).toHaveLength(1);
});

test('a database that admits no connection: says so, and not that a move can be resumed', async () => {
  const file = `${source.file}.wrong`;
  const settings = readFileSync(source.file, 'utf8').replace(
    source.stack.info.database_url,
    'postgresql://postgres:x@127.0.0.1:1/postgres',
  );
  writeFileSync(file, settings, { mode: 0o600 });
  const { code, stderr } = await runCli(['tenant', 'move', 'acme', '--from', file, '--to', destination.file]);
  expect(code).toBe(75);
  expect(stderr).toMatch(/The database of the source: .*ECONNREFUSED.* run the same command again/);
  expect(stderr).not.toContain('resume');
});

/** Calls the statements of `body` when the move of this direction reaches a state. */
async function whenMoveIs({ sql }: Project, state: string, direction: string, body: string): Promise<void> {
  await sql.unsafe(`
    create or replace function public.trap() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
    drop trigger if exists trap on private.tenant_moves;
    create trigger trap before update on private.tenant_moves
      for each row when (new.state = '${state}' and new.direction = '${direction}') execute function public.trap()`);
}

const removeTrap = ({ sql }: Project) => sql`drop function if exists public.trap cascade`;

async function createOrders({ sql }: Project, { id }: MovableTenant): Promise<void> {
  await sql`
    insert into public.payouts (tenant_id, id, amount, currency, region, beneficiary, purpose, provider, our_number, status, ordered_at)
    select ${id}, p, 500, 'BRL', 'BR', '{}', 'prize', 'sandbox', p, 'creating', now() from unnest(array['po_1', 'po_2']) as p`;
}

test('responses to Asaas during the window are known at the other side before it opens, in both directions', async () => {
  const acme = await createMovableTenant(source, 'acme');
  await createOrders(source, acme);
  const approve = (order: string) => `
    insert into private.approvals_while_moving (order_id, move_id, transfer_id) values ('${order}', new.id, 'transfer of ${order}');`;
  const expectKnown = (order: string) => `
    if not exists (select from public.payouts where id = '${order}' and approved_transfer = 'transfer of ${order}') then
      raise exception 'opens without ${order}';
    end if;`;
  await whenMoveIs(source, 'verified', 'out', approve('po_1'));
  await whenMoveIs(destination, 'open', 'in', expectKnown('po_1'));
  await succeeds('move', 'acme');

  await whenMoveIs(destination, 'verified', 'in', approve('po_2'));
  await whenMoveIs(source, 'rolled_back', 'out', expectKnown('po_2'));
  await succeeds('rollback', 'acme');
  await Promise.all([removeTrap(source), removeTrap(destination)]);
  expect(await source.sql`select id, approved_transfer from public.payouts order by id`).toEqual([
    { id: 'po_1', approved_transfer: 'transfer of po_1' },
    { id: 'po_2', approved_transfer: 'transfer of po_2' },
  ]);
});
