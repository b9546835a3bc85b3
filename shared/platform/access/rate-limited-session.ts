// The database session of a request with an access token, of a client or a person. It counts the request and enforces the tenant's limit in its first transaction,
// which saves a round trip. The limit is `plans.requests_per_minute` (database/tenants/tenants.sql), returned by `app.admit_client`
// (database/access/admission.sql) and `app.admit_person` (database/access/persons.sql). `db/connection-queue.ts` limits concurrent requests.

import QuickLRU from 'quick-lru';
import { waitUntil } from '../background.ts';
import {
  type Admission,
  type AuditActor,
  type Database,
  type FinalStatements,
  oneRow,
  type RowsOf,
  type Session,
  type Sql,
  type Transaction,
  type Work,
  type WriteTransaction,
} from '../db/database.ts';
import { isSqlError } from '../db/sql-errors.ts';
import { ApiError, insufficientScope } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { AccessToken } from './access-tokens.ts';
import { type AdmissionChecks, admit } from './admission.ts';
import type { CallerSession } from './guard.ts';
import { type Counter, limits, rejectExcess, type Usage } from './request-counter.ts';
import { type Scope, withAdmin } from './scopes.ts';
import { tenantMoved } from './tenant-moves.ts';

const WINDOW_MS = 60_000;

/** The last known limits by tenant id, in requests per minute. For responses that do not query the database. */
export type RateLimitCache = QuickLRU<string, number>;

const MAX_REMEMBERED = 1000;
export const createRateLimitCache = (): RateLimitCache =>
  new QuickLRU<string, number>({ maxSize: MAX_REMEMBERED });

interface SessionOptions {
  database: Database;
  counter: Counter;
  rateLimits: RateLimitCache;
  token: AccessToken;
  requestContext: RequestContext;
  log: Logger;
}

/** The same 401 for every reason, which goes to the request log. The challenge has an `error` only if a token was sent (RFC 6750). */
export function unauthorizedToken(reason: 'missing' | 'malformed' | 'bad_token' | 'revoked'): ApiError {
  const message = 'The access token is missing, invalid or expired. Request one at /oauth/token.';
  const sent = reason === 'bad_token' || reason === 'revoked';
  return new ApiError('unauthorized', message, {
    reason,
    page: 'authentication',
    ...(sent && { challenge: { error: 'invalid_token' } }),
  });
}

export class RateLimitedSession implements CallerSession {
  /** The caller's `X-Origin`: what caused the changes. */
  origin: string | undefined;
  /** Who acts, for the audit trail. */
  auditActor: AuditActor | undefined;
  /** The caller's `X-Silent`: changes are only stored, without deliveries or side effects. */
  silent = false;
  /** The role of the transactions. */
  role: Session['role'] = 'api';
  /** Scopes of the token. The client must still have at least one of them when it is admitted. */
  currentScopes: readonly Scope[] | undefined;
  /** Scopes of the token that the client must all still have when it is admitted. */
  everyScope: readonly Scope[] | undefined;
  /** Whether the check of client and limit has started. */
  admitted = false;
  readonly #options: SessionOptions;
  /** The tenant's requests in this minute, from Redis. */
  #usage: Promise<Usage | undefined> | undefined;
  /** The person's requests in these ten seconds. */
  #burst: Promise<Usage | undefined> | undefined;
  #counted = false;
  #hasWritten = false;
  /** The limit and usage in the response's headers. */
  #shownLimit: { allowed: number; usage: Usage | undefined } | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Starts counting the request in Redis, without waiting for it. */
  countRequest(): void {
    const { counter, rateLimits, token, log } = this.#options;
    const { tenantId, person } = token;
    this.#counted = true;
    const allowed = rateLimits.get(tenantId) ?? token.requestsPerMinute;
    const count = () => counter.count('tenant', tenantId, log, { allowed });
    if (person) this.#burst = counter.count('person', person.userId, log);
    // What exceeds the person's own limit does not count, so that one person cannot use up everyone's requests.
    this.#usage = this.#burst
      ? this.#burst.then((burst) => {
          if (!burst || burst.used <= limits.person.max) return count();
          this.#counted = false;
          return counter.peek('tenant', tenantId, log);
        })
      : count();
  }

  /** The first transaction admits the caller: its 401 or 429 takes precedence over errors of the work. */
  read: Transaction = (build) =>
    this.admitted ? this.#transaction(build, true) : this.#firstTransaction(build, true);

  /** A write waits until the request is counted, so that a request over the limit writes nothing. */
  write: WriteTransaction = async (build, ending) => {
    const rows = await (this.admitted
      ? this.#transaction(build, false, { ending })
      : this.#firstTransaction(build, false, ending));
    this.#hasWritten = true;
    return rows;
  };

  async #firstTransaction<const W extends Work>(
    build: (sql: Sql) => W,
    reads: boolean,
    ending?: FinalStatements<W>,
  ): Promise<RowsOf<W>> {
    this.admitted = true;
    const used = reads ? undefined : (await this.#usage)?.used;
    if (!reads) await this.#checkBurst();
    let allowed: number | undefined;
    const onAdmitted = (limit: number) => {
      allowed = limit;
    };
    const limit = admit(this.#options.token, { used, scopes: this.#scopes() });
    const admission = { limit, onAdmitted };
    try {
      const rows = await this.#mapRefusals(this.#transaction(build, reads, { admission, ending }));
      if (allowed !== undefined) await this.#checkLimit(allowed);
      return rows;
    } catch (error) {
      throw await this.#afterLimit(error);
    }
  }

  /** Returns the error of a failed admission or of its work, unless the caller is over its limit, which takes precedence. Throws 401 or 429. */
  async #afterLimit(error: unknown): Promise<unknown> {
    if (error instanceof ApiError && error.code !== 'insufficient_scope') throw error;
    await this.#checkLimit(await this.#admitSeparately());
    return error;
  }

  #scopes(): AdmissionChecks['scopes'] {
    const { currentScopes: anyOf = [], everyScope: all } = this;
    return anyOf.length > 0 ? { anyOf: withAdmin(anyOf), all } : undefined;
  }

  /** Admits the caller unless a transaction has already done so. Throws 401 or 429. */
  async admit(): Promise<void> {
    if (this.admitted) return;
    this.admitted = true;
    const allowed = await this.#admitSeparately(this.#scopes()).catch(async (error: unknown) => {
      throw await this.#afterLimit(error);
    });
    await this.#checkLimit(allowed);
  }

  async recheck(): Promise<void> {
    if (this.#options.token.expiresAt.getTime() <= Date.now()) throw unauthorizedToken('bad_token');
    await this.#admitSeparately(this.#scopes());
  }

  /** Sets the rate limit headers without counting the request for the tenant. Throws 401, and 429 if the person sends too many at once. */
  async setLimitHeaders(): Promise<void> {
    const { counter, token, log } = this.#options;
    this.admitted = true;
    this.#usage = counter.peek('tenant', token.tenantId, log);
    if (token.person) this.#burst = counter.count('person', token.person.userId, log);
    this.#setLimit(await this.#admitSeparately(), await this.#usage, 0);
    await this.#checkBurst();
  }

  /**
   * Like `setLimitHeaders`, but without a query: uses the last known limit, or the one when the token was issued. These requests count apart
   * from the others. Throws 429 if they exceed the same limit.
   */
  async setCachedLimitHeaders(): Promise<void> {
    const { rateLimits, counter, token, log } = this.#options;
    const { tenantId } = token;
    const allowed = rateLimits.get(tenantId) ?? token.requestsPerMinute;
    if (allowed === undefined) return;
    const [usage, unknown] = await Promise.all([
      counter.peek('tenant', tenantId, log),
      counter.count('unknownRoute', tenantId, log, { allowed }),
    ]);
    this.#setHeaders(allowed, usage, 0);
    const sentence = `Too many requests for paths or methods that do not exist (limit ${allowed} per minute).`;
    rejectExcess(unknown, allowed, sentence);
  }

  /** Uncounts the request and updates the headers, unless more requests than the plan allows were uncounted in this minute. */
  async uncountRequest(): Promise<void> {
    if (!this.#counted || !this.#shownLimit) return;
    const { counter, token, log } = this.#options;
    const { allowed, usage } = this.#shownLimit;
    const refused = await counter.count('refused', token.tenantId, log, { allowed });
    if (refused && refused.used > allowed) return;
    if (usage) this.#uncount(usage);
    this.#setLimit(allowed, usage, usage ? 1 : 0);
  }

  #uncount(usage: Usage): void {
    const { counter, token, log } = this.#options;
    this.#counted = false;
    waitUntil(() => counter.uncount('tenant', token.tenantId, log, usage));
  }

  async #transaction<const W extends Work>(
    build: (sql: Sql) => W,
    reads: boolean,
    { admission, ending }: { admission?: Admission; ending?: FinalStatements<W> | undefined } = {},
  ): Promise<RowsOf<W>> {
    const { database, token } = this.#options;
    const { origin, auditActor } = this;
    const session = { tenantId: token.tenantId, origin, auditActor, reads, hasWritten: this.#hasWritten };
    const silent = this.silent && !reads;
    return await database.transaction(
      { role: this.role, ...session, silent, ...(admission && { admission }) },
      build,
      ending,
    );
  }

  /** Returns the requests per minute that the plan allows. Throws 401. */
  async #admitSeparately(scopes?: AdmissionChecks['scopes']): Promise<number> {
    const { database, token } = this.#options;
    const rows = await this.#mapRefusals(
      database.asLogin(
        'reads',
        (sql) => sql<{ allowed: number }>`select ${admit(token, { scopes })} as allowed`,
      ),
    );
    return oneRow(rows).allowed;
  }

  async #mapRefusals<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isSqlError(error, 'scopeMissing')) {
        throw insufficientScope('client', error.detail?.split(' ') ?? this.currentScopes ?? []);
      }
      if (isSqlError(error, 'rateLimited')) await this.#checkLimit(Number(error.detail));
      if (isSqlError(error, 'tenantMoved')) {
        const usage = await this.#usage;
        if (this.#counted && usage) this.#uncount(usage);
        throw tenantMoved(error.detail ?? '');
      }
      if (!isSqlError(error, 'clientRevoked')) throw error;
      const usage = await this.#usage;
      const counted = this.#counted ? usage : undefined;
      if (counted) this.#uncount(counted);
      this.#setLimit(Number(error.detail ?? 0), usage, counted ? 1 : 0);
      throw unauthorizedToken('revoked');
    }
  }

  async #checkLimit(allowed: number): Promise<void> {
    const usage = await this.#usage;
    this.#setLimit(allowed, usage, 0);
    await this.#checkBurst();
    rejectExcess(usage, allowed, `Rate limit exceeded: your plan allows ${allowed} requests per minute.`);
  }

  /** Throws 429 if the person sends too many requests at once, whichever tokens they have. */
  async #checkBurst(): Promise<void> {
    const { max } = limits.person;
    rejectExcess(await this.#burst, max, `Too many requests (limit ${max} in ten seconds for one person).`);
  }

  /** Remembers the limit and sets its headers. If Redis is unreachable, requests are not counted, so the whole limit remains. */
  #setLimit(allowed: number, usage: Usage | undefined, uncounted: number): void {
    this.#shownLimit = { allowed, usage };
    this.#options.rateLimits.set(this.#options.token.tenantId, allowed);
    this.#setHeaders(allowed, usage, uncounted);
  }

  #setHeaders(allowed: number, usage: Usage | undefined, uncounted: number): void {
    const used = (usage?.used ?? 0) - uncounted;
    const resetsAtMs = usage?.resetsAtMs ?? Math.ceil(Date.now() / WINDOW_MS) * WINDOW_MS;
    const { requestContext } = this.#options;
    requestContext.responseHeaders = {
      ...requestContext.responseHeaders,
      'X-RateLimit-Limit': String(allowed),
      'X-RateLimit-Remaining': String(Math.max(0, allowed - used)),
      'X-RateLimit-Reset': String(Math.ceil(resetsAtMs / 1000)),
    };
  }
}
