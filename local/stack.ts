// The whole stack without Docker: Postgres, Redis, QStash, Auth, Storage, the edge functions and a gateway before them.
import { appendFileSync, mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import postgres from 'postgres';
import { functionNames } from '../functions/manifest.ts';
import { scheduleSweep } from '../shared/platform/jobs/schedule.ts';
import { ensureDemoCredentials, type StackInfo } from './demo.ts';
import { createAuth } from './emulators/auth/index.ts';
import { createInbox } from './emulators/inbox.ts';
import { createMailbox } from './emulators/mailbox.ts';
import { startQstash } from './emulators/qstash/index.ts';
import { startRedis } from './emulators/redis/index.ts';
import { createStorage } from './emulators/storage/index.ts';
import { type EdgeFunction, startFunction } from './functions.ts';
import { startGateway } from './gateway.ts';
import { lockFolder } from './lock.ts';
import { claimPort, LOOPBACK } from './ports.ts';
import { providePlatform, pushMigrations } from './postgres/provision.ts';
import { startPostgres } from './postgres/server.ts';
import { loadSecrets } from './secrets.ts';

export interface StackOptions {
  /** Folder of the stack's state. */
  dir: string;
  /** Port of the gateway; 0 takes a free one. */
  port: number;
  /** Whether to forget what an earlier run left. */
  fresh?: boolean;
  /** `false` skips fsync, for tests. */
  durable?: boolean;
  /** A real Redis instead of the one in this process. */
  redisUrl?: string | undefined;
  /** Settings of the functions beside the stack's own, or in their place. */
  env?: Record<string, string>;
  /** Told of each step as it begins. */
  onStep?: (step: string) => void;
}

export interface Stack {
  info: StackInfo;
  /** Settings that the functions run with. */
  env: Record<string, string>;
  functions: Map<string, EdgeFunction>;
  stop(): Promise<void>;
}

/** Thrown when the gateway's port is taken; the message says what to do. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

async function checkPort(port: number): Promise<void> {
  try {
    await claimPort(port);
  } catch {
    throw new PortTaken(`Port ${port} is in use. Free it, or choose another: PORT=${port + 1} npm start`);
  }
}

/** Starts everything, or nothing: when one service fails, those before it are stopped. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startServices(options, (end) => stops.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type OnStop = (end: () => Promise<unknown>) => void;

async function startServices(options: StackOptions, onStop: OnStop): Promise<Omit<Stack, 'stop'>> {
  const dir = resolve(options.dir);
  const step = options.onStep ?? (() => {});
  await checkPort(options.port);
  onStop(await lockFolder(dir));
  if (options.fresh) await removeState(dir);
  const port = options.port || (await claimPort());
  const url = `http://${LOOPBACK}:${port}`;
  const secrets = await loadSecrets(dir);
  const logs = join(dir, 'logs');
  mkdirSync(logs, { recursive: true });
  const logTo = (name: string) => (line: string) => appendFileSync(join(logs, `${name}.log`), `${line}\n`);

  step('Postgres');
  const server = await startPostgres({
    dir: join(dir, 'postgres'),
    password: secrets.databasePassword,
    durable: options.durable ?? true,
    onLine: logTo('postgres'),
  });
  onStop(() => server.stop());
  await providePlatform(server, secrets.databasePassword);

  step('migrations and demo data');
  await pushMigrations(server.url, { seed: true });
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  onStop(() => sql.end({ timeout: 1 }));
  const demo = await ensureDemoCredentials(sql, dir, secrets);

  step('Redis, QStash, Auth and Storage');
  const mailbox = createMailbox(join(dir, 'mail'));
  const inbox = createInbox(join(dir, 'inbox'));
  const redis = await startRedis({
    token: secrets.redisToken,
    redisUrl: options.redisUrl,
  });
  onStop(() => redis.close());
  const qstash = await startQstash({
    token: secrets.qstashToken,
    currentSigningKey: secrets.qstashCurrentSigningKey,
    nextSigningKey: secrets.qstashNextSigningKey,
    stateDir: join(dir, 'qstash'),
    onMail: (mail) => mailbox.add(mail),
    log: logTo('qstash'),
  });
  onStop(() => qstash.close());
  const secretKeys = [secrets.supabaseSecretKey];
  const auth = createAuth({
    sql,
    publicUrl: url,
    secretKeys,
    publishableKeys: [secrets.supabasePublishableKey],
    jwtSecret: secrets.jwtSecret,
    onMail: (mail) => mailbox.add(mail),
  });
  const storage = createStorage({
    sql,
    dir: join(dir, 'storage'),
    secretKeys,
    signingSecret: secrets.jwtSecret,
  });

  const env: Record<string, string> = {
    APP_ENV: 'staging',
    LOG_LEVEL: 'info',
    SUPABASE_URL: url,
    SUPABASE_DB_URL: server.url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.supabasePublishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: secrets.supabaseSecretKey }),
    FUNCTIONS_URL: `${url}/functions/v1`,
    UPSTASH_REDIS_REST_URL: redis.url,
    UPSTASH_REDIS_REST_TOKEN: secrets.redisToken,
    QSTASH_URL: qstash.url,
    QSTASH_TOKEN: secrets.qstashToken,
    QSTASH_CURRENT_SIGNING_KEY: secrets.qstashCurrentSigningKey,
    QSTASH_NEXT_SIGNING_KEY: secrets.qstashNextSigningKey,
    OAUTH_SIGNING_KEY: secrets.oauthSigningKey,
    SANDBOX_NOTIFICATION_TOKEN: secrets.sandboxNotificationToken,
    ALLOW_INSECURE_WEBHOOKS: 'true',
    RESEND_API_KEY: 're_local',
    MAIL_FROM: 'Placar <no-reply@placar.local>',
    ...settingsFromOutside(),
    ...options.env,
  };
  step('edge functions');
  const started = await Promise.all(
    functionNames.map(async (name) => {
      const edge = await startFunction({ name, env, dir: join(dir, 'runtime'), onLine: logTo('functions') });
      onStop(() => edge.stop());
      return edge;
    }),
  );
  const gateway = await startGateway({
    port,
    functionPorts: new Map(started.map((edge) => [edge.name, edge.port])),
    apps: { '/inbox': inbox.routes, '/mail': mailbox.routes, '/auth/v1': auth, '/storage/v1': storage },
  });
  onStop(() => gateway.close());
  await scheduleSweep({
    qstashUrl: qstash.url,
    token: secrets.qstashToken,
    functionsUrl: `${url}/functions/v1`,
  });

  const info: StackInfo = {
    base_url: url,
    auth_url: url,
    database_url: server.url,
    ...demo,
    mail_url: `${url}/mail`,
    inbox_url: `${url}/inbox`,
  };
  await writeFile(join(dir, 'stack.json'), `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  return { info, env, functions: new Map(started.map((edge) => [edge.name, edge])) };
}

/** Settings that may come from the environment of `npm start`: waits and sizes, to watch things without waiting for hours. */
const FROM_OUTSIDE = /^(WEBHOOK_|SANDBOX_|DATABASE_(POOL_SIZE|TIMEOUT_MS)$|LOG_LEVEL$)/;

function settingsFromOutside(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      FROM_OUTSIDE.test(name) && value ? [[name, value]] : [],
    ),
  );
}

/** Removes all state, except the lock that this process holds. */
async function removeState(dir: string): Promise<void> {
  const entries = [
    'postgres',
    'qstash',
    'mail',
    'inbox',
    'storage',
    'runtime',
    'logs',
    'secrets.json',
    'stack.json',
  ];
  await Promise.all(entries.map((entry) => rm(join(dir, entry), { recursive: true, force: true })));
}
