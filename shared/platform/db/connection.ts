// One connection to Postgres.
// @ts-types="@types/pg"
import pg from 'pg';
import type { Address } from '../database-address.ts';
import { ConnectionLost, Message, type PreparedStatements } from './message.ts';
import type { CompiledStatement } from './sql.ts';

export class Connection {
  /** When the pool closes the connection instead of reusing it. */
  retiresAtMs = Number.POSITIVE_INFINITY;
  idleSinceMs = 0;
  readonly #client: pg.Client;
  readonly #prepared: PreparedStatements;
  isOpen = false;

  /** `onLost` is called when the connection is lost while it is idle or in use. */
  constructor(address: Address, onLost: () => void) {
    this.#client = new pg.Client(address);
    this.#client.on('error', onLost);
    this.#client.on('end', onLost);
    const { connection } = this.#client;
    // With TLS, `pg` waits for the underlying TCP socket to end, which Deno does not report.
    connection.once('sslconnect', () => connection.stream.once('close', () => connection.emit('end')));
    // The statements that `pg` knows to be prepared on this connection.
    const { parsedStatements } = connection as unknown as { parsedStatements: Record<string, string> };
    this.#prepared = { parsed: parsedStatements, readers: new Map() };
  }

  /** Connects and logs in. Throws `ConnectionLost`. */
  async open(): Promise<void> {
    await this.#client.connect().catch((error: Error) => {
      throw new ConnectionLost(error, false);
    });
    this.isOpen = true;
  }

  /**
   * Runs the statements in one round trip and, unless one of them begins a longer transaction, in one transaction. Returns the rows of
   * each statement. Throws `ConnectionLost`, or the error of a statement after everything is rolled back.
   */
  send(statements: readonly CompiledStatement[], named: boolean): Promise<unknown[][]> {
    return this.#client.query(new Message(statements, this.#prepared, named)).answer;
  }

  /** Drops the connection. A statement in progress fails with `reason`. */
  destroy(reason?: Error): void {
    this.#client.connection.stream.destroy(reason);
  }

  /** Closes an idle connection gracefully. */
  async close(): Promise<void> {
    await this.#client.end();
  }
}
