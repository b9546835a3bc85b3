// Sends the statements of a transaction as one message: written to the socket together and ended by one Sync. The server runs them as
// one implicit transaction and commits at the Sync. `Message` is a query object for `pg`, like those of pg-cursor and pg-query-stream.
import { createHash } from 'node:crypto';
// @ts-types="@types/pg"
import pg from 'pg';
import { parseStoredJson } from '../exact-json.ts';
import type { CompiledStatement } from './sql.ts';

/** The connection failed: its socket or login failed, or the server closed it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  override readonly cause: Error;
  /** Whether the server may have executed the statements. */
  readonly mayHaveRun: boolean;

  constructor(cause: Error, mayHaveRun: boolean) {
    super(cause.message);
    this.cause = cause;
    this.mayHaveRun = mayHaveRun;
  }
}

/** Whether the server rejected a statement and rolled back its message. */
export const isServerError = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError;

/** Whether the error indicates that a pooler has our prepared statements on another connection. */
export const indicatesTransactionPooler = (error: unknown): boolean =>
  isServerError(error) &&
  (error.code === '26000' ||
    error.code === '42P05' ||
    (error.code === '08P01' && /prepared statement|bind message/.test(error.message)));

/** Whether the server, or a pooler in front of it, closes the connection with this error. */
const endsConnection = (error: pg.DatabaseError): boolean =>
  /^(FATAL|PANIC)$/.test(error.severity ?? '') ||
  (/^08/.test(error.code ?? '') && !indicatesTransactionPooler(error));

/**
 * Whether statements may have run if the server closes the connection instead of sending a first result. Postgres itself has run
 * nothing. A pooler, which reports class 08, may have lost its own connection after the commit, unless it reports that it had none.
 */
const mayHaveRun = ({ code = '', message }: pg.DatabaseError): boolean =>
  /^08/.test(code) && !/query_wait_timeout|cannot connect|login/.test(message);

/** Methods of `pg.Result` that its types do not declare. */
interface RowReader {
  addFields(fields: pg.FieldDef[]): void;
  parseRow(fields: unknown[]): unknown;
}
const Result = pg.Result as unknown as new (rowMode: string, types: pg.CustomTypesConfig) => RowReader;

/** The statements that one connection has prepared. */
export interface PreparedStatements {
  /** Statement texts by name. `pg` adds a text after the server has parsed it. */
  parsed: Record<string, string>;
  /** Row readers by statement name. The empty name has the reader of the last unnamed statement. */
  readers: Map<string, RowReader>;
}

/** Maximum prepared statements of one connection. The functions have fewer statements than this. */
const MAX_PREPARED = 1000;

const names = new Map<string, string>();
/** The name is a hash of the text, so that a pooler cannot confuse statements of different workers. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `placar_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`;
    names.set(text, name);
  }
  return name;
}

const types = new pg.TypeOverrides();
// Dates and timestamps without a time zone are UTC, regardless of the process's time zone. Intervals stay text.
types.setTypeParser(pg.types.builtins.DATE, (text) => new Date(text));
types.setTypeParser(pg.types.builtins.TIMESTAMP, (text) => new Date(`${text}Z`));
types.setTypeParser(pg.types.builtins.INTERVAL, String);
types.setTypeParser(pg.types.builtins.JSON, parseStoredJson);
types.setTypeParser(pg.types.builtins.JSONB, parseStoredJson);

export class Message implements pg.Submittable {
  /** The rows of each statement, in the order of the statements. */
  readonly answer: Promise<unknown[][]>;
  readonly #statements: readonly CompiledStatement[];
  readonly #names: readonly string[];
  readonly #prepared: PreparedStatements;
  readonly #rows: unknown[][] = [];
  #current: unknown[] = [];
  #fault: unknown;
  #resolve: (rows: unknown[][]) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  /** `named`: whether the connection keeps prepared statements. */
  constructor(statements: readonly CompiledStatement[], prepared: PreparedStatements, named: boolean) {
    this.#statements = statements;
    this.#prepared = prepared;
    const keeps = named && prepared.readers.size < MAX_PREPARED;
    this.#names = statements.map(({ text }) => (keeps ? nameOf(text) : ''));
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Name of the statement whose results are arriving. `pg` uses it to record what was parsed. */
  get name(): string {
    return this.#names[this.#rows.length] ?? '';
  }

  get text(): string {
    return this.#statements[this.#rows.length]?.text ?? '';
  }

  submit(connection: pg.Connection): void {
    const parsing = new Set<string>();
    connection.stream.cork();
    this.#statements.forEach(({ text, values }, i) => {
      const name = this.#names[i] ?? '';
      if (name === '' || !(name in this.#prepared.parsed || parsing.has(name))) {
        parsing.add(name);
        connection.parse({ name, text, types: [] }, true);
        connection.describe({ type: 'S', name }, true);
      }
      connection.bind({ statement: name, values }, true);
      connection.execute(null, true);
    });
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    const reader = new Result('', types);
    reader.addFields(fields);
    this.#prepared.readers.set(this.name, reader);
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    try {
      this.#current.push(this.#prepared.readers.get(this.name)?.parseRow(fields));
    } catch (error) {
      // An error thrown here would end the process.
      this.#fault ??= error;
    }
  }

  handleCommandComplete(): void {
    this.#rows.push(this.#current);
    this.#current = [];
  }

  handleReadyForQuery(): void {
    if (this.#fault) this.#reject(this.#fault);
    else this.#resolve(this.#rows);
  }

  handleError(error: Error): void {
    if (isServerError(error) && !endsConnection(error)) {
      // Where the statement was written is more useful than where its response was read.
      const { origin = '' } = this.#statements[this.#rows.length] ?? {};
      error.stack = `${error.name}: ${error.message}\n${origin.replace(/^.*\n/, '')}`;
      this.#reject(error);
    } else {
      const isFirst = this.#rows.length === 0;
      this.#reject(new ConnectionLost(error, !(isFirst && isServerError(error)) || mayHaveRun(error)));
    }
  }
}
