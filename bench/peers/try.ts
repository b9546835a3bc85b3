// `node --import tsx bench/peers/try.ts`: sends each request once to the installed peers, on a Postgres of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { providePlatform } from '../../local/postgres/provision.ts';
import { startPostgres } from '../../local/postgres/server.ts';
import { MARK } from '../load/bodies.ts';
import { type InstalledPeer, installedPeers, peers } from './peers.ts';
import { operations, requestsOf } from './requests.ts';

const ROWS = 100_000;
const PASSWORD = 'try';

const installed = installedPeers();
if (installed.length === 0) console.log('No peers are installed: npm run bench:peers:install');
else await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'placar-peers-'));
  const server = await startPostgres({ dir: join(dir, 'postgres'), password: PASSWORD, durable: false });
  try {
    await providePlatform(server, PASSWORD);
    for (const peer of installed) await tryPeer(peer, server.url, join(dir, peer.name));
  } finally {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function tryPeer({ name, version }: InstalledPeer, databaseUrl: string, dir: string): Promise<void> {
  const peer = await peers[name].start({ databaseUrl, dir });
  const sql = postgres(peer.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const requests = requestsOf(name, peer, await peers[name].fill(sql, ROWS));
    console.log(`\n${name} ${version}, ${ROWS} leads`);
    for (const operation of operations) {
      const { method, paths, headers, body } = requests[operation];
      const init = { method, headers, ...(body && { body: body.replaceAll(MARK, crypto.randomUUID()) }) };
      const reply = await fetch(`${peer.url}${paths[0]}`, init);
      const text = await reply.text();
      const total = reply.headers.get('x-total-count');
      const shown = `${text.slice(0, 160)} … ${text.slice(-60)}`;
      console.log(`  ${operation}: ${reply.status}${total ? ` (total ${total})` : ''} ${shown}`);
    }
  } finally {
    await sql.end({ timeout: 1 });
    await peer.stop();
  }
}
