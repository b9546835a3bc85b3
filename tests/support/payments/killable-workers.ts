// Workers (the callbacks function) that are killed during a job, after a given number of exchanges with the database or a provider.
import type postgres from 'postgres';
import { expect, inject, onTestFinished } from 'vitest';
import { createQueue } from '../../../shared/platform/jobs/publish.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { startOwnFunction } from '../functions.ts';
import { waitFor } from '../wait-for.ts';
import { wireToDatabase, wireToProvider } from '../wire/network-waits.ts';
import { startTcpProxy } from '../wire/tcp-proxy.ts';

/** A job that only the workers of this file receive. */
export interface HiddenJob {
  name: string;
  key: string;
}

/** Use it in the transaction that creates the job. The sweep does not find the job either. */
export const hideJob = (tx: postgres.ISql, { name, key }: HiddenJob) => tx`
  update jobs set published_at = '2999-01-01', due_at = now() where name = ${name} and key = ${key}`;

/** The point at which a worker is killed: at the nth counted exchange, before or after it. */
export interface KillPoint {
  nth: number;
  /** Before the exchange is sent, or after it was executed and before the worker has the response. */
  side: 'ask' | 'answer';
  /** Whether requests to the provider that only read count. */
  reads: boolean;
}

interface Worker {
  port: number;
  /** From now on, exchanges are allowed only up to this point. */
  stopAt(point: KillPoint): { isReached(): boolean };
  kill(): Promise<void>;
}

async function startWorker(functionsUrl: string): Promise<Worker> {
  const [database, provider] = await Promise.all([wireToDatabase(), wireToProvider('ASAAS_URL')]);
  const { edge, baseUrl } = await startOwnFunction('callbacks', {
    FUNCTIONS_URL: functionsUrl,
    ...database.env,
    ...provider.env,
  });
  // The connection exists, so that all exchanges belong to the job.
  expect((await fetch(`${baseUrl}/callbacks/health`)).status).toBe(200);
  return {
    port: edge.port,
    stopAt({ nth, side, reads }) {
      let reached = false;
      let counted = 0;
      /** The position of each exchange among all counted ones, by proxy and number. */
      const places = { database: new Map<number, number>(), provider: new Map<number, number>() };
      const mayAsk = (wire: keyof typeof places, number: number, counts: boolean): boolean => {
        if (reached) return false;
        if (counts && !places[wire].has(number)) places[wire].set(number, ++counted);
        const place = places[wire].get(number) ?? 0;
        if (side === 'ask' && place >= nth) reached = true;
        return !reached && place <= nth;
      };
      const mayAnswer = (wire: keyof typeof places, number: number): boolean => {
        if (side === 'answer' && (places[wire].get(number) ?? 0) >= nth) reached = true;
        return !reached;
      };
      database.wire.watch({
        ask: (number) => mayAsk('database', number, true),
        answer: (number) => mayAnswer('database', number),
      });
      provider.wire.watch({
        ask: (number, method) => mayAsk('provider', number, reads || method !== 'GET'),
        answer: (number) => mayAnswer('provider', number),
      });
      return { isReached: () => reached };
    },
    async kill() {
      edge.crash();
      await edge.stop();
      database.wire.cut();
    },
  };
}

interface KillableWorkers {
  /**
   * Runs a job with a worker that is killed at this point, and then with one that is not.
   *
   * @param isOver whether the job has achieved its purpose
   * @returns false if the job ended before this point, so that no worker was killed
   */
  killWithin(job: HiddenJob, point: KillPoint, isOver: () => Promise<boolean>): Promise<boolean>;
}

/** The workers use the same address one after the other, and end with the test. Jobs that `sql` creates are not published. */
export async function startKillableWorkers(sql: postgres.Sql): Promise<KillableWorkers> {
  const target = { host: '127.0.0.1', port: 0 };
  const proxy = await startTcpProxy(target);
  onTestFinished(() => proxy.close());
  const url = `http://127.0.0.1:${proxy.port}`;
  const { QSTASH_URL = '', QSTASH_TOKEN = '' } = inject('env');
  const queue = createQueue({ QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL: url });
  let worker = await startWorker(url);
  target.port = worker.port;

  return {
    async killWithin({ name, key }, point, isOver) {
      const successor = startWorker(url);
      const read = async () => {
        const [row] = await sql`
          select id, attempts, locked_until is null as idle, finished_at is not null as finished
          from jobs where name = ${name} and key = ${key} and failed_at is null`;
        if (!row) throw new Error(`the job ${name} failed permanently or does not exist`);
        return row;
      };
      const begun = await read();
      const publish = () => queue.publish([{ id: begun.id, name }], silentLogger);

      const stop = worker.stopAt(point);
      await publish();
      await waitFor(async () => {
        if (stop.isReached()) return true;
        const { idle, attempts } = await read();
        return idle && attempts > begun.attempts;
      });
      const killed = stop.isReached();
      await worker.kill();
      worker = await successor;
      target.port = worker.port;

      // Simulates that the lease of the killed worker has expired and the job is due.
      await sql`update jobs set locked_until = null where id = ${begun.id}`;
      const { attempts: before } = await read();
      let tried: number | undefined;
      await waitFor(async () => {
        const { idle, finished, attempts } = await read();
        // The killed worker may already have achieved the purpose of the job: it runs again all the same.
        if ((finished || (idle && attempts > before)) && (await isOver())) return true;
        if (!idle || finished || attempts === tried) return false;
        tried = attempts;
        await sql`update jobs set due_at = now(), published_at = '2999-01-01' where id = ${begun.id} and finished_at is null`;
        await publish();
        return false;
      });
      return killed;
    },
  };
}
