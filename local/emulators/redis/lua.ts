// Redis scripts: Lua compiled to WebAssembly, with `redis.call`. https://redis.io/docs/latest/develop/programmability/lua-api/
import { createHash } from 'node:crypto';
import { LuaFactory } from 'wasmoon';
import { CommandError, type Reply } from './engine.ts';

/** Runs a command for a script. */
type Call = (name: string, args: Buffer[]) => Reply;

export interface Scripts {
  /** `EVAL`. */
  run(script: string, keys: string[], args: string[]): Reply;
  /** The script with this SHA-1 if it has run before. */
  find(sha: string): string | undefined;
  forget(): void;
  close(): void;
}

type Compiled = (keys: string[], args: string[]) => unknown;

export async function createScripts(call: Call): Promise<Scripts> {
  const lua = await new LuaFactory().createEngine();
  const known = new Map<string, { script: string; compiled: Compiled }>();
  lua.global.set('redis', {
    call(name: string, ...args: unknown[]) {
      const reply = call(
        name,
        args.map((argument) => Buffer.from(String(argument))),
      );
      if (reply instanceof CommandError) throw reply;
      return toLua(reply);
    },
  });

  function compile(script: string): Compiled {
    const sha = createHash('sha1').update(script).digest('hex');
    const compiled: Compiled =
      // Starts on the line of the script's first line, so that line numbers in errors match the script.
      known.get(sha)?.compiled ?? lua.doStringSync(`return function(KEYS, ARGV) ${script}\nend`);
    known.set(sha, { script, compiled });
    return compiled;
  }

  return {
    run(script, keys, args) {
      try {
        return fromLua(compile(script)(keys, args));
      } catch (error) {
        return new CommandError(`ERR ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    find: (sha) => known.get(sha.toLowerCase())?.script,
    forget: () => known.clear(),
    close: () => lua.global.close(),
  };
}

/** Lua has no null: absent values become false. */
function toLua(reply: Reply): unknown {
  if (reply === null) return false;
  if (Buffer.isBuffer(reply)) return reply.toString();
  return Array.isArray(reply) ? reply.map(toLua) : reply;
}

/** Converts like Redis: numbers lose their fraction, true is 1, false and nil are null, a table is its list. */
function fromLua(value: unknown): Reply {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string') return Buffer.from(value);
  if (value === true) return 1;
  return Array.isArray(value) ? value.map(fromLua) : null;
}
