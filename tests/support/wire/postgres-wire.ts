/**
 * A proxy in front of Postgres that parses the protocol, counts how often a client waits for a response, and can stop it at any
 * of these points.
 *
 * The unit is an exchange: everything that a client sends up to the end of a transaction, or of a statement outside of one,
 * and the complete response. The protocol marks the end itself, with ReadyForQuery in state "idle", so no clock is
 * involved. That an exchange is a single round trip is not measured but enforced: while the proxy watches, it forwards no
 * byte of a response before the exchange is complete. A client that sends its statements together does not notice.
 * A client that waits for a response before it sends the rest of its transaction hangs, and `standstill` reports where.
 *
 * How often a caller waits is enforced in the same way: responses from the nth exchange on are held back until the caller has
 * its response. If it receives one, it waited for fewer than n exchanges.
 *
 * A busy machine makes this slower but does not change the numbers. Only a client that hangs is detected by elapsed time,
 * which is that of `waitFor`.
 */
import { connect, createServer, type Socket } from 'node:net';
import { createReader, type Message, READY_FOR_QUERY } from './postgres-messages.ts';

export interface Gates {
  /** Whether the requests of the nth exchange, counted from 1, are sent to the server. Otherwise they are held back. */
  ask?: (nth: number) => boolean;
  /** Whether the complete responses of the nth exchange are sent to the client. Otherwise they are held back. */
  answer?: (nth: number) => boolean;
  /** Called at the first request of each exchange. */
  onAsked?: () => void;
}

export interface PostgresWire {
  port: number;
  /** Resets the counter, and forwards what these gates allow. Gates that are not given are open. */
  watch(gates?: Gates): void;
  /** Checks the gates again, whose result may depend on something that has happened since. */
  recheck(): void;
  /** Forwards everything that was held back, and everything from now on, as a plain proxy does. */
  open(): void;
  /** Closes all connections and refuses new ones. */
  cut(): void;
  /** Closes all connections. */
  drop(): void;
  /** Exchanges that clients have begun since `watch`. */
  asked(): number;
  /** Whether the server has responded to all of them. */
  settled(): boolean;
  /** What is held back. */
  standstill(): string[];
  close(): Promise<void>;
}

interface Exchange {
  /** 0 if it began while nobody watched. */
  nth: number;
  /** A readable summary of the client's messages. */
  text: string;
  requests: Buffer[];
  answers: Buffer[];
  state: 'asking' | 'open' | 'answered';
}

/** States of a connection: before its first ReadyForQuery, and outside of a transaction as this message reports. */
const CONNECTING = 'connecting';
const IDLE = 'I';

export async function startPostgresWire(target: { host: string; port: number }): Promise<PostgresWire> {
  let watching = false;
  let gates: Gates = {};
  let asked = 0;
  let refusing = false;
  const lines = new Set<Line>();

  const server = createServer((client) => {
    if (refusing) return void client.destroy();
    const line = createLine(client, connect(target), {
      begin: () => {
        if (!watching) return 0;
        asked++;
        gates.onAsked?.();
        return asked;
      },
      mayAsk: (nth) => !watching || nth === 0 || (gates.ask?.(nth) ?? true),
      mayAnswer: (nth) => !watching || nth === 0 || (gates.answer?.(nth) ?? true),
      isWatched: (nth) => watching && nth > 0,
      onEnd: () => void lines.delete(line),
    });
    lines.add(line);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();

  const recheck = () => {
    for (const line of lines) line.flush();
  };
  const end = () => {
    for (const line of lines) line.end();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    watch(given = {}) {
      [watching, gates, asked] = [true, given, 0];
    },
    recheck,
    open() {
      watching = false;
      recheck();
    },
    cut() {
      refusing = true;
      end();
    },
    drop: end,
    asked: () => asked,
    settled: () => [...lines].every((line) => line.settled()),
    standstill: () => [...lines].flatMap((line) => line.standstill()),
    async close() {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Rules {
  begin(): number;
  mayAsk(nth: number): boolean;
  mayAnswer(nth: number): boolean;
  isWatched(nth: number): boolean;
  onEnd(): void;
}

interface Line {
  flush(): void;
  end(): void;
  settled(): boolean;
  standstill(): string[];
}

/** One client connection, and the proxy's connection to the server. */
function createLine(client: Socket, upstream: Socket, rules: Rules): Line {
  const exchanges: Exchange[] = [];
  let status = CONNECTING;
  /** Expected ReadyForQuery messages. The startup expects one. */
  let unanswered = 1;

  const begin = (): Exchange => {
    const exchange: Exchange = { nth: rules.begin(), text: '', requests: [], answers: [], state: 'asking' };
    exchanges.push(exchange);
    return exchange;
  };
  const current = () => exchanges.find(({ state }) => state !== 'answered');

  const fromClient = ({ type, bytes }: Message): void => {
    if (status === CONNECTING) {
      // Every client waits for each step of the startup, so these steps cannot be held back together.
      if (type === PASSWORD) rules.begin();
      upstream.write(bytes);
      return;
    }
    const exchange = current() ?? begin();
    if (type === QUERY || type === SYNC) unanswered++;
    if (type === QUERY || type === PARSE) exchange.text ||= textOf(bytes);
    exchange.requests.push(bytes);
    flush();
  };
  const fromServer = ({ type, bytes }: Message): void => {
    const exchange = current();
    if (type === READY_FOR_QUERY) {
      unanswered--;
      status = String.fromCharCode(bytes[5] ?? 0);
    }
    if (!exchange) return void client.write(bytes);
    exchange.answers.push(bytes);
    if (type === READY_FOR_QUERY && status === IDLE) exchange.state = 'answered';
    flush();
    // A client that sent two transactions together has already requested the second one.
    if (exchange.state === 'answered' && unanswered > 0 && !current()) begin().state = 'open';
  };
  const flush = (): void => {
    for (const exchange of [...exchanges]) {
      if (exchange.state === 'asking' && rules.mayAsk(exchange.nth)) exchange.state = 'open';
      if (exchange.state !== 'asking') for (const bytes of exchange.requests.splice(0)) upstream.write(bytes);
      const whole = exchange.state === 'answered';
      if (rules.isWatched(exchange.nth) && !(whole && rules.mayAnswer(exchange.nth))) return;
      for (const bytes of exchange.answers.splice(0)) client.write(bytes);
      if (!whole) return;
      exchanges.shift();
    }
  };
  const standstill = (): string[] =>
    exchanges.slice(0, 1).map(({ nth, text, state }) => {
      if (state === 'asking') return `exchange ${nth} (${text}) is kept from the server`;
      if (state === 'answered') return `the answer of exchange ${nth} (${text}) is kept`;
      if (unanswered > 0) return `exchange ${nth} (${text}) is with the server`;
      return `exchange ${nth} (${text}) has an answer in the middle of its transaction, and the client waits for it`;
    });
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };

  const clientMessages = createReader(fromClient, true);
  const serverMessages = createReader(fromServer);
  client.setNoDelay(true);
  upstream.setNoDelay(true);
  // The startup counts as an exchange like any other.
  rules.begin();
  client.on('data', clientMessages);
  upstream.on('data', serverMessages);
  for (const socket of [client, upstream]) {
    socket.on('error', end);
    socket.on('close', () => {
      end();
      rules.onEnd();
    });
  }
  return {
    flush,
    end,
    settled: () => exchanges.every(({ state }) => state === 'answered') && unanswered === 0,
    standstill,
  };
}

const QUERY = 'Q';
const PARSE = 'P';
const SYNC = 'S';
const PASSWORD = 'p';

/** The beginning of the SQL of a statement. A Parse has a name before that. */
function textOf(bytes: Buffer): string {
  const fields = bytes.subarray(5).toString('utf8').split('\0');
  const text = bytes[0] === PARSE.charCodeAt(0) ? fields[1] : fields[0];
  return (text ?? '').replaceAll(/\s+/g, ' ').slice(0, 80);
}
