// `npm start`: runs the stack on this machine until Ctrl-C.
import { readFileSync } from 'node:fs';
import { handleLostConnections } from '../clients/typescript/src/cli/lost-connections.ts';
import { stackFolder } from './environment.ts';
import { portFrom } from './ports.ts';
import { type Stack, startStack } from './stack.ts';
import { exitWithError } from './start-error.ts';
import { banner } from './welcome.ts';

const dir = stackFolder();
const flags = ['--fresh', '--providers'];
const fresh = process.argv.includes('--fresh');
const withProviders = process.argv.includes('--providers');
const startedBy = launchers();

async function main(): Promise<void> {
  const unknown = process.argv.slice(2).filter((argument) => !flags.includes(argument));
  if (unknown.length > 0) {
    console.error(
      'Usage: npm start [-- [--fresh] [--providers]]\n' +
        'Environment variables: PORT (gateway), DATABASE_PORT (database), LOCAL_DIR (folder of the stack).',
    );
    process.exit(2);
  }
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  console.log(fresh ? 'Starting Placar with a fresh state.' : 'Starting Placar.');
  let stack: Stack;
  try {
    const onStep = (step: string) => console.log(`  ${seconds().padStart(6)}  ${step}`);
    const onTrouble = (line: string) => console.error(line);
    stack = await startStack({
      dir,
      port: portFrom('PORT', 54321),
      databasePort: portFrom('DATABASE_PORT', undefined),
      fresh,
      redisUrl: process.env.REDIS_URL,
      ...(withProviders && { providers: 'demo' }),
      onStep,
      onTrouble,
    });
  } catch (error) {
    exitWithError(error);
  }
  stopWith(stack);
  console.log(`  ${seconds().padStart(6)}  ready\n`);
  console.log(banner(stack.info, dir));
}

/** Shuts down on Ctrl-C, on SIGTERM or SIGHUP, and when the parent `npm` process is gone. */
function stopWith(stack: Stack): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    console.log('\nStopping.');
    await stack.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
  if (process.env.npm_lifecycle_event) {
    setInterval(() => launchers() !== startedBy && void stop(), 500).unref();
  }
}

/** Ids of the parent processes up to `npm`. Changes when one of them is gone, even after kill -9. */
function launchers(): string {
  const parent = process.ppid;
  try {
    // On some systems npm runs a shell in between, which does not notice that npm has exited.
    const stat = readFileSync(`/proc/${parent}/stat`, 'utf8');
    const [, above] = /\(\w*sh\) \S (\d+)/.exec(stat) ?? [];
    return above ? `${parent} ${above}` : `${parent}`;
  } catch {
    return `${parent}`;
  }
}

handleLostConnections();
await main();
