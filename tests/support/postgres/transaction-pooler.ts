/**
 * A pooler in transaction mode in front of Postgres: each transaction of a client uses one of a few server connections, in turn.
 * So the prepared statements of a client may be missing on its next connection, or may exist there already.
 *
 * A client logs in to the server itself, on a connection that the pooler keeps if it has too few. The messages of a client
 * are buffered until its Sync: this is a group, one message of our functions. A transaction has one group or several.
 * On request of a test, a fault replaces a login or responses.
 */
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../../../local/ports.ts';
import {
  COMMAND_COMPLETE,
  countNames,
  createReader,
  type ErrorFields,
  EXECUTE,
  endsGroup,
  errorResponse,
  flush,
  type Message,
  query,
  READY_FOR_QUERY,
  sqlOf,
  startupOf,
  statusOf,
  TERMINATE,
} from '../wire/postgres-messages.ts';
import { type Holder, ServerConnection, ServerConnections } from './server-connections.ts';

/** What a client receives before its connection ends. `reset` closes it without a message. */
export type End = ErrorFields | 'reset';

export interface TransactionFault {
  end: End;
  /** The group of the transaction that fails. Default: the first. */
  group?: number;
  /**
   * After how many executed statements it fails, none of which is committed. Default: 0, and the server does not receive the
   * group. `commit`: the server commits, and the fault replaces the last response. An `ERROR` replaces all responses, and comes from
   * the server itself.
   */
  after?: number | 'all' | 'commit';
}

/** Faults of logins and transactions. */
export interface Faults {
  /** Logins are counted from 1. */
  login?(nth: number): End | undefined;
  /** `sql` is what the first group parses. `read-only` prevents the transaction from writing. */
  transaction?(sql: string): TransactionFault | 'read-only' | undefined;
}

export interface TransactionPooler {
  /** Tests can replace them at any time. */
  faults: Faults;
  /** The startup parameters of each client. */
  logins: string[][];
  /** How many times clients named a prepared statement. */
  names: number;
  /** Closes all client connections. */
  drop(): void;
}

/** Starts a pooler in front of the server at this address. Returns the address to use instead. It ends with the test. */
export async function startTransactionPooler(
  address: string,
  { size = 2 } = {},
): Promise<{ pooler: TransactionPooler; url: string }> {
  const url = new URL(address);
  const target = { host: url.hostname, port: Number(url.port) };
  const connections = new ServerConnections(size);
  const clients = new Set<Client>();
  const drop = () => {
    for (const client of clients) client.end('reset');
  };
  const pooler: TransactionPooler = { faults: {}, logins: [], names: 0, drop };
  const server = createServer((socket) => {
    const client = new Client(socket, () => connect(target), connections, pooler);
    clients.add(client);
    socket.on('close', () => clients.delete(client));
  });
  url.port = String(await listen(server));
  onTestFinished(async () => {
    drop();
    connections.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { pooler, url: url.href };
}

class Client implements Holder {
  readonly #socket: Socket;
  readonly #connections: ServerConnections;
  readonly #pooler: TransactionPooler;
  /** The connection on which it is logging in. */
  #login: ServerConnection | undefined;
  #kept: Message[] = [];
  /** State of the transaction in progress. */
  #connection: ServerConnection | undefined;
  #groups = 0;
  #fault: TransactionFault | 'read-only' | undefined;
  /** What happens to a response. */
  receive: (message: Message) => void = () => {};

  constructor(
    socket: Socket,
    connectToServer: () => Socket,
    connections: ServerConnections,
    pooler: TransactionPooler,
  ) {
    this.#socket = socket;
    this.#connections = connections;
    this.#pooler = pooler;
    const read = createReader((message) => {
      if (socket.writableEnded) return;
      if (message.type === '') this.#logIn(message, connectToServer);
      else if (this.#login) this.#login.send(message);
      else this.#take(message);
    }, true);
    socket.setNoDelay(true);
    socket.on('data', read);
    socket.on('error', () => {});
    socket.on('close', () => this.#leave());
  }

  end(how: End): void {
    this.#leave();
    if (how === 'reset') this.#socket.resetAndDestroy();
    else this.#socket.end(errorResponse(how).bytes);
  }

  lost(): void {
    this.end('reset');
  }

  #logIn(startup: Message, connectToServer: () => Socket): void {
    // A request for TLS is shorter than any other startup message.
    if (startup.bytes.length === 8) return void this.#socket.end('N');
    const { faults, logins } = this.#pooler;
    const nth = logins.push(startupOf(startup));
    const fault = faults.login?.(nth);
    if (fault) return void this.end(fault);
    const connection = new ServerConnection(connectToServer());
    connection.holder = this;
    this.receive = ({ type, bytes }) => {
      this.#socket.write(bytes);
      if (type !== READY_FOR_QUERY) return;
      this.#login = undefined;
      this.#connections.add(connection);
    };
    this.#login = connection;
    connection.send(startup);
  }

  #take(message: Message): void {
    if (message.type === TERMINATE) return void this.#socket.end();
    this.#kept.push(message);
    if (!endsGroup(message)) return;
    const group = this.#kept.splice(0);
    this.#pooler.names += countNames(group);
    this.#groups++;
    if (this.#connection) return void this.#send(group, this.#connection);
    this.#fault = this.#pooler.faults.transaction?.(sqlOf(group));
    this.#connections.take(this, (connection) => this.#begin(group, connection));
  }

  #begin(group: Message[], connection: ServerConnection): void {
    this.#connection = connection;
    const isReadOnly = this.#fault === 'read-only';
    if (connection.isReadOnly === isReadOnly) return void this.#send(group, connection);
    connection.isReadOnly = isReadOnly;
    const set = query(`set default_transaction_read_only = ${isReadOnly}`);
    connection.ask([set], () => this.#send(group, connection));
  }

  #send(group: Message[], connection: ServerConnection): void {
    connection.holder = this;
    const fault = typeof this.#fault === 'object' && (this.#fault.group ?? 1) === this.#groups && this.#fault;
    if (fault) this.#sendWith(fault, group, connection);
    else {
      this.receive = (message) => this.#pass(message, connection);
      connection.send(...group);
    }
  }

  #sendWith({ end, after = 0 }: TransactionFault, group: Message[], connection: ServerConnection): void {
    if (end !== 'reset' && end.severity === 'ERROR') {
      this.receive = (message) => this.#pass(message, connection);
      connection.send(raise(end));
    } else if (after === 0) this.end(end);
    else if (after === 'commit') {
      this.receive = (message) => {
        if (message.type === READY_FOR_QUERY) this.end(end);
        else this.#socket.write(message.bytes);
      };
      connection.send(...group);
    } else {
      const statements = group.filter(({ type }) => type === EXECUTE).length;
      let left = after === 'all' ? statements : after;
      this.receive = (message) => {
        this.#socket.write(message.bytes);
        if (message.type === COMMAND_COMPLETE && --left === 0) this.end(end);
      };
      connection.send(...group.slice(0, -1), flush);
    }
  }

  /** Sends the response to the client, and returns the connection after the last one. */
  #pass(message: Message, connection: ServerConnection): void {
    this.#socket.write(message.bytes);
    if (message.type !== READY_FOR_QUERY || statusOf(message) !== 'I') return;
    this.#connection = undefined;
    this.#groups = 0;
    this.#connections.giveBack(connection);
  }

  /** Releases its connection. */
  #leave(): void {
    this.#login?.close();
    this.#login = undefined;
    this.#connections.cancel(this);
    if (this.#connection) this.#connections.reclaim(this.#connection);
    this.#connection = undefined;
  }
}

/** A statement that fails with this error. */
const raise = ({ code, message }: ErrorFields): Message => {
  const text = message.replaceAll("'", "''").replaceAll('%', '%%');
  return query(`do $$ begin raise exception '${text}' using errcode = '${code}'; end $$`);
};
