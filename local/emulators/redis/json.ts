// Commands and replies as the REST protocol writes them in JSON.
import { type Command, CommandError, type Reply } from './engine.ts';

/** `base64` when the request asks for it with `Upstash-Encoding`: it keeps bytes that are not UTF-8. */
export type Encoding = 'text' | 'base64';

/** The request itself is wrong; nothing was sent to Redis. */
export class RequestError extends Error {
  override name = 'RequestError';
}

/** They would change the state of the connection that all requests share, or never finish. */
const UNAVAILABLE = new Set(
  (
    'AUTH BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN CLIENT DISCARD EXEC HELLO MONITOR MULTI ' +
    'PSUBSCRIBE PUNSUBSCRIBE QUIT RESET SELECT SHUTDOWN SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE UNWATCH WATCH'
  ).split(' '),
);

/** `["SET", "key", 1]` as a command. Throws {@link RequestError}. */
export function parseCommand(body: unknown): Command {
  if (!Array.isArray(body)) throw new RequestError('ERR a command must be an array');
  const [name, ...args] = body.map(toBytes);
  if (!name || name.length === 0) throw new RequestError('ERR empty command');
  return [name, ...args];
}

/** An array of commands, of a pipeline or a transaction. Throws {@link RequestError}. */
export function parseCommands(body: unknown): Command[] {
  if (!Array.isArray(body)) throw new RequestError('ERR commands must be an array of arrays');
  return body.map(parseCommand);
}

/** The error that answers a command which the REST protocol does not offer. */
export function findRefusal([name]: Command): CommandError | undefined {
  if (!UNAVAILABLE.has(name.toString().toUpperCase())) return undefined;
  return new CommandError(`ERR Command is not available: '${name}'`);
}

function toBytes(argument: unknown): Buffer {
  if (typeof argument === 'string') return Buffer.from(argument);
  return Buffer.from(JSON.stringify(argument));
}

/** A reply as JSON: numbers and null as they are, strings in the encoding asked for. */
export function encodeReply(reply: Reply, encoding: Encoding): unknown {
  // The client takes a lone "OK" as it is, but decodes every string that stands in an array.
  if (Buffer.isBuffer(reply) && reply.toString('latin1') === 'OK') return 'OK';
  return encodeNested(reply, encoding);
}

function encodeNested(reply: Reply, encoding: Encoding): unknown {
  if (reply === null || typeof reply === 'number') return reply;
  if (reply instanceof CommandError) return encodeNested(Buffer.from(reply.message), encoding);
  if (Array.isArray(reply)) return reply.map((item) => encodeNested(item, encoding));
  return encoding === 'base64' ? reply.toString('base64') : reply.toString();
}
