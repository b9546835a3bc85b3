// Platformatic DB with its defaults, logs off. This is the last 2: from 3 on it needs Node 22.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { claimPort } from '../../local/ports.ts';
import { createLeads, fillLeads, tagsAsArray } from './leads.ts';
import { createDatabase, type Peer, type PeerOptions, startProgram } from './peer.ts';

const COMMAND = '@platformatic/db/db.mjs';

/** Starts Platformatic on a database `bench_platformatic` of its own, whose table it serves as an entity. */
export async function start({ databaseUrl, dir }: PeerOptions): Promise<Peer> {
  const ownUrl = await createDatabase(databaseUrl, 'bench_platformatic');
  await createLeads(ownUrl, tagsAsArray);
  const port = await claimPort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    $schema: 'https://schemas.platformatic.dev/@platformatic/db/2.61.0.json',
    server: { hostname: '127.0.0.1', port, logger: { level: 'silent' } },
    db: { connectionString: ownUrl },
    watch: false,
  };
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'platformatic.json');
  await writeFile(file, JSON.stringify(settings, null, 2));
  const child = await startProgram(
    { file: COMMAND, args: ['start', '--config', file], dir },
    `${url}/leads?limit=1`,
  );
  return { url, headers: {}, databaseUrl: ownUrl, pid: child.pid, stop: () => child.stop() };
}

/** Adds rows to the table in Platformatic's own database; returns ids of some of them. */
export const fill = (sql: postgres.Sql, rows: number): Promise<string[]> => fillLeads(sql, rows, tagsAsArray);
