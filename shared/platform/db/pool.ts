// The connections of one worker, and what it means that the database is away.
import { Socket, type SocketConstructorOpts } from 'node:net';
import postgres from 'postgres';
import { unref } from '../timers.ts';
import { createDeadlines, DeadlinePassed } from './deadlines.ts';
import { createLine, type Taker } from './line.ts';
import { surviveLostConnections } from './lost-connections.ts';
import { asUnavailable, databaseAway, type Effect, leavesConnection } from './unavailable.ts';

export type Connection = postgres.ReservedSql;

export interface PoolOptions {
  /** Port 6543 (a transaction pooler) turns prepared statements off. */
  url: string;
  size: number;
  /** Longest that `use` takes, waiting for a connection included, in milliseconds. */
  timeoutMs: number;
  /** Connections of one tenant at a time. */
  perTenant: number;
  /** How long a tenant's request waits for one of these, in milliseconds. */
  tenantWaitMs: number;
}

/** postgres.js types a JSON parameter by its column; a text given for one is JSON already and goes out as it is. */
export const jsonType = {
  to: 3802,
  from: [114, 3802],
  serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
  parse: (text: string) => JSON.parse(text) as unknown,
};

/** How long a connection waits for work before it is closed. */
const IDLE_MS = 20_000;

/**
 * How long a connection is used, up to twice: a backend keeps plans and catalogue entries until it ends. The library's own lifetime
 * passes over connections that are reserved.
 */
const LIFETIME_MS = 30 * 60_000;

/** Bytes of a statement that leave without waiting; a batch of 1000 activities with data is some megabytes. */
const SEND_BUFFER_BYTES = 16 * 1024 * 1024;

/**
 * A socket that takes large statements at once. With the default buffer postgres.js holds back the statements behind a
 * large one until it was answered, and the transaction waits on the network more often.
 */
function openSocket({ host, port }: { host: string[]; port: number[] }): Promise<Socket> {
  // Passed on to the stream; the types of Node leave it out.
  const socket = new Socket({ writableHighWaterMark: SEND_BUFFER_BYTES } as SocketConstructorOpts);
  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      socket.off('error', reject);
      // Statements are sent one right after the other; none of them shall wait for the first one's acknowledgement.
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  });
}

/** A connection, for as long as it lasts. */
interface Client {
  sql: postgres.Sql;
  /** Rejects when the connection is over. Uses do not wait for it: it would remember each, with its result, until then. */
  closed: Promise<never>;
  /** Why the connection is over, once it is. */
  over?: Error;
  /** Told when the connection is over while somebody has it. */
  onOver?: ((reason: Error) => void) | undefined;
  /** The connection once it is made, reserved for good: the client has no other, and reserving anew costs as much as a short read. */
  connection?: Connection;
  /** When it is closed instead of given to anybody else. */
  retiresAtMs: number;
  /** Since when nobody has it. */
  idleSinceMs?: number;
}

/**
 * A client of one connection, which is made once. postgres.js would make it again, but what it had begun to send is then
 * mixed into the new one, which hangs until it times out; and its own pool keeps a reservation that failed in line, and
 * later gives it a connection that nobody returns.
 */
function createClient(url: string, timeoutMs: number): Client {
  let end: (reason: Error) => void = () => {};
  const closed = new Promise<never>((_, reject) => {
    end = reject;
  });
  const options = {
    max: 1,
    prepare: new URL(url).port !== '6543',
    // The pool closes idle connections itself: one that closes by itself could do so just as it is taken.
    idle_timeout: 0,
    // Whoever waits for it has a deadline already; a database far away takes seconds to let somebody in.
    connect_timeout: Math.ceil(timeoutMs / 1000),
    // Costs one wait, and cannot be left out: without it a reservation of a new connection never comes to be.
    fetch_types: true,
    types: { json: jsonType },
    onnotice: () => {},
    connection: { application_name: 'placar' },
    socket: async (address: { host: string[]; port: number[] }) => {
      const socket = await openSocket(address);
      socket.once('close', () =>
        end(Object.assign(new Error('connection closed'), { code: 'CONNECTION_CLOSED' })),
      );
      return socket;
    },
  };
  const retiresAtMs = performance.now() + LIFETIME_MS * (1 + Math.random());
  const client: Client = { sql: postgres(url, options), closed, retiresAtMs };
  closed.catch((reason: Error) => {
    client.over = reason;
    client.onOver?.(reason);
  });
  return client;
}

export interface Pool {
  /**
   * Gives a connection to the work, and throws `DatabaseUnavailable` when the database is away or does not answer, or 429
   * when the tenant has too much under way. `ifLost` is what work that began may have done when its answer is lost: nothing
   * where it only reads.
   */
  use<T>(work: (connection: Connection) => Promise<T>, ifLost: Effect, taker: Taker): Promise<T>;
  close(): Promise<void>;
}

export function createPool({ url, size, timeoutMs, perTenant, tenantWaitMs }: PoolOptions): Pool {
  surviveLostConnections();
  const idle: Client[] = [];
  const line = createLine<Client>({ perTenant, waitMs: tenantWaitMs });
  const deadlines = createDeadlines(timeoutMs);
  const clients = new Set<Client>();
  /** Closes what is idle for too long; runs while something is idle. */
  let closing: ReturnType<typeof setTimeout> | undefined;

  const open = (): Client => {
    const client = createClient(url, timeoutMs);
    clients.add(client);
    client.closed.catch(() => discard(client));
    return client;
  };
  const serve = (): void => {
    while ((idle.length > 0 || clients.size < size) && line.serve(take)) {}
  };
  const take = (): Client => idle.pop() ?? open();
  const closeLater = (ms: number): void => {
    closing = setTimeout(() => {
      closing = undefined;
      closeIdle();
    }, ms);
    unref(closing);
  };
  const closeIdle = (): void => {
    // Whoever waits longest lies at the bottom.
    for (let longest = idle[0]; longest; longest = idle[0]) {
      const leftMs = (longest.idleSinceMs ?? 0) + IDLE_MS - performance.now();
      if (leftMs > 0) {
        closeLater(leftMs);
        break;
      }
      discard(longest);
    }
  };
  const giveBack = (client: Client): void => {
    const nowMs = performance.now();
    if (nowMs > client.retiresAtMs) discard(client);
    if (clients.has(client)) {
      client.idleSinceMs = nowMs;
      idle.push(client);
      if (closing === undefined) closeLater(IDLE_MS);
    }
    serve();
  };
  // A connection that is over, failed or does not answer is not given to anybody else.
  const discard = (client: Client): void => {
    if (!clients.delete(client)) return;
    const place = idle.indexOf(client);
    if (place >= 0) idle.splice(place, 1);
    void client.sql.end({ timeout: 0 });
    serve();
  };

  return {
    async use(work, ifLost, taker) {
      let effect: Effect = 'none';
      const deadline = deadlines.start();
      const place = line.join(taker);
      serve();
      let client: Client | undefined;
      let intact = false;
      try {
        client = await Promise.race([place.connection, deadline.expired]);
        if (client.over) throw client.over;
        client.onOver = deadline.fail;
        client.connection ??= await Promise.race([client.sql.reserve(), deadline.expired]);
        effect = ifLost;
        const result = await Promise.race([work(client.connection), deadline.expired]);
        intact = true;
        return result;
      } catch (error) {
        if (error instanceof DeadlinePassed) throw databaseAway(error, effect);
        intact = leavesConnection(error);
        throw asUnavailable(error, effect);
      } finally {
        deadline.clear();
        if (client) client.onOver = undefined;
        place.giveUp();
        const free = (given: Client) => {
          line.free(taker);
          giveBack(given);
        };
        if (!client) place.connection.then(free, () => {});
        else {
          if (!intact) discard(client);
          free(client);
        }
      }
    },
    async close() {
      clearTimeout(closing);
      await Promise.all([...clients].map(({ sql }) => sql.end({ timeout: 5 })));
    },
  };
}
