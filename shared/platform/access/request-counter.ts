// Rate limits: requests are counted in fixed windows in Redis. How many are allowed is read from the database with the
// caller, so that a changed limit holds from the next request; Redis only counts. Who compares the two: `require-signature.ts`
// for API keys, `rate-limited-session.ts` for access tokens. Limits of guessing have no caller yet and are fixed here.
import type { Redis } from '@upstash/redis';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { errorFields, type Logger } from '../logger.ts';
import { type AddToCounter, createLeases, type Window } from './counter-leases.ts';
import { type AdaptiveTimeout, createAdaptiveTimeout } from './redis-timeout.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** All rate limits of the deployment. Windows are minutes and hours of the worker's clock. */
export const limits = {
  /** Activity sync and payments: an API key's requests in a clock hour. */
  apiKey: { prefix: 'placar:key', windowMs: HOUR_MS },
  /** Records: a tenant's requests in a minute; how many its plan says. */
  tenant: { prefix: 'placar:tenant', windowMs: MINUTE_MS },
  /** Records: a tenant's requests in a minute that an endpoint refused for a scope; as many as its plan allows do not count. */
  refused: { prefix: 'placar:refused', windowMs: MINUTE_MS },
  /** Token endpoint: failures of one client id from one address. */
  tokenClient: { prefix: 'placar:token-client', windowMs: MINUTE_MS, max: 10 },
  /** Token endpoint: failures from one address, whichever client ids it names. */
  tokenAddress: { prefix: 'placar:token-address', windowMs: MINUTE_MS, max: 100 },
  /** Rows in the request log of callers whom nobody knows, from one address. */
  unknownCaller: { prefix: 'placar:unknown', windowMs: MINUTE_MS },
} as const;

export type LimitName = keyof typeof limits;

/** A caller's place in the present window. */
export interface Usage {
  /** Requests of this window, the present one included when it is counted. */
  used: number;
  /** When the window ends, in milliseconds since 1970. */
  resetsAtMs: number;
}

/** When a request to Redis is given up that nobody waits for any more, in times of what is waited. */
const GIVE_UP_AFTER = 10;
/** How long a count is kept after a worker first asked it, in windows: workers whose clocks are less than a window apart have the same. */
const KEEP_WINDOWS = 2;

export interface Counter {
  /**
   * Counts a request. Undefined when Redis cannot be asked: the request is served, and a warning logged. Where it is said how
   * many are allowed, as far as that is known, the next few may be taken along.
   */
  count(
    limit: LimitName,
    id: string,
    log: Logger,
    options?: { allowed?: number | undefined },
  ): Promise<Usage | undefined>;
  /** Counts so many at once. */
  countMany(limit: LimitName, id: string, log: Logger, requests: number): Promise<Usage | undefined>;
  /** What was counted so far, counting nothing. Undefined when Redis cannot be asked. */
  peek(limit: LimitName, id: string, log: Logger): Promise<Usage | undefined>;
  /** Takes a counted request back, whose place this was. */
  uncount(limit: LimitName, id: string, log: Logger, usage: Usage): Promise<void>;
}

/** Seconds until a window ends, at least one. */
const secondsUntil = (atMs: number): number => Math.max(1, Math.ceil((atMs - Date.now()) / 1000));

/** The 429 of a limit that is reached; `sentence` says which, without its end. */
export function rateLimited(sentence: string, resetsAtMs: number): ApiError {
  const retryAfterSeconds = secondsUntil(resetsAtMs);
  return new ApiError('rate_limited', `${sentence}; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
    reason: 'rate_limited',
  });
}

/** What it counts in, and by which clock: for tests. */
export interface CounterParts {
  redis: Promise<Redis>;
  timeout: AdaptiveTimeout;
  nowMs(): number;
}

export function createCounter(env: Env<'redis'>, parts: Partial<CounterParts> = {}): Counter {
  const { REDIS_TIMEOUT_MS: timeoutMs } = env;
  // Loaded while the function already listens, so that its start does not wait for it.
  const {
    redis: loading = loadRedis(env),
    timeout = createAdaptiveTimeout(timeoutMs),
    nowMs = Date.now,
  } = parts;
  const leases = createLeases();

  const windowOf = (limit: LimitName, id: string): Window => {
    const { prefix, windowMs } = limits[limit];
    return { id: `${prefix}:${id}`, resetsAtMs: (Math.floor(nowMs() / windowMs) + 1) * windowMs };
  };
  const keyOf = (limit: LimitName, { id, resetsAtMs }: Window) =>
    `${id}:${resetsAtMs / limits[limit].windowMs - 1}`;

  const ask = async (
    limit: LimitName,
    log: Logger,
    question: (redis: Redis) => Promise<number>,
  ): Promise<number | undefined> => {
    try {
      const answer = await timeout.waitFor(question(await loading));
      if (answer !== undefined) return answer;
      log.warn('rate limit not counted: no answer from Redis in time', { limit, timeout_ms: timeoutMs });
    } catch (error) {
      log.warn('rate limit not counted: Redis cannot be reached', { limit, ...errorFields(error) });
    }
    return undefined;
  };

  const add = (limit: LimitName, window: Window, requests: number, log: Logger, isKept = false) =>
    ask(limit, log, async (redis) => {
      const key = keyOf(limit, window);
      if (isKept) return redis.incrby(key, requests);
      const both = redis
        .pipeline()
        .incrby(key, requests)
        .pexpire(key, KEEP_WINDOWS * limits[limit].windowMs);
      const [count] = await both.exec<[number, number]>();
      return count;
    });

  const usageOf = (used: number | undefined, { resetsAtMs }: Window): Usage | undefined =>
    used === undefined ? undefined : { used, resetsAtMs };

  return {
    async count(limit, id, log, { allowed } = {}) {
      const window = windowOf(limit, id);
      const take: AddToCounter = (requests, isKept) => add(limit, window, requests, log, isKept);
      return usageOf(await leases.count(window, allowed, take), window);
    },
    async countMany(limit, id, log, requests) {
      const window = windowOf(limit, id);
      return usageOf(await add(limit, window, requests, log), window);
    },
    async peek(limit, id, log) {
      const window = windowOf(limit, id);
      const key = keyOf(limit, window);
      const taken = await ask(limit, log, async (redis) => (await redis.get<number>(key)) ?? 0);
      return usageOf(taken === undefined ? undefined : taken - leases.unused(window), window);
    },
    async uncount(limit, id, log, { used, resetsAtMs }) {
      // It is taken back where it was counted, though the clock may be in another window.
      const window = { id: windowOf(limit, id).id, resetsAtMs };
      if (!leases.giveBack(window, used)) await add(limit, window, -1, log);
    },
  };
}

async function loadRedis(env: Env<'redis'>): Promise<Redis> {
  const { Redis: Client } = await import('@upstash/redis');
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, REDIS_TIMEOUT_MS: timeoutMs } = env;
  const signal = () => AbortSignal.timeout(GIVE_UP_AFTER * timeoutMs);
  return new Client({ url, token, retry: false, signal, enableTelemetry: false });
}
