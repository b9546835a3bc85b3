// An in-process Redis with the commands and scripts that `@upstash/ratelimit` uses.
import { type Command, CommandError, type Engine, type Reply } from './engine.ts';
import { createKeyspace, type Keyspace } from './keyspace.ts';
import { createScripts, type Scripts } from './lua.ts';

const SWEEP_EVERY_MS = 60_000;

/** An empty in-memory Redis. Commands and scripts run one at a time. */
export async function createInProcessEngine(): Promise<Engine> {
  const keyspace = createKeyspace();
  const scripts = await createScripts(keyspace.run);
  const sweeping = setInterval(() => keyspace.sweep(), SWEEP_EVERY_MS).unref();
  return {
    pipeline: async (commands) => commands.map((command) => execute(command, keyspace, scripts)),
    async close() {
      clearInterval(sweeping);
      scripts.close();
    },
  };
}

/** Runs a command, or a script, whose commands `scripts` runs. */
export function execute([bytes, ...args]: Command, keyspace: Keyspace, scripts: Scripts): Reply {
  const name = bytes.toString();
  switch (name.toUpperCase()) {
    case 'EVAL':
      return evaluate(scripts, args[0]?.toString(), args.slice(1));
    case 'EVALSHA':
      return evaluate(scripts, scripts.find(args[0]?.toString() ?? ''), args.slice(1));
    case 'SCRIPT':
      if (args[0]?.toString().toUpperCase() !== 'FLUSH') return new CommandError('ERR unknown subcommand');
      scripts.forget();
      return Buffer.from('OK');
    default:
      return keyspace.run(name, args);
  }
}

function evaluate(scripts: Scripts, script: string | undefined, [count, ...rest]: Buffer[]): Reply {
  if (script === undefined) return new CommandError('NOSCRIPT No matching script. Please use EVAL.');
  const keys = Number(count?.toString());
  if (!Number.isInteger(keys) || keys < 0 || keys > rest.length) {
    return new CommandError('ERR value is not an integer or out of range');
  }
  const texts = rest.map((argument) => argument.toString());
  return scripts.run(script, texts.slice(0, keys), texts.slice(keys));
}
