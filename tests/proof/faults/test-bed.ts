// The stack for the proof: each service behind a proxy that can fail, and Redis and QStash in processes that can be killed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { claimPort, LOOPBACK } from '../../../local/ports.ts';
import { urlForFunctions } from '../../../local/postgres/login.ts';
import { type Child, type SupervisedChild, startChild, supervise } from '../../../local/processes.ts';
import { loadSecrets } from '../../../local/secrets.ts';
import { type Stack, startStack } from '../../../local/stack.ts';
import { scheduleSweep } from '../../../scripts/schedule-sweep.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type FaultyProxy, startFaultyProxy } from './proxy.ts';

export interface TestBed {
  stack: Stack;
  /** Connects directly, without proxies. */
  sql: postgres.Sql;
  proxies: { postgres: FaultyProxy; redis: FaultyProxy; qstash: FaultyProxy; supabase: FaultyProxy };
  redis: SupervisedChild;
  qstash: SupervisedChild;
  qstashUrl: string;
  qstashToken: string;
  /** Settings of `placar tenant`, with addresses behind the proxies. */
  settingsFile: string;
  /** Postgres' own process id. */
  postgresPid(): number;
  /** Processes that ended without being killed, and unexpected errors in the logs of functions. */
  troubles: string[];
  /** Announces that this process is about to be killed. */
  expectEnd(name: string): void;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const partScript = fileURLToPath(new URL('./part.ts', import.meta.url));
const clockScript = new URL('./shifted-clock.mjs', import.meta.url).href;

/** Short waits, so that everything happens within one run. */
const SETTINGS = {
  SANDBOX_SETTLE_SECONDS: '1',
  DATABASE_TIMEOUT_MS: '5000',
  REDIS_TIMEOUT_MS: '250',
  UNKNOWN_CALLER_ROWS: '100000',
  LOG_LEVEL: 'warn',
  WEBHOOK_RETRY_SCHEDULE: Array(80).fill('2').join(','),
  WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: '86400',
};

export async function startTestBed(): Promise<TestBed> {
  const dir = mkdtempSync(join(tmpdir(), 'placar-faults-'));
  const secrets = await loadSecrets(dir);
  const troubles: string[] = [];
  const [redisPort, qstashPort] = [await claimPort(), await claimPort()];
  const proxies = {
    postgres: await startFaultyProxy(),
    redis: await startFaultyProxy({ host: LOOPBACK, port: redisPort }),
    qstash: await startFaultyProxy({ host: LOOPBACK, port: qstashPort }),
    supabase: await startFaultyProxy(),
  };
  // These keys differ from those of the stack's own QStash, so that its sweeps cannot replace ours.
  const qstashEnv = { TOKEN: secrets.qstashToken, CURRENT_KEY: 'sig_current', NEXT_KEY: 'sig_next' };
  const redis = supervisePart({ PART: 'redis', PORT: String(redisPort), TOKEN: secrets.redisToken });
  const qstash = supervisePart({
    PART: 'qstash',
    PORT: String(qstashPort),
    STATE_DIR: join(dir, 'qstash-of-proof'),
    ...qstashEnv,
  });
  await waitFor(async () => (await canConnect(redisPort)) && (await canConnect(qstashPort)));

  const through = (proxy: FaultyProxy) => `http://${LOOPBACK}:${proxy.port}`;
  const behindProxy = `postgresql://postgres@${LOOPBACK}:${proxies.postgres.port}/postgres`;
  const stack = await startStack({
    dir,
    port: 0,
    durable: false,
    providers: 'unconnected',
    onTrouble: (line) => {
      if (!/^Postgres exited \((0|2|SIGKILL|SIGQUIT)\)/.test(line)) troubles.push(line);
    },
    env: {
      ...SETTINGS,
      SUPABASE_DB_URL: urlForFunctions(behindProxy, secrets.functionsPassword),
      SUPABASE_URL: through(proxies.supabase),
      UPSTASH_REDIS_REST_URL: through(proxies.redis),
      QSTASH_URL: through(proxies.qstash),
      QSTASH_CURRENT_SIGNING_KEY: qstashEnv.CURRENT_KEY,
      QSTASH_NEXT_SIGNING_KEY: qstashEnv.NEXT_KEY,
    },
  });
  proxies.postgres.target.port = Number(new URL(stack.info.database_url).port);
  proxies.supabase.target.port = Number(new URL(stack.info.base_url).port);
  await giveClocks(stack, dir);

  const qstashUrl = `http://${LOOPBACK}:${qstashPort}`;
  const functionsUrl = `${stack.info.base_url}/functions/v1`;
  await scheduleSweep({ qstashUrl, token: secrets.qstashToken, functionsUrl });
  const sql = postgres(stack.info.database_url, { max: 4, onnotice: () => {}, idle_timeout: 5 });
  const watch = watchFunctions(join(dir, 'logs', 'functions.log'), troubles);
  return {
    stack,
    sql,
    proxies,
    redis,
    qstash,
    qstashUrl,
    qstashToken: secrets.qstashToken,
    postgresPid: () =>
      Number(readFileSync(join(dir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
    troubles,
    settingsFile: writeSettings(dir, stack, proxies),
    expectEnd: watch.expectEnd,
    async stop() {
      watch.end();
      await sql.end({ timeout: 1 });
      await stack.stop();
      await Promise.all([redis.stop(), qstash.stop()]);
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
      if (process.env.KEEP_TEST_BED) console.log(`kept: ${dir}`);
      else rmSync(dir, { recursive: true, force: true });
    },
  };
}

function writeSettings(dir: string, { info, env }: Stack, proxies: TestBed['proxies']): string {
  const database = new URL(info.database_url);
  database.port = String(proxies.postgres.port);
  const values = {
    DATABASE_URL: database.href,
    FUNCTIONS_URL: env.FUNCTIONS_URL,
    SUPABASE_URL: `http://${LOOPBACK}:${proxies.supabase.port}`,
    SUPABASE_SECRET_KEYS: env.SUPABASE_SECRET_KEYS,
  };
  const file = join(dir, 'project.env');
  const lines = Object.entries(values).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  return file;
}

function supervisePart(env: Record<string, string>): SupervisedChild {
  const start = (): Child =>
    startChild(process.execPath, ['--import', 'tsx', partScript], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ...env },
      onLine: (line) => process.env.DEBUG_PROCESSES && console.log(`[${env.PART}] ${line}`),
    });
  return supervise(start, () => {});
}

/** Whether a server listens on the port. */
function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const end = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** Makes every function load the adjustable clock from its next start. */
async function giveClocks(stack: Stack, dir: string): Promise<void> {
  for (const edge of stack.functions.values()) {
    const entry = join(dir, 'runtime', `${edge.name}.ts`);
    writeFileSync(entry, `import '${clockScript}';\n${readFileSync(entry, 'utf8')}`);
    const before = edge.pid();
    edge.crash();
    await waitFor(async () => edge.pid() !== before && (await canConnect(edge.port)));
  }
}

/** Log messages about unreachable services. */
const EXPECTED =
  /"status":50[23]\b|"message":"requests not logged"|"message":"the database refused a connection"/;

/** Searches the logs of all functions for unexpected exits and errors. */
function watchFunctions(path: string, troubles: string[]) {
  const expected = new Map<string, number>();
  let read = readFileSync(path, 'utf8').length;
  const look = () => {
    const text = readFileSync(path, 'utf8');
    const lines = text.slice(read).split('\n');
    read = text.length - (lines.pop()?.length ?? 0);
    for (const line of lines) {
      const [, name = '', how] = /^(?:\S+ )?\[([a-z0-9-]+)\] exited \((.*)\);/.exec(line) ?? [];
      if (how !== undefined) {
        const left = expected.get(name) ?? 0;
        if (left > 0 && how === 'SIGKILL') expected.set(name, left - 1);
        else troubles.push(`the function ${name} ended by itself (${how})`);
      } else if (/Uncaught|panicked|"level":"error"/.test(line) && !EXPECTED.test(line)) {
        troubles.push(line.slice(0, 600));
      }
    }
  };
  const timer = setInterval(look, 1000);
  timer.unref();
  return {
    end() {
      clearInterval(timer);
      look();
    },
    expectEnd(name: string) {
      expected.set(name, (expected.get(name) ?? 0) + 1);
    },
  };
}
