// New database connections: network round trips until they are ready, and the Postgres CPU time of the first write.
import { createDatabase } from '../../shared/platform/db/database.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { median } from '../compare.ts';
import { processorSeconds } from '../cpu.ts';
import { type DelayProxy, startDelayProxy } from '../delay.ts';
import { type DenoFunction, importLine, startDeno } from '../deno.ts';
import type { Pace } from '../pace.ts';
import { DELAY_MS } from '../probe.ts';
import { createToken } from '../records.ts';
import { printTable, type Ratio } from '../report.ts';
import type { Stage } from '../stage.ts';

/** Round trips of password authentication without TLS: the startup message and two SCRAM messages. */
const AUTHENTICATION_WAITS = 3;
/** Measured round trips can exceed the real number by this much. */
const ERROR = 0.4;
const FIRST_WRITE_MS = 15;

export async function measureConnecting(stage: Stage, _load: unknown, { boots }: Pace): Promise<Ratio[]> {
  const { SUPABASE_DB_URL = '' } = stage.stack.env;
  const proxy = await startDelayProxy('127.0.0.1', Number(new URL(SUPABASE_DB_URL).port));
  try {
    const waits = await waitsToConnect(stage, proxy, boots);
    const ms = await firstWriteMs(stage, boots);
    printTable(
      'A new connection',
      ['', ''],
      [
        ['network waits until it is ready', waits.toFixed(1)],
        ['authentication part', String(AUTHENTICATION_WAITS)],
        ['first lead created with it, Postgres CPU ms', ms.toFixed(1)],
      ],
    );
    return [
      { name: 'network waits to connect', value: waits, atMost: AUTHENTICATION_WAITS + ERROR },
      { name: 'first write of a connection: Postgres, ms', value: ms, atMost: FIRST_WRITE_MS },
    ];
  } finally {
    await proxy.close();
  }
}

/** With a single connection, which the health check opens. */
function startRecords({ stack, dir }: Stage): Promise<DenoFunction> {
  return startDeno({
    name: 'connect-v1',
    entry: importLine('functions/v1/index.ts'),
    health: '/v1/health',
    env: { ...stack.env, DATABASE_POOL_SIZE: '1' },
    dir,
  });
}

/** Additional round trips of the first query compared to the next one, with Postgres delayed. */
async function waitsToConnect({ stack }: Stage, proxy: DelayProxy, rounds: number): Promise<number> {
  const url = new URL(stack.env.SUPABASE_DB_URL ?? '');
  url.port = String(proxy.port);
  proxy.delayMs = DELAY_MS;
  const added: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const database = createDatabase(
      {
        SUPABASE_DB_URL: url.href,
        DATABASE_POOLER: 'auto',
        DATABASE_POOL_SIZE: 1,
        DATABASE_READ_TIMEOUT_MS: 10_000,
        DATABASE_TIMEOUT_MS: 30_000,
      },
      silentLogger,
    );
    const ask = async () => {
      const startedAt = performance.now();
      await database.asLogin('reads', (sql) => sql`select 1`);
      return performance.now() - startedAt;
    };
    const [first, next] = [await ask(), await ask()];
    added.push(first - next);
    await database.close();
  }
  return median(added) / (2 * DELAY_MS);
}

async function firstWriteMs(stage: Stage, rounds: number): Promise<number> {
  const token = await createToken(stage, stage.stack.info.auth_url);
  const spent: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [before] = await stage.sql`select clock_timestamp() as at`;
    const started = await startRecords(stage);
    try {
      const [backend] = await stage.sql`
        select pid from pg_stat_activity
        where application_name = 'placar' and backend_start > ${before?.at}
        order by backend_start desc limit 1`;
      const { seconds } = await processorSeconds({ backend: () => [Number(backend?.pid)] }, () =>
        createLead(`http://127.0.0.1:${started.port}/v1/leads`, token, round),
      );
      spent.push(1000 * seconds.backend);
    } finally {
      await started.stop();
    }
  }
  return median(spent);
}

async function createLead(url: string, token: string, n: number): Promise<void> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Maria Silva', email: `first-${n}@bench.example` }),
  });
  if (reply.status !== 201)
    throw new Error(`creating a lead returned ${reply.status}: ${await reply.text()}`);
}
