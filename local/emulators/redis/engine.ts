// Interface of the Redis behind the emulator, in this process or remote.

/** A RESP2 reply: integers as numbers (as text beyond 2^53), strings as bytes, arrays nested. */
export type Reply = null | number | Buffer | CommandError | Reply[];

/** An error reply of Redis, such as `WRONGTYPE ...`. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Redis is unreachable, or the connection failed before the reply. */
export class EngineUnavailableError extends Error {
  override name = 'EngineUnavailableError';
}

/** One command: its name and arguments, as bytes. */
export type Command = [name: Buffer, ...args: Buffer[]];

export interface Engine {
  /** Replies in the order of the commands. Commands of other callers may run in between. */
  pipeline(commands: Command[]): Promise<Reply[]>;
  close(): Promise<void>;
}
