// The Redis commands for request counters: strings and numbers with expiry.
import { CommandError, type Reply } from './engine.ts';

interface Entry {
  value: Buffer;
  /** Unix time in milliseconds. */
  expiresAt?: number;
}

export interface Keyspace {
  /** Runs one command. Redis errors are replies. */
  run(name: string, args: Buffer[]): Reply;
  /** Removes expired keys. Otherwise they are removed on access. */
  sweep(): void;
}

const OK = Buffer.from('OK');
const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

/** Parses a 64-bit integer. Throws a {@link CommandError}. */
function integer(bytes: Buffer | undefined): bigint {
  const text = bytes?.toString() ?? '';
  const value = /^(0|-?[1-9]\d{0,18})$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < LOWEST || value > HIGHEST) {
    throw new CommandError('ERR value is not an integer or out of range');
  }
  return value;
}

/** A number, or text if a number would not be exact. */
const integerReply = (value: bigint): Reply =>
  Number.isSafeInteger(Number(value)) ? Number(value) : Buffer.from(value.toString());

/** Creates an empty keyspace. */
export function createKeyspace(): Keyspace {
  const entries = new Map<string, Entry>();
  const isOver = ({ expiresAt }: Entry) => expiresAt !== undefined && expiresAt <= Date.now();

  function find(key: Buffer): Entry | undefined {
    const entry = entries.get(key.toString());
    if (!entry || !isOver(entry)) return entry;
    entries.delete(key.toString());
    return undefined;
  }

  function add(key: Buffer, amount: bigint): Reply {
    const entry = find(key);
    const sum = (entry ? integer(entry.value) : 0n) + amount;
    if (sum < LOWEST || sum > HIGHEST) {
      throw new CommandError('ERR increment or decrement would overflow');
    }
    entries.set(key.toString(), { ...entry, value: Buffer.from(sum.toString()) });
    return integerReply(sum);
  }

  function expire(key: Buffer, milliseconds: number): Reply {
    const entry = find(key);
    if (!entry) return 0;
    entry.expiresAt = Date.now() + milliseconds;
    return 1;
  }

  /** Each command with its number of arguments. */
  const commands: Record<string, [arity: number, run: (key: Buffer, argument: Buffer) => Reply]> = {
    GET: [1, (key) => find(key)?.value ?? null],
    SET: [
      2,
      (key, value) => {
        entries.set(key.toString(), { value });
        return OK;
      },
    ],
    DEL: [1, (key) => (find(key) && entries.delete(key.toString()) ? 1 : 0)],
    INCR: [1, (key) => add(key, 1n)],
    INCRBY: [2, (key, by) => add(key, integer(by))],
    PEXPIRE: [2, (key, milliseconds) => expire(key, Number(integer(milliseconds)))],
    PTTL: [
      1,
      (key) => {
        const entry = find(key);
        return entry ? (entry.expiresAt === undefined ? -1 : entry.expiresAt - Date.now()) : -2;
      },
    ],
  };

  return {
    run(name, args) {
      const [arity, command] = commands[name.toUpperCase()] ?? [];
      const [key, argument] = args;
      if (!command) return new CommandError(`ERR unknown command '${name}'`);
      if (!key || args.length !== arity) {
        return new CommandError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
      }
      try {
        return command(key, argument ?? Buffer.alloc(0));
      } catch (error) {
        if (error instanceof CommandError) return error;
        throw error;
      }
    },
    sweep() {
      for (const [key, entry] of entries) if (isOver(entry)) entries.delete(key);
    },
  };
}
