// Sends one request of a load, by target.
import { createHash, randomUUID } from 'node:crypto';
import { Agent, type RequestOptions, request } from 'node:http';
import postgres from 'postgres';
import { insertActivities } from '../../shared/activity/activities.ts';
import { signRequest } from '../../shared/platform/access/api-keys.ts';
import { compileAll, sql as templates } from '../../shared/platform/db/sql.ts';
import { connectionOptions, enterTenant, findKey, type Key, logRequest } from '../bare/work.ts';
import { MARK } from './bodies.ts';
import type { Target } from './load.ts';

export interface Sender {
  /** Sends a JSON array of activities. Throws unless it was accepted. */
  send(activities: string): Promise<void>;
  close(): Promise<void>;
}

export function createSender(target: Target, concurrency: number): Sender | Promise<Sender> {
  if (target.kind === 'signed') return signedSender(target, concurrency);
  if (target.kind === 'plain') return plainSender(target, concurrency);
  return target.kind === 'http' ? httpSender(target, concurrency) : sqlSender(target);
}

function httpSender({ url, apiKey }: Extract<Target, { kind: 'http' }>, concurrency: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return {
    async send(activities) {
      const body = `{"action":"sync_activities","activities":${activities}}`;
      await exchange(url, { agent, method: 'POST', headers }, body);
    },
    close: async () => agent.destroy(),
  };
}

/** Sends the target's own request, whatever the load's bodies are. */
function signedSender(target: Extract<Target, { kind: 'signed' }>, concurrency: number): Sender {
  const { url, path, apiKey, body } = target;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const method = body === undefined ? 'GET' : 'POST';
  const bytes = new TextEncoder().encode(body ?? '');
  return {
    async send() {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const signature = signRequest(apiKey, { timestamp, method, target: path, body: bytes });
      const headers = {
        authorization: `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      };
      await exchange(`${url}${path}`, { agent, method, headers }, body);
    },
    close: async () => agent.destroy(),
  };
}

function plainSender(
  { url, request: what }: Extract<Target, { kind: 'plain' }>,
  concurrency: number,
): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const { method, paths, headers, failure } = what;
  const bodies = what.bodies?.map((body) => body.split(MARK));
  let turn = 0;
  return {
    async send() {
      const path = paths[turn % paths.length];
      const body = bodies?.[turn % bodies.length]?.join(randomUUID());
      turn++;
      const answer = await exchange(`${url}${path}`, { agent, method, headers }, body);
      if (failure !== undefined && answer.includes(failure)) throw new Error(answer.slice(0, 300));
    },
    close: async () => agent.destroy(),
  };
}

/** One request and its response. Throws unless it succeeds. */
function exchange(url: string, options: RequestOptions, text?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const body = text === undefined ? undefined : Buffer.from(text);
    const headers = { ...options.headers, ...(body && { 'content-length': body.byteLength }) };
    const outgoing = request(url, { ...options, headers }, (reply) => {
      let answer = '';
      reply.setEncoding('utf8');
      reply.on('data', (piece: string) => {
        answer += piece;
      });
      reply.on('end', () => {
        const { statusCode = 0 } = reply;
        if (statusCode >= 200 && statusCode < 300) resolve(answer);
        else reject(new Error(`${statusCode} ${answer.slice(0, 300)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function sqlSender({ databaseUrl, apiKey }: Extract<Target, { kind: 'sql' }>): Promise<Sender> {
  const sql = postgres(databaseUrl, connectionOptions);
  const hash = createHash('sha256').update(apiKey).digest('hex');
  const authenticate = async (): Promise<Key> => {
    const key = await findKey(sql, hash);
    if (!key) throw new Error('unknown API key');
    return key;
  };
  const statement = statementOf((await authenticate()).tenant_id);
  return {
    async send(activities) {
      const key = await authenticate();
      await sql.begin((tx) => [
        enterTenant(tx, key.tenant_id),
        tx.unsafe(statement.text, [activities, ...statement.others], { prepare: true }),
        logRequest(tx, key),
      ]);
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

/** Placar's own statement as text, to be run with prepared JSON, and its values after the JSON. */
function statementOf(tenantId: string) {
  const [statement] = compileAll(insertActivities(templates, tenantId, []));
  return { text: statement?.text ?? '', others: statement?.values.slice(1) ?? [] };
}
