// Commands and replies in the JSON of the REST protocol.
import { type Command, CommandError, type Reply } from './engine.ts';

/** `base64` if the request has `Upstash-Encoding`, which preserves bytes that are not UTF-8. */
export type Encoding = 'text' | 'base64';

/** The request is invalid. Nothing was sent to Redis. */
export class RequestError extends Error {
  override name = 'RequestError';
}

/** Parses `["SET", "key", 1]`. */
function parseCommand(body: unknown): Command {
  if (!Array.isArray(body)) throw new RequestError('ERR a command must be an array');
  const [name, ...args] = body.map(toBytes);
  if (!name || name.length === 0) throw new RequestError('ERR empty command');
  return [name, ...args];
}

/** Parses a pipeline. Throws {@link RequestError}. */
export function parseCommands(body: unknown): Command[] {
  if (!Array.isArray(body)) throw new RequestError('ERR commands must be an array of arrays');
  return body.map(parseCommand);
}

function toBytes(argument: unknown): Buffer {
  if (typeof argument === 'string') return Buffer.from(argument);
  return Buffer.from(JSON.stringify(argument));
}

/** A reply as JSON: numbers and null unchanged, strings in the requested encoding. */
export function encodeReply(reply: Reply, encoding: Encoding): unknown {
  // The client does not decode a single "OK", but decodes every string within an array.
  if (Buffer.isBuffer(reply) && reply.toString('latin1') === 'OK') return 'OK';
  return encodeNested(reply, encoding);
}

function encodeNested(reply: Reply, encoding: Encoding): unknown {
  if (reply === null || typeof reply === 'number') return reply;
  if (reply instanceof CommandError) return encodeNested(Buffer.from(reply.message), encoding);
  if (Array.isArray(reply)) return reply.map((item) => encodeNested(item, encoding));
  return encoding === 'base64' ? reply.toString('base64') : reply.toString();
}
