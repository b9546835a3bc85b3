// Server connections of a pooler.
import type { Socket } from 'node:net';
import {
  bind,
  createReader,
  endsGroup,
  type Message,
  query,
  READY_FOR_QUERY,
  statusOf,
  sync,
  terminate,
} from '../wire/postgres-messages.ts';

/** The owner of a connection: receives its messages, and is notified when it is lost. */
export interface Holder {
  receive(message: Message): void;
  lost(): void;
}

const NOBODY: Holder = { receive() {}, lost() {} };

export class ServerConnection {
  holder: Holder = NOBODY;
  isReadOnly = false;
  readonly #socket: Socket;
  /** Groups of messages without a complete response. The login is one of them. */
  #unanswered = 1;

  constructor(socket: Socket) {
    this.#socket = socket;
    const read = createReader((message) => {
      if (message.type === READY_FOR_QUERY) this.#unanswered--;
      this.holder.receive(message);
    });
    socket.setNoDelay(true);
    socket.on('data', read);
    socket.on('error', () => {});
    socket.on('close', () => this.holder.lost());
  }

  send(...messages: readonly Message[]): void {
    this.#unanswered += messages.filter(endsGroup).length;
    for (const { bytes } of messages) this.#socket.write(bytes);
  }

  /** Sends messages whose responses no client sees. `then` receives the status of the transaction at the end. */
  ask(messages: readonly Message[], then: (status: string) => void): void {
    const { lost } = this.holder;
    const receive = (message: Message) => {
      if (message.type === READY_FOR_QUERY && this.#unanswered === 0) then(statusOf(message));
    };
    this.holder = { receive, lost };
    this.send(...messages);
  }

  onClose(then: () => void): void {
    this.#socket.on('close', then);
  }

  /** Ends it as a client does. */
  close(): void {
    this.#socket.end(terminate.bytes);
  }
}

/** A few connections. The one that has been idle longest is used first. */
export class ServerConnections {
  readonly #size: number;
  readonly #all = new Set<ServerConnection>();
  readonly #idle: ServerConnection[] = [];
  /** Clients that wait for a connection, and what to do when the last one is lost. */
  readonly #waiting = new Map<Holder, (connection: ServerConnection) => void>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Adds a connection that is logged in, or closes it if there are enough. */
  add(connection: ServerConnection): void {
    connection.holder = NOBODY;
    if (this.#all.size >= this.#size) {
      connection.close();
      return;
    }
    this.#all.add(connection);
    connection.onClose(() => this.#remove(connection));
    this.giveBack(connection);
  }

  take(holder: Holder, then: (connection: ServerConnection) => void): void {
    this.#waiting.set(holder, then);
    this.#serve();
  }

  /** Removes a waiting client. */
  cancel(holder: Holder): void {
    this.#waiting.delete(holder);
  }

  giveBack(connection: ServerConnection): void {
    connection.holder = NOBODY;
    this.#idle.push(connection);
    this.#serve();
  }

  /** Takes back a connection in the middle of a transaction, which the server rolls back. */
  reclaim(connection: ServerConnection): void {
    connection.holder = NOBODY;
    const goOn = (status: string) => {
      if (status === 'I') this.giveBack(connection);
      else connection.ask([query('rollback')], goOn);
    };
    // This statement does not exist: the error rolls back everything without a Sync.
    connection.ask([bind('none'), sync], goOn);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #serve(): void {
    const [next] = this.#waiting;
    const connection = next && this.#idle.shift();
    if (!next || !connection) return;
    const [holder, then] = next;
    this.#waiting.delete(holder);
    connection.holder = holder;
    then(connection);
  }

  #remove(connection: ServerConnection): void {
    this.#all.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
    // The next login opens another one.
    if (this.#all.size === 0) for (const holder of this.#waiting.keys()) holder.lost();
  }
}
