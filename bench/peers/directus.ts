// Directus, with its defaults but for what would stand between it and a load: logs, limits, cache and telemetry.
// 12 makes telemetry a condition of use without a license, so this is the last 11. It asks for Node 22; what is used
// here runs on 20.
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { claimPort } from '../../local/ports.ts';
import { createLeads, fillLeads, tagsAsJson } from './leads.ts';
import { createDatabase, type Peer, type PeerOptions, runProgram, startProgram } from './peer.ts';

/** The command line without its look for a newer version. */
const COMMAND = '@directus/api/dist/cli/run.js';

/** Starts Directus on a database `bench_directus` of its own, with the table registered as a collection. */
export async function start({ databaseUrl, dir }: PeerOptions): Promise<Peer> {
  const ownUrl = await createDatabase(databaseUrl, 'bench_directus');
  await createLeads(ownUrl, tagsAsJson);
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
    SECRET: randomUUID(),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: randomUUID(),
    ADMIN_TOKEN: token,
    STORAGE_LOCAL_ROOT: uploads,
    EXTENSIONS_PATH: extensions,
    LOG_LEVEL: 'silent',
    TELEMETRY: 'false',
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    RATE_LIMITER_GLOBAL_ENABLED: 'false',
    // Refuses requests while the process is busy, which is what a load makes it.
    PRESSURE_LIMITER_ENABLED: 'false',
  };
  const headers = { authorization: `Bearer ${token}` };
  await runProgram({ file: COMMAND, args: ['bootstrap'], env, dir });
  const child = await startProgram({ file: COMMAND, args: ['start'], env, dir }, `${url}/server/ping`);
  const stop = () => child.stop();
  try {
    await register(url, headers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, headers, databaseUrl: ownUrl, pid: child.pid, stop };
}

/** What a field does besides being stored, as the studio sets it for fields of these kinds. */
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
    if (!reply.ok) throw new Error(`Directus answers ${path} with ${reply.status} ${text}`);
  };
  await patch('/collections/leads', { meta: { hidden: false } });
  for (const [field, special] of Object.entries(SPECIALS)) {
    await patch(`/fields/leads/${field}`, { meta: { special: [special] } });
  }
}

/** Adds rows to the table in Directus's own database; returns ids of some of them. */
export const fill = (sql: postgres.Sql, rows: number): Promise<string[]> => fillLeads(sql, rows, tagsAsJson);
