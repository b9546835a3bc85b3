// Parses and builds the messages of the Postgres protocol that proxies need.

/** Types of client messages. */
const BIND = 'B';
const FLUSH = 'H';
const PARSE = 'P';
const QUERY = 'Q';
const SYNC = 'S';
export const EXECUTE = 'E';
export const TERMINATE = 'X';
/** Types of server messages. */
const ERROR = 'E';
export const COMMAND_COMPLETE = 'C';
export const READY_FOR_QUERY = 'Z';

export interface Message {
  /** Empty for the startup message. */
  type: string;
  bytes: Buffer;
}

/** The fields of a server error. */
export interface ErrorFields {
  /** The connection continues after an `ERROR`, and ends after the others. */
  severity: 'ERROR' | 'FATAL' | 'PANIC';
  /** Poolers send codes that are not an SQLSTATE. */
  code: string;
  message: string;
}

/** Splits a stream into messages. `startsBare`: the first message has no type, as that of a client. */
export function createReader(
  onMessage: (message: Message) => void,
  startsBare = false,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = startsBare ? 0 : 1;
  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < end) return;
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = typeBytes ? String.fromCharCode(bytes[0] ?? 0) : '';
      typeBytes = 1;
      onMessage({ type, bytes });
    }
  };
}

function encode(type: string, body: Buffer = Buffer.alloc(0)): Message {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(4 + body.length, 1);
  return { type, bytes: Buffer.concat([head, body]) };
}

/** Encodes texts as in the protocol, each with a trailing zero byte. */
const zeroEnded = (...texts: string[]): Buffer => Buffer.from(texts.map((text) => `${text}\0`).join(''));

export const terminate = encode(TERMINATE);
/** Makes the server execute the preceding messages and respond at their end. */
export const sync = encode(SYNC);
/** Makes the server respond without ending the group, and so without a commit. */
export const flush = encode(FLUSH);
export const query = (text: string): Message => encode(QUERY, zeroEnded(text));
/** A prepared statement without parameters. */
export const bind = (statement: string): Message =>
  encode(BIND, Buffer.concat([zeroEnded('', statement), Buffer.alloc(6)]));
export const errorResponse = ({ severity, code, message }: ErrorFields): Message =>
  encode(ERROR, zeroEnded(`S${severity}`, `V${severity}`, `C${code}`, `M${message}`, ''));

/** Whether the server responds to it with a ReadyForQuery. */
export const endsGroup = ({ type }: Message): boolean => type === SYNC || type === QUERY;

/** The transaction status of a ReadyForQuery: `I` for idle, `T` in a transaction, `E` in a failed one. */
export const statusOf = ({ bytes }: Message): string => String.fromCharCode(bytes[5] ?? 0);

const textsOf = ({ bytes }: Message): string[] => bytes.subarray(5).toString('utf8').split('\0');

/** Startup parameters of a client. */
export const startupOf = ({ bytes }: Message): string[] => bytes.subarray(8).toString('utf8').split('\0');

/** The SQL in messages. */
export const sqlOf = (messages: readonly Message[]): string =>
  messages
    .filter(({ type }) => type === PARSE)
    .map((message) => textsOf(message)[1])
    .join('\n');

/** How many times messages name a prepared statement. */
export const countNames = (messages: readonly Message[]): number =>
  messages.filter((message) => {
    const [first, second] = textsOf(message);
    return (message.type === PARSE && first) || (message.type === BIND && second);
  }).length;
