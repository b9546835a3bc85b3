// Counts requests in fixed windows in Redis with `@upstash/ratelimit`. Limits of known callers come from the database, so that a changed limit applies from the
// next request. `require-signature.ts` enforces those of API keys and `rate-limited-session.ts` those of access tokens. Limits of
// failed logins are constants here, because the caller is not known yet.
import type { Ratelimit } from '@upstash/ratelimit';
import type { Redis } from '@upstash/redis';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { errorFields, type Logger } from '../logger.ts';
import { startSpan } from '../tracing/scope.ts';
import { errorType } from '../tracing/span.ts';
import { type AddToCounter, createLeases, type Window } from './counter-leases.ts';
import { type AdaptiveTimeout, createAdaptiveTimeout } from './redis-timeout.ts';

const windows = { tenSeconds: 10_000, minute: 60_000, hour: 3_600_000 } as const;

/** All counters of the deployment. Windows are ten seconds, minutes and hours of the worker's clock. */
export const limits = {
  /** Activity sync and payments: an API key's requests in a clock hour. */
  apiKey: { window: 'hour' },
  /** Records: a tenant's requests in a minute. The plan sets the limit. */
  tenant: { window: 'minute' },
  /** Records: a tenant's requests in a minute that were rejected for a missing scope. Up to the plan's limit they are uncounted. */
  refused: { window: 'minute' },
  /** Records: a tenant's requests in a minute for unknown paths and methods. The plan's limit applies to them separately. */
  unknownRoute: { window: 'minute' },
  /** Token endpoint: failed attempts with one client id from one address. */
  tokenClient: { window: 'minute', max: 10 },
  /** Token endpoint: failed attempts from one address with any client id. */
  tokenAddress: { window: 'minute', max: 100 },
  /** A person's requests, whichever tokens they have. */
  person: { window: 'tenSeconds', max: 50 },
  /** Token endpoint: exchanges of one account of Auth. */
  exchange: { window: 'minute', max: 60 },
  /** Token endpoint: exchanges of one account of Auth that failed. */
  exchangeFailure: { window: 'minute', max: 10 },
  /** Payment links: openings of one link. */
  payLink: { window: 'minute', max: 30 },
  /** Boards: readings of one board. */
  board: { window: 'minute', max: 30 },
  /** Files of payers: openings of one file. */
  fileLink: { window: 'minute', max: 30 },
  /** Request log rows of unknown callers from one address. */
  unknownCaller: { window: 'minute' },
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
/** Limit that Redis never reaches, because it only counts. */
const UNLIMITED = 1_000_000_000_000;

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

/** Throws 429 if more than `max` was used. Without Redis nothing is counted. */
export function rejectExcess(usage: Usage | undefined, max: number, sentence: string): void {
  if (usage && usage.used > max) throw rateLimited(sentence, usage.resetsAtMs);
}

/** Parts of a counter that tests replace. */
interface CounterParts {
  redis: Promise<Redis>;
  timeout: AdaptiveTimeout;
}

export function createCounter(env: Env<'redis'>, parts: Partial<CounterParts> = {}): Counter {
  const { REDIS_TIMEOUT_MS: timeoutMs } = env;
  const { redis = loadRedis(env), timeout = createAdaptiveTimeout(timeoutMs) } = parts;
  // Loads in the background, so that it does not delay the function's startup.
  const loading = loadLimiters(redis);
  const leases = createLeases();
  const host = new URL(env.UPSTASH_REDIS_REST_URL).hostname;

  const windowOf = (limit: LimitName, id: string): Window => {
    const windowMs = windows[limits[limit].window];
    return { id: `${limit}:${id}`, resetsAtMs: (Math.floor(Date.now() / windowMs) + 1) * windowMs };
  };

  /** Runs a command on the counter of a window. Returns the counter's value. */
  const run = async (
    limit: LimitName,
    { id, resetsAtMs }: Window,
    log: Logger,
    command: (limiter: Ratelimit, counter: string) => Promise<Count>,
  ): Promise<number | undefined> => {
    const span = startSpan('client', 'redis')?.set('server.address', host);
    try {
      const { window } = limits[limit];
      const { [window]: limiter } = await loading;
      const number = resetsAtMs / windows[window] - 1;
      const count = await timeout.waitFor(command(limiter, `${id}:${number}`));
      // The number is of another counter if the window ended before the library read the clock.
      if (count !== undefined)
        return count.reset === expiryOf(number, windows[window]) ? count.limit - count.remaining : undefined;
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

  const add = (limit: LimitName, window: Window, requests: number, log: Logger) =>
    run(limit, window, log, (limiter, counter) => limiter.limit(counter, { rate: requests }));

  const usageOf = (used: number | undefined, { resetsAtMs }: Window): Usage | undefined =>
    used === undefined ? undefined : { used, resetsAtMs };

  return {
    async count(limit, id, log, { allowed } = {}) {
      const window = windowOf(limit, id);
      const addToCounter: AddToCounter = (requests) => add(limit, window, requests, log);
      return usageOf(await leases.count(window, allowed, addToCounter), window);
    },
    async countMany(limit, id, log, requests) {
      const window = windowOf(limit, id);
      return usageOf(await add(limit, window, requests, log), window);
    },
    async peek(limit, id, log) {
      const window = windowOf(limit, id);
      const counted = await run(limit, window, log, (limiter, counter) => limiter.getRemaining(counter));
      return usageOf(counted === undefined ? undefined : counted - leases.unused(window), window);
    },
    async uncount(limit, id, log, { used, resetsAtMs }) {
      // Uses the window in which the request was counted, which may have ended since.
      const window = { id: windowOf(limit, id).id, resetsAtMs };
      if (!leases.uncount(window, used)) await add(limit, window, -1, log);
    },
    async ping() {
      // Counts as requests do: a read-only token counts nothing.
      const counting = loading.then(({ minute }) => minute.limit('ping'));
      if ((await timeout.waitFor(counting)) === undefined) throw new Error('Redis timed out');
    },
  };
}

/** A counter's value is the limit minus what remains of it. */
type Count = Pick<Awaited<ReturnType<Ratelimit['limit']>>, 'limit' | 'remaining' | 'reset'>;

/** When the library's window with this window of ours ends. */
const expiryOf = (number: number, windowMs: number): number =>
  (Math.floor(number / EXPIRY_WINDOWS) + 1) * EXPIRY_WINDOWS * windowMs;

/**
 * The library appends its own number of the window, whose length is the expiry. It follows from ours, because both begin at the same time:
 * so the counter of a window has one key.
 */
async function loadLimiters(loading: Promise<Redis>): Promise<Record<keyof typeof windows, Ratelimit>> {
  const [{ Ratelimit: Limiter }, redis] = await Promise.all([import('@upstash/ratelimit'), loading]);
  const limiterOf = (windowMs: number) =>
    new Limiter({
      redis,
      prefix: 'placar',
      limiter: Limiter.fixedWindow(UNLIMITED, `${EXPIRY_WINDOWS * windowMs} ms`),
      // The counter has its own timeout.
      timeout: 0,
      ephemeralCache: false,
      enableTelemetry: false,
    });
  const { tenSeconds, minute, hour } = windows;
  return { tenSeconds: limiterOf(tenSeconds), minute: limiterOf(minute), hour: limiterOf(hour) };
}

async function loadRedis(env: Env<'redis'>): Promise<Redis> {
  const { Redis: Client } = await import('@upstash/redis');
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token, REDIS_TIMEOUT_MS: timeoutMs } = env;
  const signal = () => AbortSignal.timeout(ABORT_AFTER_TIMEOUTS * timeoutMs);
  return new Client({ url, token, retry: false, signal, enableTelemetry: false });
}
