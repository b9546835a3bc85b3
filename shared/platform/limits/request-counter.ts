// Rate limits: requests are counted in fixed windows in Redis. How many are allowed is read from the database with the
// caller, so that a changed limit holds from the next request; Redis only counts. Who compares the two: `auth/require-signature.ts`
// for API keys, `limits/rate-limited-session.ts` for access tokens. Limits of guessing have no caller yet and are fixed here.
import type { Ratelimit } from '@upstash/ratelimit';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { errorFields, type Logger } from '../logging/logger.ts';
import { createLeases, type Usage } from './leases.ts';
import { createPatience } from './patience.ts';

export type { Usage } from './leases.ts';

/** All rate limits of the deployment. */
export const limits = {
  /** Activity sync and payments: an API key's requests in a clock hour. */
  apiKey: { prefix: 'placar:key', window: '1 h' },
  /** Records: a tenant's requests in a minute; how many its plan says. */
  tenant: { prefix: 'placar:tenant', window: '1 m' },
  /** Records: a tenant's requests in a minute that an endpoint refused for a scope; as many as its plan allows do not count. */
  refused: { prefix: 'placar:refused', window: '1 m' },
  /** Token endpoint: failures of one client id from one address. */
  tokenClient: { prefix: 'placar:token-client', window: '1 m', max: 10 },
  /** Token endpoint: failures from one address, whichever client ids it names. */
  tokenAddress: { prefix: 'placar:token-address', window: '1 m', max: 100 },
  /** Rows in the request log of callers whom nobody knows, from one address. */
  unknownCaller: { prefix: 'placar:unknown', window: '1 m' },
} as const;

export type LimitName = keyof typeof limits;

/** When a request to Redis is given up that nobody waits for any more, in times of what is waited. */
const GIVE_UP_AFTER = 10;
/** More than any limit: the library is asked to count, not to judge. */
const COUNT_TO = 1_000_000_000;

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

export function createCounter(env: Env<'redis'>): Counter {
  const { REDIS_TIMEOUT_MS: timeoutMs } = env;
  // Loaded while the function already listens, so that its start does not wait for it.
  const loading = loadCounters(env);
  const patience = createPatience(timeoutMs);

  const add = async (limit: LimitName, id: string, rate: number, log: Logger): Promise<Usage | undefined> => {
    try {
      const counters = await loading;
      const result = await patience.waitFor(counters[limit].limit(id, { rate }));
      if (result) return { used: COUNT_TO - result.remaining, resetsAtMs: result.reset };
      log.warn('rate limit not counted: no answer from Redis in time', { limit, timeout_ms: timeoutMs });
    } catch (error) {
      log.warn('rate limit not counted: Redis cannot be reached', { limit, ...errorFields(error) });
    }
    return undefined;
  };

  const leases = createLeases();
  return {
    count: (limit, id, log, { allowed } = {}) =>
      leases.count(`${limit} ${id}`, allowed, (requests) => add(limit, id, requests, log)),
    countMany: (limit, id, log, requests) => add(limit, id, requests, log),
    async peek(limit, id, log) {
      const usage = await add(limit, id, 0, log);
      return usage && { ...usage, used: usage.used - leases.unused(`${limit} ${id}`) };
    },
    async uncount(limit, id, log, usage) {
      if (!leases.giveBack(`${limit} ${id}`, usage)) await add(limit, id, -1, log);
    },
  };
}

async function loadCounters(env: Env<'redis'>): Promise<Record<LimitName, Ratelimit>> {
  const [{ Ratelimit: Limiter }, { Redis }] = await Promise.all([
    import('@upstash/ratelimit'),
    import('@upstash/redis'),
  ]);
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, REDIS_TIMEOUT_MS: timeoutMs } = env;
  const signal = () => AbortSignal.timeout(GIVE_UP_AFTER * timeoutMs);
  const redis = new Redis({ url, token, retry: false, signal, enableTelemetry: false });
  const counters = Object.entries(limits).map(([name, { prefix, window }]) => {
    const limiter = Limiter.fixedWindow(COUNT_TO, window);
    return [name, new Limiter({ redis, limiter, prefix, timeout: 0, ephemeralCache: false })];
  });
  // One for each limit: `Object.entries` forgets which names there are.
  return Object.fromEntries(counters) as Record<LimitName, Ratelimit>;
}
