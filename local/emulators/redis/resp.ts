// RESP2, the wire format of Redis: https://redis.io/docs/latest/develop/reference/protocol-spec/
import { type Command, CommandError, type Reply } from './engine.ts';

const CRLF = Buffer.from('\r\n');

/** Encodes a command as an array of bulk strings. */
export function encodeCommand(command: Command): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${command.length}\r\n`)];
  for (const argument of command) parts.push(Buffer.from(`$${argument.length}\r\n`), argument, CRLF);
  return Buffer.concat(parts);
}

/** Parses replies from a stream of bytes. */
export class ReplyParser {
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Returns the replies completed by this chunk. Throws if the bytes are not RESP2. */
  push(chunk: Buffer): Reply[] {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    const replies: Reply[] = [];
    let complete = 0;
    for (;;) {
      const reply = this.#read();
      if (reply === undefined) break;
      replies.push(reply);
      complete = this.#at;
    }
    this.#buffer = this.#buffer.subarray(complete);
    this.#at = 0;
    return replies;
  }

  /** The next reply, or undefined if it is incomplete. */
  #read(): Reply | undefined {
    const line = this.#readLine();
    if (line === undefined) return undefined;
    const rest = line.slice(1);
    switch (line[0]) {
      case '+':
        return Buffer.from(rest, 'latin1');
      case '-':
        return new CommandError(Buffer.from(rest, 'latin1').toString());
      case ':':
        return Number.isSafeInteger(Number(rest)) ? Number(rest) : Buffer.from(rest);
      case '$':
        return this.#readBulk(Number(rest));
      case '*':
        return this.#readArray(Number(rest));
      default:
        throw new Error(`not a RESP2 reply: ${JSON.stringify(line.slice(0, 40))}`);
    }
  }

  #readLine(): string | undefined {
    const end = this.#buffer.indexOf(CRLF, this.#at);
    if (end === -1) return undefined;
    const line = this.#buffer.toString('latin1', this.#at, end);
    this.#at = end + CRLF.length;
    return line;
  }

  #readBulk(length: number): Buffer | null | undefined {
    if (length === -1) return null;
    const end = this.#at + length;
    if (this.#buffer.length < end + CRLF.length) return undefined;
    const bytes = this.#buffer.subarray(this.#at, end);
    this.#at = end + CRLF.length;
    return bytes;
  }

  #readArray(length: number): Reply[] | null | undefined {
    if (length === -1) return null;
    const items: Reply[] = [];
    for (let index = 0; index < length; index++) {
      const item = this.#read();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }
}
