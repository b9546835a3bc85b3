/**
 * A proxy before Postgres that reads the protocol, counts how often a client waits for an answer, and stops it at any of
 * these points.
 *
 * What is counted are exchanges: what a client sends up to the end of a transaction, or of a statement outside of one,
 * and all that it is answered. The protocol marks the end itself, with ReadyForQuery in state "idle", so no clock has a
 * part in it. That an exchange is one round trip and not several is not measured but enforced: while the proxy watches, no
 * byte of an answer is passed on before the exchange is over. A client that sends its statements together does not notice;
 * one that waits for an answer before it sends the rest of its transaction waits for ever, and `standstill` says where.
 *
 * How often a caller waits is enforced in the same way: answers from the nth exchange on are kept until the caller has
 * been answered. If that happens, it waited for fewer than n.
 *
 * A busy machine makes all this slower and changes no number. Only a client that does wait is found by the passing of time,
 * and then by that of `waitFor`.
 */
import { connect, createServer, type Socket } from 'node:net';
import { createReader, type Message, READY_FOR_QUERY } from './postgres-messages.ts';

export interface Gates {
  /** Whether the nth exchange's requests go to the server, counted from 1; otherwise they are kept. */
  ask?: (nth: number) => boolean;
  /** Whether the nth exchange's answers, which are complete, go to the client; otherwise they are kept. */
  answer?: (nth: number) => boolean;
  /** Told of each exchange as its first request comes. */
  onAsked?: () => void;
}

export interface PostgresWire {
  port: number;
  /** Counts from 1 again, and passes on what these gates let through; all of them are open when left out. */
  watch(gates?: Gates): void;
  /** Asks the gates again: what they say may depend on something that has happened since. */
  recheck(): void;
  /** Passes on what was kept and everything from now on, as a plain proxy does. */
  open(): void;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Ends every connection. */
  drop(): void;
  /** Exchanges that clients have begun since `watch`. */
  asked(): number;
  /** Whether the server has answered all of them. */
  settled(): boolean;
  /** What is kept from being passed on. */
  standstill(): string[];
  close(): Promise<void>;
}

interface Exchange {
  /** 0 when nobody watched as it began. */
  nth: number;
  /** What the client says of it, for people. */
  text: string;
  requests: Buffer[];
  answers: Buffer[];
  state: 'asking' | 'open' | 'answered';
}

/** States of a connection: before its first ReadyForQuery, and outside of a transaction as that message says it. */
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

/** One connection of a client, and the proxy's to the server. */
function createLine(client: Socket, upstream: Socket, rules: Rules): Line {
  const exchanges: Exchange[] = [];
  let status = CONNECTING;
  /** Requests for ReadyForQuery that the server has not answered; the start of a connection is one. */
  let unanswered = 1;

  const begin = (): Exchange => {
    const exchange: Exchange = { nth: rules.begin(), text: '', requests: [], answers: [], state: 'asking' };
    exchanges.push(exchange);
    return exchange;
  };
  const current = () => exchanges.find(({ state }) => state !== 'answered');

  const fromClient = ({ type, bytes }: Message): void => {
    if (status === CONNECTING) {
      // Each step of a connection's start is awaited, whoever the client is; none of them can be held together.
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
    // A client that sent two transactions together asked for the second one by now.
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
  // The start of a connection is awaited as any other exchange.
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

/** The beginning of a statement's text; a Parse names it before that. */
function textOf(bytes: Buffer): string {
  const fields = bytes.subarray(5).toString('utf8').split('\0');
  const text = bytes[0] === PARSE.charCodeAt(0) ? fields[1] : fields[0];
  return (text ?? '').replaceAll(/\s+/g, ' ').slice(0, 80);
}
