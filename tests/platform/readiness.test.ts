// GET /health/ready: each check fails with its cause, and succeeds again without it. Runs on its own Postgres.
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { functionNames } from '../../functions/manifest.ts';
import { listen } from '../../local/ports.ts';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import { MIGRATIONS } from '../../shared/platform/db/migrations.ts';
import { createApp } from '../../shared/platform/http/app.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { type LogFields, type Logger, silentLogger } from '../../shared/platform/logger.ts';
import { activityErrorFormat } from '../../shared/platform/request/error-formats.ts';
import { VERSION } from '../../shared/platform/version.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { startTransactionPooler } from '../support/postgres/transaction-pooler.ts';
import { waitFor } from '../support/wait-for.ts';
import { type PlatformDatabase, startMigratedDatabase } from './platform-database.ts';

/** The shared stack's. */
const sql = connectDatabase();
let db: PlatformDatabase;
beforeAll(async () => {
  db = await startMigratedDatabase();
});
afterAll(() => db?.stop());
afterEach(() => void vi.useRealTimers());

const NOWHERE = 'http://127.0.0.1:1';

interface Broken {
  /** The address of the database. */
  url?: string;
  redisUrl?: string;
  qstashUrl?: string;
}

/** A worker of `v1` without requests so far. */
function startWorker({ url = db.url, redisUrl, qstashUrl }: Broken = {}) {
  const lines: LogFields[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (message, fields) => void lines.push({ message, ...fields }),
    with: () => log,
  };
  const env = inject('env');
  const redis = { UPSTASH_REDIS_REST_TOKEN: env.UPSTASH_REDIS_REST_TOKEN ?? '', REDIS_TIMEOUT_MS: 1000 };
  const qstash = { QSTASH_TOKEN: env.QSTASH_TOKEN ?? '', FUNCTIONS_URL: env.FUNCTIONS_URL ?? '' };
  const app = createApp({
    ...{ name: 'v1', errorFormat: activityErrorFormat, schemes: ['Bearer'], environment: 'staging', log },
    ...{ addressHeader: '', unknownCallerRows: 60 },
    database: openDatabase({ SUPABASE_DB_URL: url, DATABASE_POOL_SIZE: 4 }),
    counter: createCounter({
      ...redis,
      UPSTASH_REDIS_REST_URL: redisUrl ?? env.UPSTASH_REDIS_REST_URL ?? '',
    }),
    queue: createQueue({ ...qstash, QSTASH_URL: qstashUrl ?? env.QSTASH_URL ?? '' }),
  });
  const ask = async () => {
    const response = await app.request('/v1/health/ready');
    const { status, headers } = response;
    return { status, retryAfter: headers.get('retry-after'), body: await response.json() };
  };
  return { app, ask, lines };
}

const ALL_OK = {
  ...{ database: 'ok', write: 'ok', request: 'ok', schema: 'ok', environment: 'ok', pooler: 'ok' },
  ...{ redis: 'ok', queue: 'ok' },
};

async function expectReady(worker = startWorker()) {
  const answer = await worker.ask();
  expect(worker.lines).toEqual([]);
  expect(answer).toEqual({
    ...{ status: 200, retryAfter: null },
    body: { status: 'ok', checks: ALL_OK, version: VERSION, age_seconds: 0 },
  });
}

/** Expects 503, these checks to have failed, and one log line with this code for each that is `logged`. */
async function expectFailed(
  worker: ReturnType<typeof startWorker>,
  failed: string[],
  code: string,
  logged = failed,
) {
  const { status, retryAfter, body } = await worker.ask();
  const checks = { ...ALL_OK, ...Object.fromEntries(failed.map((name) => [name, 'failed'])) };
  expect(body).toEqual({ status: 'unavailable', checks, version: VERSION, age_seconds: 0 });
  expect([status, retryAfter]).toEqual([503, '10']);
  const lines = logged.map((check) => ({ message: 'readiness check failed', check, code }));
  expect(worker.lines).toHaveLength(lines.length);
  expect(worker.lines).toEqual(expect.arrayContaining(lines.map((line) => expect.objectContaining(line))));
  expect(await db.sql`select slug from tenants where slug like 'write-probe%'`).toHaveLength(0);
}

const DEPENDENT = ['database', 'write', 'request', 'schema', 'environment', 'pooler'];

interface Trouble {
  checks: string[];
  code: string;
  plant: string;
  mend: string;
}

const troubles: [string, Trouble][] = [
  [
    'a read-only database',
    {
      ...{ checks: ['write', 'request'], code: '25006' },
      plant: `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
      mend: `do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
    },
  ],
  [
    'a lock on the row of the probe',
    {
      ...{ checks: ['write'], code: '55P03' },
      plant: `insert into private.write_probes values ('v1', '', now()) on conflict do nothing;
              begin; select from private.write_probes for update`,
      mend: 'rollback',
    },
  ],
  [
    'a missing grant',
    {
      ...{ checks: ['write'], code: '42501' },
      plant: 'revoke execute on function app.write_probe(text) from worker',
      mend: 'grant execute on function app.write_probe(text) to worker',
    },
  ],
  [
    'a schema that requests cannot use',
    {
      ...{ checks: ['request'], code: '42501' },
      plant: 'revoke usage on schema extensions from api',
      mend: 'grant usage on schema extensions to api',
    },
  ],
  [
    'a trigger that fails for requests',
    {
      ...{ checks: ['request'], code: '23514' },
      plant: 'alter table public.events add constraint planted check (false) not valid',
      mend: 'alter table public.events drop constraint planted',
    },
  ],
  [
    'a missing migration',
    {
      ...{ checks: ['schema'], code: 'migration_missing' },
      plant: `update supabase_migrations.schema_migrations set version = '1' where version = '${MIGRATIONS.at(-1)}'`,
      mend: `update supabase_migrations.schema_migrations set version = '${MIGRATIONS.at(-1)}' where version = '1'`,
    },
  ],
  [
    'the database of another environment',
    {
      ...{ checks: ['environment'], code: 'environment_differs' },
      plant: `select admin.set_environment('production')`,
      mend: `select admin.set_environment('staging')`,
    },
  ],
];

test.each(troubles)('%s: returns 503, and 200 afterwards', async (_, { checks, code, plant, mend }) => {
  // An existing session, which can undo a read-only database.
  await db.superuser.unsafe(plant);
  try {
    await expectFailed(startWorker(), checks, code);
  } finally {
    await db.superuser.unsafe(mend);
  }
  await expectReady();
});

test('without a database, all database checks fail for the same reason', async () => {
  const worker = startWorker({ url: 'postgres://postgres@127.0.0.1:1/postgres' });
  await expectFailed(worker, DEPENDENT, 'ECONNREFUSED', ['database']);
});

test('an unresponsive database: 503 after five seconds, and one check at a time', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  const port = await listen(server);
  const { ask, lines } = startWorker({ url: `postgres://postgres@127.0.0.1:${port}/postgres` });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const first = ask();
    await vi.advanceTimersByTimeAsync(5000);
    await vi.advanceTimersByTimeAsync(10_001);
    const answers = [await first, await ask()];
    expect(answers.map(({ status, body }) => [status, body.checks.database])).toEqual([
      [503, 'failed'],
      [503, 'failed'],
    ]);
    expect(sockets).toHaveLength(1);
    const causes = lines.filter(({ check }) => check === 'database').map(({ code, error }) => [code, error]);
    expect(causes).toEqual([
      ['timeout', 'Error: timeout'],
      ['timeout', 'Error: the previous check has not ended'],
    ]);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

describe('a pooler in statement mode', () => {
  test('closes the connection at the second message of a transaction', async () => {
    const { pooler, url } = await startTransactionPooler(db.url);
    const message = 'transaction blocks not allowed in statement pooling mode';
    const end = { severity: 'FATAL', code: '08P01', message } as const;
    pooler.faults.transaction = (text) => (/^begin\b/.test(text) ? { end, after: 'commit' } : undefined);
    // Its message may get lost with the connection.
    const { status, body } = await startWorker({ url }).ask();
    expect([status, body.checks]).toEqual([503, { ...ALL_OK, pooler: 'failed' }]);
    pooler.faults = {};
    await expectReady(startWorker({ url }));
  });

  test('of PgBouncer', async ({ skip }) => {
    if (pgbouncerVersion() === undefined && !process.env.CI) skip('pgbouncer is not on the PATH');
    const url = await startPgbouncer(db.url, { pool_mode: 'statement' });
    const worker = startWorker({ url });
    const { status, body } = await worker.ask();
    expect([status, body.checks]).toEqual([503, { ...ALL_OK, pooler: 'failed' }]);
    await expectReady(startWorker({ url: await startPgbouncer(db.url, { pool_mode: 'transaction' }) }));
  });
});

test('a Redis token that may only read is degraded: it counts nothing', async () => {
  const server = createHttpServer(async (request, response) => {
    const commands = JSON.parse(await text(request)) as string[][];
    const replies = commands.map(([name = '']) =>
      /^get$/i.test(name)
        ? { result: null }
        : { error: `NOPERM this user has no permissions to run the '${name}' command` },
    );
    response.end(JSON.stringify(replies));
  });
  onTestFinished(() => void server.close());
  const { body } = await startWorker({ redisUrl: `http://127.0.0.1:${await listen(server)}` }).ask();
  expect(body.checks).toEqual({ ...ALL_OK, redis: 'degraded' });
});

test.each([
  ['redis', { redisUrl: NOWHERE }],
  ['queue', { qstashUrl: NOWHERE }],
])('without %s it is degraded, but returns 200', async (name, broken) => {
  const worker = startWorker(broken);
  const { status, retryAfter, body } = await worker.ask();
  expect([status, retryAfter, body.status]).toEqual([200, null, 'degraded']);
  expect(body.checks).toEqual({ ...ALL_OK, [name]: 'degraded' });
  expect(worker.lines).toMatchObject([{ message: 'readiness check failed', check: name }]);
});

test('nothing of a probe can be stored', async () => {
  const session = { role: 'api', tenantId: crypto.randomUUID() } as const;
  const database = openDatabase({ SUPABASE_DB_URL: db.url });
  const storing = database.transaction(session, (sql) => sql`select app.create_probe_tenant()`);
  await expect(storing).rejects.toMatchObject({ code: '23000' });
  await database.close();
});

test('one write per ten seconds, regardless of the number of requests', async () => {
  const written = async () => (await db.sql`select written_at, payload from private.write_probes`)[0];
  const { app, ask } = startWorker();
  vi.useFakeTimers({ toFake: ['performance'] });
  await Promise.all(Array.from({ length: 50 }, ask));
  const first = await written();
  expect(first?.payload).toHaveLength(16_384);
  vi.advanceTimersByTime(9000);
  expect((await ask()).body.age_seconds).toBe(9);
  expect(await written()).toEqual(first);
  vi.advanceTimersByTime(1001);
  const answers = await Promise.all(Array.from({ length: 50 }, ask));
  expect(new Set(answers.map(({ body }) => body.age_seconds))).toEqual(new Set([0]));
  expect(await written()).not.toEqual(first);
  const rejected = await app.request('/v1/health/ready', { method: 'POST' });
  expect([rejected.status, rejected.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test.each(functionNames)('%s serves all three endpoints, and none is in the request log', async (name) => {
  const id = crypto.randomUUID();
  const ask = (path: string) =>
    fetch(`${inject('env').FUNCTIONS_URL}/${name}/health${path}`, { headers: { 'X-Request-Id': id } });
  expect(await (await ask('/live')).json()).toEqual({ status: 'ok' });
  const { redis, queue, ...needed } = (await (await ask('/ready')).json()).checks;
  const { redis: _redis, queue: _queue, ...all } = ALL_OK;
  expect(needed).toEqual(all);
  expect([redis, queue]).toEqual([
    name === 'callbacks' ? undefined : 'ok',
    ['payments', 'v1', 'callbacks'].includes(name) ? 'ok' : undefined,
  ]);
  await ask('/nothing');
  const logged = await waitFor(async () => {
    const rows = await sql`select reason from request_log where request_id = ${id}`;
    return rows.length > 0 && rows;
  });
  expect([...logged]).toEqual([{ reason: 'not_found' }]);
});
