// Platformatic DB with its defaults, except that logs and GraphQL are off.
import { mkdir } from 'node:fs/promises';
import { claimPort } from '../../local/ports.ts';
import { createDatabase, leadsOfOneTenant } from './leads.ts';
import { type Peer, type PeerOptions, startProgram } from './peer.ts';

/** Starts Platformatic with its own database `bench_platformatic`, whose table it serves as an entity. */
export async function start({ databaseUrl, dir }: PeerOptions): Promise<Peer> {
  const schema = leadsOfOneTenant(`text[] default '{}'`);
  const ownUrl = await createDatabase({ serverUrl: databaseUrl, name: 'bench_platformatic', schema });
  await mkdir(dir, { recursive: true });
  const port = await claimPort();
  const url = `http://127.0.0.1:${port}`;
  const env = { DATABASE_URL: ownUrl, PORT: String(port), FOLDER: dir };
  const child = await startProgram(
    { peer: 'platformatic', file: 'server.mjs', env, dir },
    `${url}/leads?limit=1`,
  );
  return { url, headers: {}, databaseUrl: ownUrl, pid: child.pid, stop: () => child.stop() };
}
