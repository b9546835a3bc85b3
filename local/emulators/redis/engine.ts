// What the emulator needs from a Redis, whether it runs in this process or elsewhere.

/** A RESP2 reply: integers as numbers (as text beyond 2^53), strings as bytes, arrays nested. */
export type Reply = null | number | Buffer | CommandError | Reply[];

/** An error that Redis itself answered, such as `WRONGTYPE ...`. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Redis could not be reached, or the connection broke before the answer came. */
export class EngineUnavailableError extends Error {
  override name = 'EngineUnavailableError';
}

/** One command: its name and arguments, as bytes. */
export type Command = [name: Buffer, ...args: Buffer[]];

export interface Engine {
  /** Replies in the order of the commands; other callers' commands may run in between. */
  pipeline(commands: Command[]): Promise<Reply[]>;
  close(): Promise<void>;
}
