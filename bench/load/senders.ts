// Ways of doing one request of a load.
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import postgres from 'postgres';
import { recordActivities } from '../../shared/activity/activities.ts';
import type { Sql } from '../../shared/db/database.ts';
import { connectionOptions, enterTenant, findKey, type Key, logRequest } from '../bare/work.ts';
import type { Target } from './load.ts';

export interface Sender {
  /** Sends a JSON array of activities; throws unless it was taken. */
  send(activities: string): Promise<void>;
  close(): Promise<void>;
}

export function createSender(target: Target, concurrency: number): Sender | Promise<Sender> {
  return target.kind === 'http' ? httpSender(target, concurrency) : sqlSender(target);
}

function httpSender({ url, apiKey }: Extract<Target, { kind: 'http' }>, concurrency: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return {
    send: (activities) =>
      new Promise((resolve, reject) => {
        const body = Buffer.from(`{"action":"sync_activities","activities":${activities}}`);
        const options = { agent, method: 'POST', headers: { ...headers, 'content-length': body.byteLength } };
        const outgoing = request(url, options, (reply) => {
          let text = '';
          reply.setEncoding('utf8');
          reply.on('data', (piece: string) => {
            text += piece;
          });
          reply.on('end', () =>
            reply.statusCode === 200
              ? resolve()
              : reject(new Error(`${reply.statusCode} ${text.slice(0, 300)}`)),
          );
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: async () => agent.destroy(),
  };
}

async function sqlSender({ databaseUrl, apiKey }: Extract<Target, { kind: 'sql' }>): Promise<Sender> {
  const sql = postgres(databaseUrl, connectionOptions);
  const hash = createHash('sha256').update(apiKey).digest('hex');
  const authenticate = async (): Promise<Key> => {
    const key = await findKey(sql, hash);
    if (!key) throw new Error('the key of the bench is unknown');
    return key;
  };
  const text = await statementText(sql, (await authenticate()).tenant_id);
  return {
    async send(activities) {
      const key = await authenticate();
      await sql.begin((tx) => [
        enterTenant(tx, key.tenant_id),
        tx.unsafe(text, [activities, key.tenant_id, key.tenant_id], { prepare: true }),
        logRequest(tx, key),
      ]);
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

/** Text of Placar's own statement, so that it can be run with JSON that is ready made. */
async function statementText(sql: postgres.Sql, tenantId: string): Promise<string> {
  const { statement } = await recordActivities(sql as unknown as Sql, tenantId, []);
  return statement.string;
}
