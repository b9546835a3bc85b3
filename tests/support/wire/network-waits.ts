/**
 * Counts how many times a request waits for the network, with proxies between a function and its services (see postgres-wire.ts).
 * Redis and the database are queried in parallel if both requests arrive while neither response is forwarded, and the request
 * still completes.
 */
import { inject, onTestFinished } from 'vitest';
import { waitFor } from '../wait-for.ts';
import { type HttpWire, startHttpWire } from './http-wire.ts';
import { type PostgresWire, startPostgresWire } from './postgres-wire.ts';

/** Address of a service of the shared stack, and the value of the setting that leads to it through a local port. */
function partAt(address: string) {
  const url = new URL(address);
  const target = { host: url.hostname, port: Number(url.port) };
  const through = (port: number): string => {
    url.port = String(port);
    return url.href.replace(/\/$/, '');
  };
  return { target, through };
}

/** Settings of a function that uses a single connection to the database, through this proxy. */
export async function wireToDatabase(): Promise<{ wire: PostgresWire; env: Record<string, string> }> {
  const { target, through } = partAt(inject('env').SUPABASE_DB_URL ?? '');
  const wire = await startPostgresWire(target);
  onTestFinished(() => wire.close());
  const env = {
    SUPABASE_DB_URL: through(wire.port),
    DATABASE_POOL_SIZE: '1',
    // So that no timeout ends an exchange that the test holds back.
    DATABASE_TIMEOUT_MS: '120000',
  };
  return { wire, env };
}

/** Settings of a function whose requests to the provider of this setting go through this proxy. */
export async function wireToProvider(
  setting: 'ASAAS_URL' | 'WISE_URL' | 'STRIPE_URL',
): Promise<{ wire: HttpWire; env: Record<string, string> }> {
  const { target, through } = partAt(inject('env')[setting] ?? '');
  // Files of a provider have the same origin as its API.
  const wire = await startHttpWire(target, { renames: true });
  onTestFinished(() => wire.close());
  return { wire, env: { [setting]: through(wire.port) } };
}

export interface Waits<T> {
  reply: T;
  /** Exchanges with the database, including those after the response. */
  database: number;
  /** Requests to Redis. */
  redis: number;
}

interface Wires {
  /** Settings of the function under test. */
  env: Record<string, string>;
  /**
   * Sends a request and counts until the condition of `settle`, which receives the response. The response must arrive when
   * `waits` exchanges with the database have completed. Redis must be queried at the same time as the first of them, or before it.
   *
   * @throws if it does not arrive, with the requests that it waits for
   */
  count<T>(
    waits: number,
    send: () => Promise<T>,
    settle: (reply: T) => Promise<unknown>,
    order?: 'beside' | 'redis first',
  ): Promise<Waits<T>>;
}

export async function startWires(): Promise<Wires> {
  const { wire: database, env } = await wireToDatabase();
  const { target, through } = partAt(inject('env').UPSTASH_REDIS_REST_URL ?? '');
  const redis: HttpWire = await startHttpWire(target);
  onTestFinished(() => redis.close());

  return {
    env: { ...env, UPSTASH_REDIS_REST_URL: through(redis.port) },
    async count(waits, send, settle, order = 'beside') {
      let answered = false;
      const redisFirst = order === 'redis first';
      redis.watch({
        answer: () => answered || redisFirst || database.asked() > 0,
        onAsked: database.recheck,
      });
      database.watch({
        answer: (nth) => answered || (nth <= waits && redis.asked() > 0),
        onAsked: redis.recheck,
      });
      try {
        const sending = send().finally(() => {
          answered = true;
        });
        const standstill = () => {
          if (redis.asked() === 0) return 'Redis is not asked beside the database';
          if (database.asked() === 0) return 'Redis is waited for before the database is asked';
          return database.standstill().join('; ');
        };
        await waitFor(() => answered).catch(() => {
          throw new Error(`after ${waits} waits there is no reply: ${standstill()}`);
        });
        if (redis.hungUp() > 0) throw new Error('Redis is waited for before the database is asked');
        const reply = await sending;
        database.recheck();
        await settle(reply);
        await waitFor(database.settled);
        return { reply, database: database.asked(), redis: redis.asked() };
      } finally {
        database.open();
        redis.open();
      }
    },
  };
}
