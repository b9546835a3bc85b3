// Directus with its defaults, except that logs, limits, cache and the studio are off. Activity and revisions are recorded, as
// by default. Without a license, version 12 must be allowed to send usage reports to its makers; nothing here prevents that.
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { claimPort } from '../../local/ports.ts';
import { createDatabase, leadsOfOneTenant } from './leads.ts';
import { type Peer, type PeerOptions, runProgram, startProgram } from './peer.ts';

/** The CLI without its update check. */
const COMMAND = 'node_modules/@directus/api/dist/cli/run.js';

/** Starts Directus with its own database `bench_directus` and the table registered as a collection. */
export async function start({ databaseUrl, dir }: PeerOptions): Promise<Peer> {
  const schema = leadsOfOneTenant(`jsonb default '[]'`);
  const ownUrl = await createDatabase({ serverUrl: databaseUrl, name: 'bench_directus', schema });
  const [uploads, extensions] = [join(dir, 'uploads'), join(dir, 'extensions')];
  for (const folder of [uploads, extensions]) await mkdir(folder, { recursive: true });
  const port = await claimPort();
  const url = `http://127.0.0.1:${port}`;
  const token = randomUUID();
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: ownUrl,
    SECRET: randomUUID() + randomUUID(),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: randomUUID(),
    ADMIN_TOKEN: token,
    STORAGE_LOCAL_ROOT: uploads,
    EXTENSIONS_PATH: extensions,
    LOG_LEVEL: 'silent',
    SERVE_APP: 'false',
    WEBSOCKETS_ENABLED: 'false',
    CACHE_ENABLED: 'false',
    // One schema for all requests instead of a copy for each, which is the default.
    CACHE_SCHEMA_FREEZE_ENABLED: 'true',
    RATE_LIMITER_ENABLED: 'false',
    RATE_LIMITER_GLOBAL_ENABLED: 'false',
    // This limiter would reject requests while the process is busy, as it is under load.
    PRESSURE_LIMITER_ENABLED: 'false',
  };
  const headers = { authorization: `Bearer ${token}` };
  const program = { peer: 'directus', file: COMMAND, env, dir };
  await runProgram({ ...program, args: ['bootstrap'] });
  const child = await startProgram({ ...program, args: ['start'] }, `${url}/server/ping`);
  const stop = () => child.stop();
  try {
    await register(url, headers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, headers, databaseUrl: ownUrl, pid: child.pid, stop };
}

/** Special behavior of fields, as the studio configures it for these kinds. */
const SPECIALS: Record<string, string> = {
  id: 'uuid',
  custom_fields: 'cast-json',
  tags: 'cast-json',
  created_at: 'date-created',
  updated_at: 'date-updated',
};

async function register(url: string, headers: Record<string, string>): Promise<void> {
  const patch = async (path: string, body: unknown) => {
    const reply = await fetch(`${url}${path}`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`Directus responds to ${path} with ${reply.status} ${text}`);
  };
  // Like a collection created in the studio: all activity is recorded, with revisions.
  await patch('/collections/leads', { meta: { hidden: false, accountability: 'all' } });
  for (const [field, special] of Object.entries(SPECIALS)) {
    await patch(`/fields/leads/${field}`, { meta: { special: [special] } });
  }
}
