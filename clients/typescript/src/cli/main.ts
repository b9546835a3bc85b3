// `placar`: the command line. Commands load what they need when they run, so that the start is quick.
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { doctorCommand } from './commands/doctor.ts';
import { eventsCommand } from './commands/events.ts';
import { invoicesCommand } from './commands/invoices.ts';
import { listenCommand } from './commands/listen.ts';
import { requestsCommand } from './commands/requests.ts';
import { syncCommand } from './commands/sync.ts';
import { triggerCommand } from './commands/trigger.ts';
import type { Context } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { tellFailure } from './failures.ts';
import { Output } from './output.ts';
import { type GlobalOptions, readSettings } from './settings.ts';

/** What a command does, with the exit code where it is another than 0. */
export type Work = (context: Context) => Promise<ExitCode | undefined>;
/** Runs a command with the settings of this call. */
export type Run = (work: Work) => Promise<void>;

const HELP = `
Settings come from flags, the environment or .placarrc (JSON; from the working folder up, then the home folder):
  PLACAR_URL  PLACAR_API_KEY  PLACAR_CLIENT_ID  PLACAR_CLIENT_SECRET  PLACAR_VARIANT  PLACAR_DATABASE_URL  PLACAR_PROFILE

Exit codes: 0 done, 1 failed, 2 wrong argument or setting, 3 done but for items that are invalid or skipped, 130 interrupted`;

const program = new Command('placar')
  .description('The command line of Placar')
  .version(manifest.version)
  .option('--json', 'print JSON; so it is wherever stdout is no terminal')
  .option('--no-json', 'print for people')
  .option('--profile <name>', 'take the settings of this profile of .placarrc, and of nowhere else')
  .option('--url <url>', 'address of the project or of its functions')
  .option('--variant <variant>', 'naming of records: a, b or c')
  .showHelpAfterError('(--help says what there is)')
  .exitOverride()
  .addHelpText('after', HELP);

const interruption = new AbortController();

/** The first signal ends politely, the second one at once. */
function listenToSignals(): void {
  const interrupt = () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // Whoever read our output has seen enough, as `head` has.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.ok);
  });
}

async function run(work: Work): Promise<void> {
  const flags = program.opts<GlobalOptions>();
  const out = new Output({ json: flags.json });
  try {
    const settings = readSettings(flags, out);
    process.exitCode = (await work({ out, settings, signal: interruption.signal })) ?? exitCodes.ok;
  } catch (error) {
    const isInterrupted = interruption.signal.aborted && error === interruption.signal.reason;
    process.exitCode = isInterrupted ? exitCodes.interrupted : tellFailure(error, out);
  }
}

listenToSignals();
listenCommand(program, run);
triggerCommand(program, run);
syncCommand(program, run);
invoicesCommand(program, run);
eventsCommand(program, run);
requestsCommand(program, run);
doctorCommand(program, run);

try {
  await program.parseAsync();
} catch (error) {
  // Commander has said what is wrong.
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
