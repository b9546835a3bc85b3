// The pool of database connections of one worker.

import { unref } from '../background.ts';
import { addConnectionWait } from '../connection-waits.ts';
import type { Address } from '../database-address.ts';
import { ApiError, type Effect } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { Connection } from './connection.ts';
import { type ConnectionQueueOptions, createConnectionQueue, type Requester } from './connection-queue.ts';
import { LoginBackoff } from './login-backoff.ts';
import { ConnectionLost, isServerError } from './message.ts';
import { asUnavailable } from './unavailable.ts';

interface PoolOptions extends ConnectionQueueOptions {
  address: Address;
  size: number;
  /** Maximum duration of `use` in milliseconds, including the wait for a connection. */
  timeoutMs: number;
  log: Logger;
}

export interface Pool {
  /**
   * Runs the work with a connection. Throws `DatabaseUnavailable` if the database is unreachable or does not respond, and 429 if the
   * tenant has too many requests in progress. `ifLost` is the work's possible effect if its response is lost.
   */
  use<T>(work: (connection: Connection) => Promise<T>, ifLost: Effect, requester: Requester): Promise<T>;
  close(): Promise<void>;
}

/** An idle connection is closed when it has been idle for this time, at the latest after twice this time. */
const IDLE_MS = 20_000;

/**
 * A connection is closed at a random age between this time and twice this time, because its server process accumulates plans and
 * catalog entries.
 */
const LIFETIME_MS = 30 * 60_000;

export function createPool({ address, size, timeoutMs, log, ...share }: PoolOptions): Pool {
  const idle: Connection[] = [];
  const queue = createConnectionQueue<Connection>(share);
  const all = new Set<Connection>();
  const loginBackoff = new LoginBackoff(log);

  const open = (): Connection => {
    const connection = new Connection(address, () => discard(connection));
    connection.retiresAtMs = performance.now() + LIFETIME_MS * (1 + Math.random());
    all.add(connection);
    return connection;
  };
  const serve = (): void => {
    while ((idle.length > 0 || all.size < size) && queue.serve(() => idle.pop() ?? open())) {}
  };
  /** Takes a connection out of the pool. */
  const remove = (connection: Connection): void => {
    all.delete(connection);
    const index = idle.indexOf(connection);
    if (index >= 0) idle.splice(index, 1);
  };
  const discard = (connection: Connection): void => {
    connection.destroy();
    remove(connection);
    serve();
  };
  const retire = (connection: Connection): void => {
    remove(connection);
    void connection.close();
  };
  const giveBack = (connection: Connection): void => {
    if (!all.has(connection)) return;
    connection.idleSinceMs = performance.now();
    if (connection.idleSinceMs > connection.retiresAtMs) retire(connection);
    else idle.push(connection);
  };
  const closing = setInterval(() => {
    const beforeMs = performance.now() - IDLE_MS;
    for (const connection of idle.filter(({ idleSinceMs }) => idleSinceMs < beforeMs)) retire(connection);
  }, IDLE_MS);
  unref(closing);
  const connect = async (connection: Connection): Promise<void> => {
    try {
      loginBackoff.check();
      await connection.open();
      loginBackoff.connected();
    } catch (error) {
      if (error instanceof ConnectionLost) loginBackoff.failed(error.cause);
      discard(connection);
      throw error;
    }
  };
  const run = async <T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (!connection.isOpen) await connect(connection);
    try {
      return await work(connection);
    } catch (error) {
      // After any other error the state of the connection is unknown.
      if (!isServerError(error) && !(error instanceof ApiError)) discard(connection);
      throw error;
    }
  };

  return {
    async use(work, ifLost, requester) {
      const { connection: waiting, cancel } = queue.join(requester);
      let onTimeout = (timeout: Error) => cancel(new ConnectionLost(timeout, false));
      const timer = setTimeout(() => onTimeout(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
      const startedMs = performance.now();
      serve();
      try {
        const connection = await waiting;
        onTimeout = (timeout) => connection.destroy(timeout);
        try {
          return await run(connection, (open) => {
            addConnectionWait(performance.now() - startedMs);
            return work(open);
          });
        } finally {
          queue.release(requester);
          giveBack(connection);
          serve();
        }
      } catch (error) {
        throw asUnavailable(error, ifLost);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      clearInterval(closing);
      await Promise.all([...all].map((connection) => connection.close()));
    },
  };
}
