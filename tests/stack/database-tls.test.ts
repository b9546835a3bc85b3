// A database with a certificate, as hosted ones have: what `sslmode` and DATABASE_CA of a function verify.
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pushMigrations } from '../../local/postgres/provision.ts';
import { type PlatformDatabase, startPlatformDatabase } from '../platform/platform-database.ts';
import { createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { sync } from '../support/sync.ts';
import { waitFor } from '../support/wait-for.ts';

const keyUsage = { name: 'keyUsage', digitalSignature: true, keyCertSign: true } as const;

/** A certificate authority, and a certificate of it for these names. */
async function createCertificates(names: { type: 2 | 7; value?: string; ip?: string }[]) {
  const ca = await generate([{ name: 'commonName', value: 'Test CA' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true }, keyUsage],
  });
  const server = await generate([{ name: 'commonName', value: 'server' }], {
    keySize: 2048,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  return { ca: ca.cert, cert: server.cert, key: server.private };
}

let database: PlatformDatabase;
let ca: string;
beforeAll(async () => {
  database = await startPlatformDatabase();
  await pushMigrations(database.url, { seed: false });
  await database.sql`select admin.set_environment('staging')`;
  ca = await serveCertificate([{ type: 7, ip: '127.0.0.1' }]);
});
afterAll(() => database?.stop());

/** Has the database show a new certificate for these names to new connections. Gives its authority. */
async function serveCertificate(names: Parameters<typeof createCertificates>[0]): Promise<string> {
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
  await superuser`select pg_reload_conf()`;
  await waitFor(async () => (await superuser`show ssl`)[0]?.ssl === 'on');
  return made.ca;
}

/** A function whose database's address has this `sslmode`. */
function start(mode: string, authority: string | undefined, env: Record<string, string> = {}) {
  const url = new URL(database.url);
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

const request = async (baseUrl: string, key?: string) => {
  const apiKey = key ?? (await createTenant(database.sql)).apiKey;
  return await sync(apiKey, { action: 'sync_collaborators', collaborators: [] }, { baseUrl });
};

test.each(['require', 'verify-ca', 'verify-full'])(
  'sslmode=%s encrypts, and takes a certificate of the known authority',
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
])('a certificate %s is refused: 503, nothing was done', async (_, mode, authority) => {
  const { baseUrl, lines } = await start(mode, await authority());
  const { status, body } = await request(baseUrl);
  expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('Nothing was done')]);
  expect(lines.join('\n')).toMatch(/the database refused a connection.*"code":"InvalidData"/);
});

test.runIf(process.platform === 'linux')('a connection that breaks is noticed at once', async () => {
  const authority = await serveCertificate([{ type: 7, ip: '127.0.0.1' }]);
  // Longer than a test waits for anything.
  const { baseUrl } = await start('verify-full', authority, { DATABASE_TIMEOUT_MS: '120000' });
  const holding = database.superuser
    .begin(async (tx) => {
      await tx`lock table public.api_keys in access exclusive mode`;
      const reply = request(baseUrl, `sk_test_${'0'.repeat(32)}`);
      const [backend] = await waitFor(async () => {
        const rows = await tx`
          select pid from pg_stat_activity where application_name = 'placar' and wait_event_type = 'Lock'`;
        return rows.length > 0 && rows;
      });
      // Without a word to its client, and to nobody else's: Postgres ends all connections then.
      process.kill(backend?.pid, 'SIGKILL');
      expect((await reply).status).toBe(503);
    })
    // Its own connection is lost as well.
    .catch((error: unknown) => error);
  expect(await holding).not.toMatchObject({ name: 'AssertionError' });
});
