// GET /health and GET /health/ready, without authentication, so their results are kept for a while and only one check runs at a time.
// `/health` reads, as requests do. `/health/ready` tries everything that the function needs: a read, a write,
// a lead as requests store it, a transaction in two steps.
import type { Counter } from '../access/request-counter.ts';
import { cacheResult } from '../cached-result.ts';
import { type Database, oneRow, type Session, WORKER_SESSION } from '../db/database.ts';
import { MIGRATIONS } from '../db/migrations.ts';
import { sqlErrorCodes } from '../db/sql-errors.ts';
import { ApiError } from '../errors.ts';
import type { QStashQueue } from '../jobs/publish.ts';
import { errorFields, type Logger } from '../logger.ts';
import { COMMIT, runtimeVersion, VERSION } from '../version.ts';
import { orTimeout } from '../waits.ts';

interface HealthOptions {
  /** Name of the function. */
  name: string;
  database: Database;
  /** Must equal the environment that is set in the database. */
  environment: 'production' | 'staging';
  /** Undefined if the function does not use Redis. */
  counter?: Counter | undefined;
  /** Undefined if the function does not use QStash. */
  queue?: QStashQueue | undefined;
  log: Logger;
}

type Outcome = 'ok' | 'degraded' | 'failed';
type Check = () => Promise<unknown>;

interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, Outcome>;
}

/** How long a result of `/health` and of `/health/ready` is kept. */
const HEALTH_MS = 1000;
const READY_MS = 10_000;
const MAX_MS = 5000;
/** The roles of requests that write. */
const REQUEST_ROLES = ['api', 'payments', 'manage'] as const satisfies Session['role'][];
const RETRY_AFTER_SECONDS = 10;

/** Responds with 200 if the database responds and has the same environment, else with 503. The reason is only logged. */
export function createHealthCheck(options: HealthOptions): () => Promise<Response> {
  const cached = cacheResult(() => isHealthy(options), HEALTH_MS);
  return async () => {
    const { value } = await cached();
    return value
      ? Response.json({ status: 'ok' })
      : Response.json({ status: 'unavailable' }, { status: 503 });
  };
}

async function isHealthy({ database, environment, log }: HealthOptions): Promise<boolean> {
  try {
    if (await hasSameEnvironment(database, environment)) return true;
    const hint = 'set the same environment in APP_ENV and with admin.set_environment()';
    log.error('APP_ENV differs from the environment of the database', { hint });
  } catch (error) {
    log.error('health check failed', errorFields(error));
  }
  return false;
}

/** A statement with a parameter in a read-only transaction, as requests send them, so that it fails when requests fail. */
async function hasSameEnvironment(database: Database, environment: string): Promise<boolean> {
  const rows = await database.transaction(
    { ...WORKER_SESSION, reads: true },
    (sql) => sql<{ same: boolean }>`select app.environment() = ${environment} as same`,
  );
  return oneRow(rows).same;
}

/** Responds with 200 if all required checks succeed, else with 503. Reasons are only logged. */
export function createReadinessCheck(options: HealthOptions): () => Promise<Response> {
  const check = new ReadinessCheck(options);
  const cached = cacheResult(() => check.run(), READY_MS);
  return async () => {
    const { value, ageMs } = await cached();
    const isAvailable = value.status !== 'unavailable';
    const body = {
      ...value,
      version: VERSION,
      commit: COMMIT,
      deno: runtimeVersion(),
      age_seconds: Math.floor(ageMs / 1000),
    };
    const headers = {
      'Cache-Control': 'no-store',
      ...(!isAvailable && { 'Retry-After': String(RETRY_AFTER_SECONDS) }),
    };
    return Response.json(body, { status: isAvailable ? 200 : 503, headers });
  };
}

class ReadinessCheck {
  readonly #options: HealthOptions;
  /** Checks of the database that have not ended. Those of the previous run may have taken too long. */
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  async run(): Promise<Readiness> {
    const { counter, queue } = this.#options;
    const endsAtMs = performance.now() + MAX_MS;
    const run = (name: string, check: Check, otherwise: Outcome) =>
      this.#outcome(name, check, { otherwise, endsAtMs });
    const [database, redis, qstash] = await Promise.all([
      run('database', () => this.#checkDatabase(), 'failed'),
      counter && run('redis', () => counter.ping(), 'degraded'),
      queue && run('queue', () => queue.ping(), 'degraded'),
    ]);
    const dependent: Record<string, Check> = {
      write: () => this.#checkWrite(),
      request: () => Promise.all(REQUEST_ROLES.map((role) => this.#checkRequest(role))),
      schema: () => this.#checkSchema(),
      environment: () => this.#checkEnvironment(),
      pooler: () => this.#checkPooler(),
    };
    const outcomes = await Promise.all(
      Object.entries(dependent).map(async ([name, check]) => {
        // Without the database, they would only repeat its error in the log.
        return [name, database === 'ok' ? await run(name, check, 'failed') : 'failed'] as const;
      }),
    );
    const checks: Record<string, Outcome> = {
      database,
      ...Object.fromEntries(outcomes),
      ...(redis && { redis }),
      ...(qstash && { queue: qstash }),
    };
    const all = Object.values(checks);
    if (all.includes('failed')) return { status: 'unavailable', checks };
    return { status: all.includes('degraded') ? 'degraded' : 'ok', checks };
  }

  /** Returns `otherwise` if the check fails or takes too long. */
  async #outcome(
    name: string,
    check: Check,
    { otherwise, endsAtMs }: { otherwise: Outcome; endsAtMs: number },
  ): Promise<Outcome> {
    try {
      const work = check();
      if (otherwise === 'failed') this.#track(work);
      await orTimeout(work, Math.max(0, endsAtMs - performance.now()), () => failure('timeout'));
      return 'ok';
    } catch (error) {
      this.#options.log.error('readiness check failed', {
        ...errorFields(error),
        check: name,
        code: codeOf(error),
      });
      return otherwise;
    }
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work);
    const end = () => void this.#running.delete(work);
    work.then(end, end);
  }

  /** A statement with a parameter in a read-only transaction, as requests send them. */
  async #checkDatabase(): Promise<void> {
    const { database, name } = this.#options;
    if (this.#running.size > 0) throw failure('timeout', 'the previous check has not ended');
    await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) => sql`select ${name}::text`);
  }

  #checkWrite(): Promise<unknown> {
    const { database, name } = this.#options;
    return database.transaction(WORKER_SESSION, (sql) => sql`select app.write_probe(${name})`);
  }

  /** Stores a lead with the privileges of a request. The function always fails, so that nothing is stored. */
  async #checkRequest(role: Session['role']): Promise<void> {
    const session = { role, tenantId: crypto.randomUUID() };
    try {
      await this.#options.database.transaction(session, (sql) => sql`select app.probe_request()`);
    } catch (error) {
      if (codeOf(error) !== sqlErrorCodes.probed) throw error;
    }
  }

  async #checkSchema(): Promise<void> {
    const rows = await this.#options.database.transaction(
      { ...WORKER_SESSION, reads: true },
      (sql) => sql<{ missing: string[] }>`select app.missing_migrations(${MIGRATIONS}) as missing`,
    );
    const { missing } = oneRow(rows);
    if (missing.length > 0) throw failure('migration_missing', missing.join(', '));
  }

  async #checkEnvironment(): Promise<void> {
    const { database, environment } = this.#options;
    if (!(await hasSameEnvironment(database, environment))) throw failure('environment_differs');
  }

  /** A transaction of two messages. A pooler in statement mode rejects it. */
  #checkPooler(): Promise<unknown> {
    return this.#options.database.transaction(
      { ...WORKER_SESSION, reads: true },
      (sql) => sql`select 1`,
      async () => (sql) => sql`select 2`,
    );
  }
}

const failure = (code: string, message = code): Error => Object.assign(new Error(message), { code });

/** The SQLSTATE or the code of a socket, otherwise our own reason. */
function codeOf(error: unknown): string | undefined {
  const { cause = error } = error instanceof ApiError ? error : {};
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof ApiError ? error.reason : undefined;
}
