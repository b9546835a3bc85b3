// `node --import tsx bench/peers/try.ts [seconds]`: sends each request once to the installed peers, on a Postgres of its
// own; with a number of seconds, also loads them that long with each.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { providePlatform } from '../../local/parts/postgres/provision.ts';
import { startPostgres } from '../../local/parts/postgres/server.ts';
import type { Peer } from './peer.ts';
import { type InstalledPeer, installedPeers, peers } from './peers.ts';
import { operations, type PeerRequest, requestsOf } from './requests.ts';

const ROWS = 100_000;
const CONNECTIONS = 8;
const PASSWORD = 'try';

const seconds = Number(process.argv[2] ?? 0);
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

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
    agent.destroy();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function tryPeer({ name, version }: InstalledPeer, databaseUrl: string, dir: string): Promise<void> {
  const peer = await peers[name].start({ databaseUrl, dir });
  const sql = postgres(peer.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const ids = await peers[name].fill(sql, ROWS);
    const requests = requestsOf(name, peer, ids);
    console.log(`\n${name} ${version}, ${ROWS} leads`);
    for (const operation of operations) {
      const { status, total, text } = await send(peer, requests[operation]);
      console.log(`  ${operation}: ${status}${total} ${text.slice(0, 160)} … ${text.slice(-60)}`);
    }
    if (seconds > 0) for (const operation of operations) await load(peer, operation, requests[operation]);
  } finally {
    await sql.end({ timeout: 1 });
    await peer.stop();
  }
}

interface Answer {
  status: number;
  /** The total, where a header tells it. */
  total: string;
  text: string;
}

function send(peer: Peer, { method, path, headers, body }: PeerRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const bytes = body && Buffer.from(body());
    const length = bytes && { 'content-length': bytes.byteLength };
    const options = { agent, method, headers: { ...headers, ...length } };
    const outgoing = request(`${peer.url}${path()}`, options, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (piece: string) => {
        text += piece;
      });
      reply.on('end', () => {
        const total = reply.headers['x-total-count'];
        resolve({ status: reply.statusCode ?? 0, total: total ? ` (total ${total})` : '', text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** Half a second of warming up, then the load. */
async function load(peer: Peer, operation: string, what: PeerRequest): Promise<void> {
  await during(500, peer, what);
  const times = (await during(seconds * 1000, peer, what)).sort((a, b) => a - b);
  const quantile = (q: number) => (times[Math.floor(q * (times.length - 1))] ?? Number.NaN).toFixed(1);
  const rate = (times.length / seconds).toFixed(0);
  console.log(`  ${operation}: ${rate} requests/s, p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`);
}

async function during(durationMs: number, peer: Peer, what: PeerRequest): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + durationMs;
  const worker = async () => {
    while (performance.now() < until) {
      const sentAt = performance.now();
      const { status, text } = await send(peer, what);
      if (status < 200 || status > 299) throw new Error(`${status} ${text.slice(0, 300)}`);
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return times;
}
