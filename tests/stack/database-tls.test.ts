// A database with a certificate, like hosted ones: verification by `sslmode` and DATABASE_CA of a function.
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../local/ports.ts';
import { type PlatformDatabase, startMigratedDatabase } from '../platform/platform-database.ts';
import { createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { sync } from '../support/gamification/sync.ts';
import { waitFor } from '../support/wait-for.ts';
import { createCertificates, type Names } from '../support/wire/certificates.ts';

let database: PlatformDatabase;
let ca: string;
beforeAll(async () => {
  database = await startMigratedDatabase();
  await database.sql`select admin.set_environment('staging')`;
  ca = await serveCertificate([{ type: 7, ip: '127.0.0.1' }]);
});
afterAll(() => database?.stop());

/** Makes the database use a new certificate for these names on new connections. Returns its authority. */
async function serveCertificate(names: Names): Promise<string> {
  const made = await createCertificates(names);
  const data = join(database.dir, 'postgres', 'data');
  const { uid, gid } = statSync(data);
  for (const [file, text] of [
    ['server.crt', made.cert],
    ['server.key', made.key],
  ] as const) {
    writeFileSync(join(data, file), text);
    chownSync(join(data, file), uid, gid);
    chmodSync(join(data, file), 0o600);
  }
  const { superuser } = database;
  await superuser`alter system set ssl = on`;
  const before = await configuredAt();
  await superuser`select pg_reload_conf()`;
  await waitFor(async () => (await configuredAt()) !== before);
  return made.ca;
}

/** When the server loaded its settings and certificate for new connections. */
async function configuredAt(): Promise<string> {
  const connection = postgres(database.url, { max: 1 });
  const [row] = await connection`select pg_conf_load_time()::text as at`;
  await connection.end();
  return row?.at;
}

/** A function whose database URL has this `sslmode`. */
function start(mode: string, authority: string | undefined, env: Record<string, string> = {}, port?: number) {
  const url = new URL(database.url);
  if (port) url.port = String(port);
  url.searchParams.set('sslmode', mode);
  return startOwnFunction('default-integration', {
    DATABASE_URL: url.href,
    ...(authority && { DATABASE_CA: authority }),
    ...env,
  });
}

const encrypted = async (): Promise<number> => {
  const rows = await database.sql`
    select from pg_stat_ssl s join pg_stat_activity a using (pid) where a.application_name = 'placar' and s.ssl`;
  return rows.length;
};

const nobody = { action: 'sync_collaborators', collaborators: [] };
const request = async (baseUrl: string) =>
  await sync((await createTenant(database.sql)).apiKey, nobody, { baseUrl });

test.each(['require', 'verify-ca', 'verify-full'])(
  'sslmode=%s encrypts, and accepts a certificate of the known authority',
  async (mode) => {
    const { baseUrl, edge, lines } = await start(mode, ca);
    expect([(await request(baseUrl)).status, lines]).toEqual([200, []]);
    expect(await encrypted()).toBeGreaterThan(0);
    await edge.stop();
  },
);

test.each<[string, string, () => Promise<string | undefined>]>([
  ['of an unknown authority', 'require', async () => undefined],
  ['of another authority', 'verify-full', async () => (await createCertificates([])).ca],
  ['for another name', 'verify-full', () => serveCertificate([{ type: 2, value: 'localhost' }])],
])('rejects a certificate %s: 503, and nothing was done', async (_, mode, authority) => {
  const { baseUrl, lines } = await start(mode, await authority());
  const { status, body } = await request(baseUrl);
  expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('Nothing was done')]);
  expect(lines.join('\n')).toMatch(/the database refused a connection.*"code":"InvalidData"/);
});

describe('a request that waits for a lock', () => {
  /** Sends a request that waits for this lock. Returns its status, and the Postgres process that serves it. */
  async function startLongPoll(timeoutMs: number, pooler?: { ca: string; port: number }) {
    const authority = pooler?.ca ?? (await serveCertificate([{ type: 7, ip: '127.0.0.1' }]));
    const env = { DATABASE_TIMEOUT_MS: String(timeoutMs) };
    const { baseUrl } = await start('verify-full', authority, env, pooler?.port);
    const holder = await database.superuser.reserve();
    onTestFinished(() => holder.release());
    await holder`begin`;
    await holder`lock table public.api_keys in access exclusive mode`;
    let status: number | undefined;
    void sync(`sk_test_${'0'.repeat(32)}`, nobody, { baseUrl }).then((reply) => {
      status = reply.status;
    });
    const pid = await waitFor(async () => {
      const [waiting] = await holder`select pid from pg_locks where not granted`;
      return waiting?.pid;
    });
    return { status: () => waitFor(() => status), pid, holder };
  }

  test('returns 503 after its timeout', async () => {
    const { status, holder } = await startLongPoll(2000);
    expect(await status()).toBe(503);
    await holder`rollback`;
  });

  test('returns 503 if a pooler in between closes its connection cleanly', async () => {
    const { ca, key, cert } = await createCertificates([{ type: 7, ip: '127.0.0.1' }]);
    const clients = new Set<TLSSocket>();
    const server = createServer((socket) => {
      // The first message of a client requests TLS.
      socket.once('data', () => {
        socket.write('S');
        const client = new TLSSocket(socket, { isServer: true, key, cert });
        clients.add(client);
        const { hostname, port } = new URL(database.url);
        const inner = connect(Number(port), hostname);
        for (const one of [client, inner]) one.on('error', () => {});
        client.pipe(inner).pipe(client);
      });
    });
    const port = await listen(server);
    onTestFinished(() => void server.close());
    const { status, holder } = await startLongPoll(120_000, { ca, port });
    for (const client of clients) client.end();
    expect(await status()).toBe(503);
    await holder`rollback`;
  });

  test.runIf(process.platform === 'linux')('returns 503 if its connection breaks', async () => {
    // Longer than any wait of a test.
    const { status, pid } = await startLongPoll(120_000);
    // It sends nothing to its client. Postgres then closes all other connections, including that of this test.
    process.kill(pid, 'SIGKILL');
    expect(await status()).toBe(503);
  });
});
