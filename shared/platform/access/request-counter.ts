// Counts requests in fixed windows in Redis. Limits of known callers come from the database, so that a changed limit applies from the
// next request. `require-signature.ts` enforces those of API keys and `rate-limited-session.ts` those of access tokens. Limits of
// failed logins are constants here, because the caller is not known yet.
import type { Redis } from '@upstash/redis';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { errorFields, type Logger } from '../logger.ts';
import { startSpan } from '../tracing/scope.ts';
import { errorType } from '../tracing/span.ts';
import { type AddToCounter, createLeases, type Window } from './counter-leases.ts';
import { type AdaptiveTimeout, createAdaptiveTimeout } from './redis-timeout.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** All counters of the deployment. Windows are minutes and hours of the worker's clock. */
export const limits = {
  /** Activity sync and payments: an API key's requests in a clock hour. */
  apiKey: { prefix: 'placar:key', windowMs: HOUR_MS },
  /** Records: a tenant's requests in a minute. The plan sets the limit. */
  tenant: { prefix: 'placar:tenant', windowMs: MINUTE_MS },
  /** Records: a tenant's requests in a minute that were rejected for a missing scope. Up to the plan's limit they are uncounted. */
  refused: { prefix: 'placar:refused', windowMs: MINUTE_MS },
  /** Records: a tenant's requests in a minute for unknown paths and methods. The plan's limit applies to them separately. */
  unknownRoute: { prefix: 'placar:unknown-route', windowMs: MINUTE_MS },
  /** Token endpoint: failed attempts with one client id from one address. */
  tokenClient: { prefix: 'placar:token-client', windowMs: MINUTE_MS, max: 10 },
  /** Token endpoint: failed attempts from one address with any client id. */
  tokenAddress: { prefix: 'placar:token-address', windowMs: MINUTE_MS, max: 100 },
  /** Payment links: openings of one link. */
  payLink: { prefix: 'placar:pay-link', windowMs: MINUTE_MS, max: 30 },
  /** Files of payers: openings of one file. */
  fileLink: { prefix: 'placar:file-link', windowMs: MINUTE_MS, max: 30 },
  /** Request log rows of unknown callers from one address. */
  unknownCaller: { prefix: 'placar:unknown', windowMs: MINUTE_MS },
} as const;

type LimitName = keyof typeof limits;

/** A caller's requests in the current window. */
export interface Usage {
  /** Requests in this window, including the current one if it is counted. */
  used: number;
  /** When the window ends, in milliseconds since 1970. */
  resetsAtMs: number;
}

/** A call to Redis is aborted after this multiple of `REDIS_TIMEOUT_MS`. The request has stopped waiting for it by then. */
const ABORT_AFTER_TIMEOUTS = 10;
/** Expiry of a counter, in windows: workers whose clocks differ by less than a window share it. */
const EXPIRY_WINDOWS = 2;

export interface Counter {
  /**
   * Counts a request. Logs a warning and returns undefined if Redis is unreachable; the request is then served uncounted. With
   * `allowed`, the last known limit, it may lease several requests with one call.
   */
  count(
    limit: LimitName,
    id: string,
    log: Logger,
    options?: { allowed?: number | undefined },
  ): Promise<Usage | undefined>;
  /** Counts several requests at once. */
  countMany(limit: LimitName, id: string, log: Logger, requests: number): Promise<Usage | undefined>;
  /** Returns the current usage without counting. Undefined if Redis is unreachable. */
  peek(limit: LimitName, id: string, log: Logger): Promise<Usage | undefined>;
  /** Uncounts a request; `usage` is what `count` returned for it. */
  uncount(limit: LimitName, id: string, log: Logger, usage: Usage): Promise<void>;
  /** Throws if Redis does not respond to a read. */
  ping(): Promise<void>;
}

/** Seconds until a time, at least one. */
const secondsUntil = (atMs: number): number => Math.max(1, Math.ceil((atMs - Date.now()) / 1000));

/** The 429 for an exceeded limit. `sentence` says which one. */
export function rateLimited(sentence: string, resetsAtMs: number): ApiError {
  const retryAfterSeconds = secondsUntil(resetsAtMs);
  return new ApiError('rate_limited', `${sentence} Retry after ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
    reason: 'rate_limited',
  });
}

/** Parts of a counter that tests replace. */
interface CounterParts {
  redis: Promise<Redis>;
  timeout: AdaptiveTimeout;
  nowMs(): number;
}

export function createCounter(env: Env<'redis'>, parts: Partial<CounterParts> = {}): Counter {
  const { REDIS_TIMEOUT_MS: timeoutMs } = env;
  // Loads in the background, so that it does not delay the function's startup.
  const {
    redis: loading = loadRedis(env),
    timeout = createAdaptiveTimeout(timeoutMs),
    nowMs = Date.now,
  } = parts;
  const leases = createLeases();
  const host = new URL(env.UPSTASH_REDIS_REST_URL).hostname;

  const windowOf = (limit: LimitName, id: string): Window => {
    const { prefix, windowMs } = limits[limit];
    return { id: `${prefix}:${id}`, resetsAtMs: (Math.floor(nowMs() / windowMs) + 1) * windowMs };
  };
  const keyOf = (limit: LimitName, { id, resetsAtMs }: Window) =>
    `${id}:${resetsAtMs / limits[limit].windowMs - 1}`;

  const runCommand = async (
    limit: LimitName,
    log: Logger,
    command: (redis: Redis) => Promise<number>,
  ): Promise<number | undefined> => {
    const span = startSpan('client', 'redis')?.set('server.address', host);
    try {
      const answer = await timeout.waitFor(command(await loading));
      if (answer !== undefined) return answer;
      span?.fail('timeout');
      log.warn('request not counted: Redis timed out', { limit, timeout_ms: timeoutMs });
    } catch (error) {
      span?.fail(errorType(error));
      log.warn('request not counted: Redis is unreachable', { limit, ...errorFields(error) });
    } finally {
      span?.end();
    }
    return undefined;
  };

  const add = (limit: LimitName, window: Window, requests: number, log: Logger, hasExpiry = false) =>
    runCommand(limit, log, async (redis) => {
      const key = keyOf(limit, window);
      if (hasExpiry) return redis.incrby(key, requests);
      const both = redis
        .pipeline()
        .incrby(key, requests)
        .pexpire(key, EXPIRY_WINDOWS * limits[limit].windowMs);
      const [count] = await both.exec<[number, number]>();
      return count;
    });

  const usageOf = (used: number | undefined, { resetsAtMs }: Window): Usage | undefined =>
    used === undefined ? undefined : { used, resetsAtMs };

  return {
    async count(limit, id, log, { allowed } = {}) {
      const window = windowOf(limit, id);
      const addToCounter: AddToCounter = (requests, hasExpiry) =>
        add(limit, window, requests, log, hasExpiry);
      return usageOf(await leases.count(window, allowed, addToCounter), window);
    },
    async countMany(limit, id, log, requests) {
      const window = windowOf(limit, id);
      return usageOf(await add(limit, window, requests, log), window);
    },
    async peek(limit, id, log) {
      const window = windowOf(limit, id);
      const key = keyOf(limit, window);
      const counted = await runCommand(limit, log, async (redis) => (await redis.get<number>(key)) ?? 0);
      return usageOf(counted === undefined ? undefined : counted - leases.unused(window), window);
    },
    async uncount(limit, id, log, { used, resetsAtMs }) {
      // Uses the window in which the request was counted, which may have ended since.
      const window = { id: windowOf(limit, id).id, resetsAtMs };
      if (!leases.uncount(window, used)) await add(limit, window, -1, log);
    },
    async ping() {
      // Counts as requests do: a read-only token counts nothing.
      const command = async () => {
        const redis = await loading;
        return redis.pipeline().incr(PING_KEY).pexpire(PING_KEY, PING_MS).exec();
      };
      if ((await timeout.waitFor(command())) === undefined) throw new Error('Redis timed out');
    },
  };
}

const PING_KEY = 'placar:ping';
const PING_MS = 60_000;

async function loadRedis(env: Env<'redis'>): Promise<Redis> {
  const { Redis: Client } = await import('@upstash/redis');
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, REDIS_TIMEOUT_MS: timeoutMs } = env;
  const signal = () => AbortSignal.timeout(ABORT_AFTER_TIMEOUTS * timeoutMs);
  return new Client({ url, token, retry: false, signal, enableTelemetry: false });
}
