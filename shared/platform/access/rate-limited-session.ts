// One request of an OAuth client: counted once, and let in by its first transaction, so that a read waits on the network
// no more often for it. This is where the limit of a tenant's requests is decided; the
// number is `plans.requests_per_minute` (migrations/*_tenancy.sql), by `app.admit_client` (*_access.sql). How many at once: `db/connection-queue.ts`.

import QuickLRU from 'quick-lru';
import { waitUntil } from '../background.ts';
import {
  type ClientToAdmit,
  type Database,
  type FinalStatements,
  oneRow,
  type RowsOf,
  type Sql,
  type Transaction,
  type Work,
  type WriteTransaction,
} from '../db/database.ts';
import { isSqlError } from '../db/sql-errors.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { AccessToken } from './access-tokens.ts';
import type { CallerSession } from './guard.ts';
import { type Counter, rateLimited, type Usage } from './request-counter.ts';

const WINDOW_MS = 60_000;

interface Admission {
  /** Requests a minute that the plan allows. */
  allowed: number;
}

/** What plans allowed lately, in requests a minute by tenant: for answers that ask no database. */
export type Allowances = QuickLRU<string, number>;

const MAX_REMEMBERED = 1000;
export const createAllowances = (): Allowances => new QuickLRU<string, number>({ maxSize: MAX_REMEMBERED });

export interface SessionOptions {
  database: Database;
  counter: Counter;
  allowances: Allowances;
  token: AccessToken;
  requestContext: RequestContext;
  log: Logger;
}

/** One answer for every reason; why goes to the request log. An error is named where a token was sent (RFC 6750). */
export function unauthorizedToken(reason: 'missing' | 'malformed' | 'bad_token' | 'revoked'): ApiError {
  const message =
    'The access token is missing, invalid or expired. Ask for one at /oauth/token; see docs/authentication.md.';
  const sent = reason === 'bad_token' || reason === 'revoked';
  return new ApiError('unauthorized', message, {
    reason,
    ...(sent && { challenge: { error: 'invalid_token' } }),
  });
}

export class RateLimitedSession implements CallerSession {
  /** What the caller says of the cause of its changes. */
  origin: string | undefined;
  /** Whether what it changes is only stored: it is delivered nowhere and causes nothing. */
  silent = false;
  /** Whether somebody decided already if the caller may come in. */
  admitted = false;
  readonly #options: SessionOptions;
  /** What Redis says of the tenant's minute. */
  #usage: Promise<Usage | undefined> | undefined;
  #counted = false;
  /** Whether something was stored. */
  #hasWritten = false;
  /** What the caller was told of the limit. */
  #told: { allowed: number; usage: Usage | undefined } | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Counts the request in Redis, beside whatever is done meanwhile. */
  countRequest(): void {
    const { counter, allowances, token, log } = this.#options;
    const { tenantId } = token;
    this.#counted = true;
    const allowed = allowances.get(tenantId) ?? token.requestsPerMinute;
    this.#usage = counter.count('tenant', tenantId, log, { allowed });
  }

  /** The first transaction lets the caller in: 401 or 429 come before anything that the work throws. */
  read: Transaction = (build) => (this.admitted ? this.#transaction(build, true) : this.#first(build, true));

  /** What writes begins when the request is counted: one beyond the limit writes nothing. */
  write: WriteTransaction = async (build, ending) => {
    const rows = await (this.admitted
      ? this.#transaction(build, false, { ending })
      : this.#first(build, false, ending));
    this.#hasWritten = true;
    return rows;
  };

  async #first<const W extends Work>(
    build: (sql: Sql) => W,
    reads: boolean,
    ending?: FinalStatements<W>,
  ): Promise<RowsOf<W>> {
    this.admitted = true;
    const used = reads ? undefined : (await this.#usage)?.used;
    let allowed: number | undefined;
    const onAdmitted = (told: number) => {
      allowed = told;
    };
    const { clientId: id, tokenId } = this.#options.token;
    const client = { id, tokenId, used, onAdmitted };
    try {
      const rows = await this.#unlessRefused(this.#transaction(build, reads, { client, ending }));
      if (allowed !== undefined) await this.#checkLimit(allowed);
      return rows;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // The work was refused, and what the transaction knew of the limit went with it. The limit is judged first.
      await this.#checkLimit(await this.#admitAlone());
      throw error;
    }
  }

  /** Lets the caller in where no transaction did. Throws 401 or 429. */
  async admit(): Promise<void> {
    if (this.admitted) return;
    this.admitted = true;
    await this.#checkLimit(await this.#admitAlone());
  }

  /** Tells the caller the limit without counting the request. Throws 401. */
  async showLimit(): Promise<void> {
    const { counter, token, log } = this.#options;
    this.admitted = true;
    this.#usage = counter.peek('tenant', token.tenantId, log);
    this.#tellLimit(await this.#admitAlone(), await this.#usage, 0);
  }

  /** The same without a question to the database: what the plan allowed when it was last asked, or as the token was made. */
  async showKnownLimit(): Promise<void> {
    const { allowances, counter, token, log } = this.#options;
    const allowed = allowances.get(token.tenantId) ?? token.requestsPerMinute;
    if (allowed === undefined) return;
    this.#showHeaders(allowed, await counter.peek('tenant', token.tenantId, log), 0);
  }

  /** Has the request not count after all, and says so to the caller, unless more were taken back this minute than the plan allows. */
  async takeBack(): Promise<void> {
    if (!this.#counted || !this.#told) return;
    const { counter, token, log } = this.#options;
    const { allowed, usage } = this.#told;
    const refused = await counter.count('refused', token.tenantId, log, { allowed });
    if (refused && refused.used > allowed) return;
    if (usage) this.#uncount(usage);
    this.#tellLimit(allowed, usage, usage ? 1 : 0);
  }

  #uncount(usage: Usage): void {
    const { counter, token, log } = this.#options;
    this.#counted = false;
    waitUntil(() => counter.uncount('tenant', token.tenantId, log, usage));
  }

  #transaction<const W extends Work>(
    build: (sql: Sql) => W,
    reads: boolean,
    { client, ending }: { client?: ClientToAdmit; ending?: FinalStatements<W> | undefined } = {},
  ): Promise<RowsOf<W>> {
    const { database, token } = this.#options;
    const session = { tenantId: token.tenantId, origin: this.origin, reads, hasWritten: this.#hasWritten };
    const silent = this.silent && !reads;
    return database.transaction(
      { role: 'api', ...session, silent, ...(client && { client }) },
      build,
      ending,
    );
  }

  /** Requests a minute that the plan allows. Throws 401. */
  async #admitAlone(): Promise<number> {
    const { database, token } = this.#options;
    const rows = await this.#unlessRefused(
      database.asOwner<Admission>(
        'reads',
        (sql) =>
          sql`select app.admit_client(${token.tenantId}, ${token.clientId}, ${token.tokenId}) as allowed`,
      ),
    );
    return oneRow(rows).allowed;
  }

  async #unlessRefused<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isSqlError(error, 'rateLimited')) await this.#checkLimit(Number(error.detail));
      if (!isSqlError(error, 'clientRevoked')) throw error;
      const usage = await this.#usage;
      const counted = this.#counted ? usage : undefined;
      if (counted) this.#uncount(counted);
      this.#tellLimit(Number(error.detail ?? 0), usage, counted ? 1 : 0);
      throw unauthorizedToken('revoked');
    }
  }

  async #checkLimit(allowed: number): Promise<void> {
    const usage = await this.#usage;
    this.#tellLimit(allowed, usage, 0);
    if (!usage || usage.used <= allowed) return;
    throw rateLimited(`The plan's limit of ${allowed} requests a minute is reached`, usage.resetsAtMs);
  }

  /** Sets the headers of the limit; where Redis is away nothing counts, so all of it is left. */
  #tellLimit(allowed: number, usage: Usage | undefined, takenBack: number): void {
    this.#told = { allowed, usage };
    this.#options.allowances.set(this.#options.token.tenantId, allowed);
    this.#showHeaders(allowed, usage, takenBack);
  }

  #showHeaders(allowed: number, usage: Usage | undefined, takenBack: number): void {
    const used = (usage?.used ?? 0) - takenBack;
    const resetsAtMs = usage?.resetsAtMs ?? Math.ceil(Date.now() / WINDOW_MS) * WINDOW_MS;
    const { requestContext } = this.#options;
    requestContext.answerHeaders = {
      ...requestContext.answerHeaders,
      'X-RateLimit-Limit': String(allowed),
      'X-RateLimit-Remaining': String(Math.max(0, allowed - used)),
      'X-RateLimit-Reset': String(Math.ceil(resetsAtMs / 1000)),
    };
  }
}
