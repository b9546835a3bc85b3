// Webhooks in tests: endpoints, events created with SQL, and a worker with its own settings.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { type ServerType, serve } from '@hono/node-server';
import type postgres from 'postgres';
import { inject, onTestFailed, onTestFinished } from 'vitest';
import { qstashMessages, startCounter } from '../../../bench/counter.ts';
import { createCallbacks } from '../../../functions/callbacks/app.ts';
import { type Mail, startQstash } from '../../../local/emulators/qstash/index.ts';
import type { Env } from '../../../shared/platform/env.ts';
import type { App } from '../../../shared/platform/http/app.ts';
import { createQueue } from '../../../shared/platform/jobs/publish.ts';
import { createLogger } from '../../../shared/platform/logger.ts';
import { createSendMailJob } from '../../../shared/platform/mail/send-mail.ts';
import { createDeliverWebhookJob } from '../../../shared/webhooks/delivery/deliver-webhook.ts';
import type { Network, NetworkConnection } from '../../../shared/webhooks/delivery/network.ts';
import type { EventRenderer, Renderers } from '../../../shared/webhooks/event.ts';
import { startOwnFunction } from '../functions.ts';
import { startTcpProxy, type TcpProxy } from '../wire/tcp-proxy.ts';

/** A request as the endpoint received it. */
export interface Received {
  atMs: number;
  headers: IncomingHttpHeaders;
  path: string;
  body: string;
}

export type Respond = (response: ServerResponse, index: number, received: Received) => unknown;

export interface Endpoint {
  url: string;
  received: Received[];
  /** Maximum number of requests that were open at once. */
  mostAtOnce(): number;
}

const portOf = (address: unknown): number => (address as { port: number }).port;

/**
 * A separate loopback address, where the machine has several: a host receives at most 25 requests at a time from all tests, and
 * deliveries to a busy host wait.
 */
function ownAddress(): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  const part = () => 1 + Math.floor(Math.random() * 254);
  return `127.${part()}.${part()}.${part()}`;
}

/** An endpoint that responds with 200 or with the given responses. Requests are counted from 0. It ends with the test. */
export async function startEndpoint(respond: Respond = (response) => response.end()): Promise<Endpoint> {
  const received: Received[] = [];
  let open = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { headers, url: path = '' } = request;
    const entry = { atMs: Date.now(), headers, path, body: Buffer.concat(chunks).toString() };
    await respond(response, received.push(entry) - 1, entry);
  });
  const address = ownAddress();
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${address}:${portOf(server.address())}/hook`, received, mostAtOnce: () => most };
}

export const answer = (status: number, headers: Record<string, string> = {}) => {
  return (response: ServerResponse) => response.writeHead(status, headers).end();
};

function connectionOf(socket: Socket): NetworkConnection {
  const chunks: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  return {
    async read(buffer) {
      if (rest.length === 0) {
        const { done, value } = await chunks.next();
        if (done) return null;
        rest = value;
      }
      const count = Math.min(rest.length, buffer.length);
      buffer.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return count;
    },
    write: (data) =>
      new Promise((resolve, reject) => {
        socket.write(data, (error) => (error ? reject(error) : resolve(data.length)));
      }),
    close: () => socket.destroy(),
  };
}

/** The network of Node, with host names that the test defines. */
export function nodeNetwork(names: Record<string, () => string[]> = {}, ca?: string): Network {
  return {
    resolve: async (host) => names[host]?.() ?? [],
    connect: (address, port, serverName) =>
      new Promise((resolve, reject) => {
        const socket =
          serverName === null
            ? connect(port, address, () => resolve(connectionOf(socket)))
            : connectTls({ host: address, port, servername: serverName, ...(ca && { ca }) }, () =>
                resolve(connectionOf(socket)),
              );
        socket.once('error', reject);
      }),
  };
}

export interface Webhook {
  id: string;
  secret: string;
}

/** An endpoint of the payments interface. */
export async function createWebhook(
  sql: postgres.Sql,
  tenantId: string,
  url: string,
  events: string[] | null = null,
): Promise<Webhook> {
  const [row] = await sql`select * from admin.create_payment_webhook(${tenantId}, ${url}, ${events})`;
  return { id: row?.id, secret: row?.secret };
}

export interface EmittedDelivery {
  id: string;
  jobId: string;
  lane: string;
}

/** A job with a name other than `deliver-webhook`. */
type OrderedJob = Pick<EmittedDelivery, 'jobId'> & { name: string };

/** A sweep that runs at the same time does not find a job that is marked as announced in the future. */
const HIDDEN = '2999-01-01';

/** A payout in stored form, with all members that the deployed worker needs. */
const PAYOUT = { id: 'po_1', status: 'paid', amount: 1000, created: '2026-01-01T00:00:00.000Z' };

/** Creates an event as a trigger of the domain does. Returns its deliveries. */
export async function emit(
  sql: postgres.Sql,
  tenantId: string,
  event: {
    interface?: string;
    type?: string;
    data?: Record<string, postgres.JSONValue>;
    changed?: string[];
    swept?: boolean;
  } = {},
): Promise<EmittedDelivery[]> {
  const { interface: door = 'payments', type = 'payout.paid', data = PAYOUT, swept = false } = event;
  const { changed = [] } = event;
  return await sql.begin(async (tx) => {
    const [row] = await tx`
      insert into events (tenant_id, interface, type, changed, data)
      values (${tenantId}, ${door}, ${type}, ${changed}, ${tx.json(data)}) returning id`;
    return tx<EmittedDelivery[]>`
      update jobs j set published_at = ${swept ? null : HIDDEN} from webhook_deliveries d
      where d.tenant_id = ${tenantId} and d.event_id = ${row?.id} and j.name = 'deliver-webhook' and j.key = d.id
      returning d.id, j.id as "jobId", j.lane`;
  });
}

/** Creates an event for the only endpoint of the tenant. */
export async function emitOne(...args: Parameters<typeof emit>): Promise<EmittedDelivery> {
  const [delivery, ...others] = await emit(...args);
  if (!delivery || others.length > 0) throw new Error('the event has not one delivery');
  return delivery;
}

/** Replays a delivery. Returns its new job. */
export async function replay(sql: postgres.Sql, id: string): Promise<EmittedDelivery> {
  return await sql.begin(async (tx) => {
    await tx`select admin.replay_delivery(${id})`;
    const [job] = await tx`
      update jobs set published_at = ${HIDDEN} where name = 'deliver-webhook' and key = ${id} returning id, lane`;
    return { id, jobId: job?.id, lane: job?.lane };
  });
}

export const deliveryRow = async (sql: postgres.Sql, id: string) =>
  (await sql`select * from admin.webhook_deliveries where id = ${id}`)[0];

export const attemptsOf = (sql: postgres.Sql, id: string) =>
  sql`select * from admin.webhook_attempts where delivery_id = ${id} order by id`;

/** Records an attempt as a worker does. */
export const recordAttempt = (
  sql: postgres.ISql,
  id: string,
  status: number,
  error: string | null = null,
) => {
  const made = { delivery_id: id, response_status: status, response_ms: 1, response_excerpt: '', error };
  return sql`select app.record_webhook_attempts(${sql.json([made])}, '{60}', 60)`;
};

/**
 * Makes retries due and ends leases, windows and suspensions, for rows that nobody processes at the moment, because workers lock rows
 * in their own order.
 */
export async function passTime(sql: postgres.Sql, endpointId: string): Promise<void> {
  await sql`update webhook_endpoints set suspended_until = now() where id = ${endpointId} and suspended_until is not null`;
  await sql`
    update webhook_deliveries set next_at = clock_timestamp(), fold_until = case when fold_key is not null then clock_timestamp() end
    where id in (
      select id from webhook_deliveries where endpoint_id = ${endpointId} and status = 'pending' for update skip locked)`;
  await sql`
    update jobs set due_at = now(), locked_until = null
    where id in (
      select id from jobs
      where lane = ${`webhook-${endpointId}`} and finished_at is null and coalesce(locked_until <= now(), true)
      for update skip locked)`;
}

const asItIs: EventRenderer = ({ id, type, createdAt, data, fold }) => ({
  id,
  type,
  created_at: createdAt,
  data,
  ...fold,
});
export const asTheyAre: Renderers = { payments: asItIs, records: asItIs };

export interface Deliverer {
  /** Publishes jobs, as their creator does after the commit. */
  publish(...jobs: (EmittedDelivery | OrderedJob)[]): Promise<void>;
  /** Proxy between the worker and its QStash. */
  qstashProxy: TcpProxy;
  /** Settings of functions whose jobs this worker runs. */
  announceTo: { QSTASH_URL: string; QSTASH_TOKEN: string; FUNCTIONS_URL: string };
  /** How many messages its QStash has received. */
  messages(): number;
  /**
   * Mails to this address. The stack may send them too, because its sweep finds every job that is not claimed yet.
   */
  mailsTo(address: string): Promise<Pick<Mail, 'to' | 'text'>[]>;
}

interface DelivererOptions {
  /** Seconds. */
  schedule?: number[];
  minSpanSeconds?: number;
  timeoutMs?: number;
  network?: Network;
  renderers?: Renderers;
}

/** A worker in this process, with its own QStash, until the end of the test. */
export async function startDeliverer(options: DelivererOptions = {}): Promise<Deliverer> {
  const stackEnv = inject('env');
  const mails: Mail[] = [];
  const lines: string[] = [];
  onTestFailed(() => void process.stdout.write(`${lines.join('\n')}\n`));
  const stateDir = mkdtempSync(join(tmpdir(), 'placar-qstash-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const qstash = await startQstash({
    token: 'token',
    currentSigningKey: 'sig_current',
    nextSigningKey: 'sig_next',
    stateDir,
    onMail: (mail) => void mails.push(mail),
    log: (line) => void lines.push(line),
  });
  onTestFinished(() => qstash.close());
  const counter = await startCounter(qstash.url, qstashMessages);
  onTestFinished(() => counter.close());
  const qstashProxy = await startTcpProxy({ host: '127.0.0.1', port: counter.port });
  onTestFinished(() => qstashProxy.close());

  // The settings of the app contain its own address, so the server listens before the app exists.
  let app: App | undefined;
  const respond = (request: Request) => app?.fetch(request) ?? new Response(null, { status: 503 });
  const server = await new Promise<ServerType>((resolve) => {
    const listening: ServerType = serve({ fetch: respond, port: 0, hostname: '127.0.0.1' }, () =>
      resolve(listening),
    );
  });
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  const env: Env<
    'app' | 'telemetry' | 'database' | 'qstash' | 'callbacks' | 'webhooks' | 'destinations' | 'mail'
  > = {
    APP_ENV: 'staging',
    LOG_LEVEL: 'error',
    CLIENT_ADDRESS_HEADER: 'cf-connecting-ip',
    UNKNOWN_CALLER_ROWS: 100_000,
    DOCS_URL: 'https://placar.dev',
    OTEL_SERVICE_NAME: 'placar',
    OTEL_TRACES_SAMPLER_ARG: 1,
    SUPABASE_DB_URL: stackEnv.SUPABASE_DB_URL ?? '',
    DATABASE_POOLER: 'auto',
    DATABASE_POOL_SIZE: 2,
    DATABASE_READ_TIMEOUT_MS: 10_000,
    DATABASE_TIMEOUT_MS: 120_000,
    QSTASH_URL: `http://127.0.0.1:${qstashProxy.port}`,
    QSTASH_TOKEN: 'token',
    FUNCTIONS_URL: url,
    QSTASH_CURRENT_SIGNING_KEY: 'sig_current',
    QSTASH_NEXT_SIGNING_KEY: 'sig_next',
    SWEEP_MAX_JOBS: 20_000,
    ALLOW_INSECURE_WEBHOOKS: true,
    WEBHOOK_RETRY_SCHEDULE: options.schedule ?? [3600, 3600, 3600, 3600, 3600],
    WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: options.minSpanSeconds ?? 60,
    RESEND_API_KEY: 're_test',
    MAIL_FROM: 'Placar <no-reply@placar.test>',
  };
  const { network = nodeNetwork(), renderers = asTheyAre, timeoutMs = 60_000 } = options;
  app = createCallbacks(env, () => ({
    jobs: {
      'deliver-webhook': async () =>
        createDeliverWebhookJob({ settings: env, network, renderers, timeoutMs }),
      'send-mail': async () => createSendMailJob(env),
    },
  }));
  // The publisher has its own connection to QStash.
  const announceTo = {
    QSTASH_URL: `http://127.0.0.1:${counter.port}`,
    QSTASH_TOKEN: 'token',
    FUNCTIONS_URL: url,
  };
  const mailsTo = async (address: string) => {
    const sentByStack: Mail[] = await (await fetch(inject('stack').mail_url)).json();
    return [...mails, ...sentByStack].filter(({ to }) => to.includes(address));
  };
  return { ...announcing(announceTo), qstashProxy, announceTo, messages: counter.counted, mailsTo };
}

function announcing(env: Env<'qstash'>): Pick<Deliverer, 'publish'> {
  return {
    async publish(...jobs) {
      const messages = jobs.map(({ jobId, ...job }) => ({ name: 'deliver-webhook', ...job, id: jobId }));
      // Simulates a worker that has published nothing recently.
      await createQueue(env).publish(messages, createLogger('error'));
    },
  };
}

/** A worker as deployed, under Deno, with the shared QStash. `crash` kills its process. */
export async function startDenoDeliverer(
  env: Record<string, string> = {},
): Promise<Pick<Deliverer, 'publish'> & { url: string; crash(): void; lines: string[] }> {
  const target = { host: '127.0.0.1', port: 0 };
  const proxy = await startTcpProxy(target);
  onTestFinished(() => proxy.close());
  const url = `http://127.0.0.1:${proxy.port}`;
  const { edge, lines } = await startOwnFunction('callbacks', { FUNCTIONS_URL: url, ...env });
  target.port = edge.port;
  const { QSTASH_URL = '', QSTASH_TOKEN = '' } = inject('env');
  return {
    ...announcing({ QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL: url }),
    url,
    crash: () => edge.crash(),
    lines,
  };
}
