// Access tokens: who calls records, and whether they may. A token is verified in memory; that its client was not revoked,
// and how many requests its tenant's plan allows, is asked of the database with the work itself.

import type { Database, Rows, Sql, Statement } from '../db/database.ts';
import { oneRow } from '../db/rows.ts';
import { raised } from '../db/sql-errors.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/request-context.ts';
import type { Counter, Usage } from '../limits/rate-limits.ts';
import type { Logger } from '../logging/logger.ts';
import { afterResponse } from '../wait-until.ts';
import type { AccessToken, TokenVerifier } from './access-tokens.ts';
import type { Caller, Guard } from './guard.ts';

const BEARER = /^Bearer +(\S+)$/i;
const MAX_ORIGIN_LENGTH = 64;
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;
const WINDOW_MS = 60_000;

export interface TokenGuardOptions {
  database: Database;
  counter: Counter;
  verifier: TokenVerifier;
}

export interface TokenGuard {
  guard: Guard;
  /** Says how much of the limit is left where the guard was never asked, such as for an unknown address. */
  showLimit(call: Call, headers: Headers): Promise<void>;
}

/** `X-Origin`: what caused the request, in the caller's words; undefined when there is none. Throws 400. */
export function originOf(headers: Headers): string | undefined {
  const origin = headers.get('x-origin');
  if (origin === null || origin === '') return undefined;
  if (origin.length <= MAX_ORIGIN_LENGTH && VISIBLE_ASCII.test(origin)) return origin;
  const message = `must have at most ${MAX_ORIGIN_LENGTH} characters, all of them visible ASCII or spaces`;
  throw new ApiError('validation', 'Mend this header.', { details: [{ field: 'X-Origin', message }] });
}

/** Whether these scopes allow what needs any one of `scope`, which are separated by spaces; `admin` allows everything. */
export function allows(scopes: readonly string[], scope: string): boolean {
  return scopes.includes('admin') || scope.split(' ').some((one) => scopes.includes(one));
}

export function createTokenGuard({ database, counter, verifier }: TokenGuardOptions): TokenGuard {
  const guard: Guard = async ({ call, headers, scope, reads, log }) => {
    const access = await identify(verifier, headers);
    Object.assign(call, { tenantId: access.tenantId, clientId: access.clientId });
    const visit = new Visit(database, counter, access, call, log);
    if (!allows(access.scopes, scope)) {
      await visit.lookIn();
      const needed = scope.split(' ').join(' or ');
      throw new ApiError('insufficient_scope', `This token lacks the scope ${needed}.`, {
        reason: 'insufficient_scope',
      });
    }
    const caller: Caller = {
      tenantId: access.tenantId,
      actor: {
        type: 'oauth_client',
        clientId: access.clientId,
        scopes: access.scopes,
        variant: access.variant,
      },
    };
    visit.startCounting();
    if (reads) return { ...caller, entrance: visit };
    await visit.settle();
    return { ...caller, origin: originOf(headers) };
  };
  return {
    guard,
    async showLimit(call, headers) {
      if (call.tenantId || call.answerHeaders || !headers.get('authorization')) return;
      const log = silent;
      try {
        const access = await identify(verifier, headers);
        await new Visit(database, counter, access, call, log).lookIn();
      } catch {
        // Whoever the caller is, the answer stands.
      }
    },
  };
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

async function identify(verifier: TokenVerifier, headers: Headers): Promise<AccessToken> {
  const header = headers.get('authorization');
  if (!header) throw unauthorized('missing');
  const token = BEARER.exec(header)?.[1];
  if (!token) throw unauthorized('malformed');
  const access = await verifier.verify(token);
  if (!access) throw unauthorized('bad_token');
  return access;
}

function unauthorized(reason: string): ApiError {
  const message =
    'The access token is missing, invalid or expired. Ask for one at /oauth/token; see docs/authentication.md.';
  return new ApiError('unauthorized', message, { reason });
}

/** One request of a client: counted once, let in by its first transaction. */
class Visit {
  readonly #database: Database;
  readonly #counter: Counter;
  readonly #access: AccessToken;
  readonly #call: Call;
  readonly #log: Logger;
  /** What Redis says of the tenant's minute. */
  #usage: Promise<Usage | undefined> | undefined;
  #counted = false;
  #decided = false;

  constructor(database: Database, counter: Counter, access: AccessToken, call: Call, log: Logger) {
    this.#database = database;
    this.#counter = counter;
    this.#access = access;
    this.#call = call;
    this.#log = log;
  }

  startCounting(): void {
    this.#counted = true;
    this.#usage = this.#counter.count('tenant', this.#access.tenantId, this.#log);
  }

  async transaction(build: (sql: Sql) => Statement[]): Promise<Rows[]> {
    if (this.#decided) return (await this.#enter(build)).results;
    this.#decided = true;
    try {
      const { allowed, results } = await this.#enter(build);
      await this.#judge(allowed);
      return results;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // The work was refused, and what the transaction knew of the limit went with it. The limit is judged first.
      await this.#judge(await this.#admit());
      throw error;
    }
  }

  async settle(): Promise<void> {
    if (this.#decided) return;
    this.#decided = true;
    await this.#judge(await this.#admit());
  }

  /** Checks the client without counting the request. */
  async lookIn(): Promise<void> {
    this.#decided = true;
    this.#usage = this.#counter.peek('tenant', this.#access.tenantId, this.#log);
    this.#show(await this.#admit(), await this.#usage, 0);
  }

  async #judge(allowed: number): Promise<void> {
    const usage = await this.#usage;
    this.#show(allowed, usage, 0);
    if (!usage || usage.used <= allowed) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((usage.resetsAtMs - Date.now()) / 1000));
    const message = `The plan's limit of ${allowed} requests a minute is reached; it resets in ${retryAfterSeconds} s.`;
    throw new ApiError('rate_limited', message, { retryAfterSeconds, reason: 'rate_limited' });
  }

  /** Requests a minute that the plan allows. Throws 401. */
  async #admit(): Promise<number> {
    const { tenantId, clientId } = this.#access;
    const rows = await this.#unlessRevoked(
      this.#database.lone((sql) => sql`select app.admit_client(${tenantId}, ${clientId}) as allowed`),
    );
    return oneRow<{ allowed: number }>(rows).allowed;
  }

  /** The same in the transaction of the work. Throws 401. */
  async #enter(build: (sql: Sql) => Statement[]): Promise<{ allowed: number; results: Rows[] }> {
    const { tenantId, clientId } = this.#access;
    const [entered, ...results] = await this.#unlessRevoked(
      this.#database.transaction({ role: 'api', tenantId }, (sql) => [
        sql`select app.admit_own_client(${clientId}) as allowed`,
        ...build(sql),
      ]),
    );
    return { allowed: oneRow<{ allowed: number }>(entered).allowed, results };
  }

  async #unlessRevoked<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!raised(error, 'clientRevoked')) throw error;
      const usage = await this.#usage;
      const counted = this.#counted && usage !== undefined;
      if (counted) afterResponse(() => this.#counter.uncount('tenant', this.#access.tenantId, this.#log));
      const allowed = Number((error as { detail?: string }).detail ?? 0);
      this.#show(allowed, usage, counted ? 1 : 0);
      throw unauthorized('revoked');
    }
  }

  /** Tells the caller the limit; where Redis is away nothing counts, so all of it is left. */
  #show(allowed: number, usage: Usage | undefined, takenBack: number): void {
    const used = (usage?.used ?? 0) - takenBack;
    const resetsAtMs = usage?.resetsAtMs ?? Math.ceil(Date.now() / WINDOW_MS) * WINDOW_MS;
    this.#call.answerHeaders = {
      'X-RateLimit-Limit': String(allowed),
      'X-RateLimit-Remaining': String(Math.max(0, allowed - used)),
      'X-RateLimit-Reset': String(Math.ceil(resetsAtMs / 1000)),
    };
  }
}
