// `placar`: the CLI. Commands import their modules when they run, which keeps startup fast.
import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { balanceCommand } from './commands/balance.ts';
import { completionCommand } from './commands/completion.ts';
import { consoleCommand } from './commands/console.ts';
import { doctorCommand } from './commands/doctor.ts';
import { eventsCommand } from './commands/events.ts';
import { invoicesCommand } from './commands/invoices.ts';
import { ledgerCommand } from './commands/ledger.ts';
import { listenCommand } from './commands/listen.ts';
import { logCommand } from './commands/log.ts';
import { mcpCommand } from './commands/mcp.ts';
import { payoutsCommand } from './commands/payouts.ts';
import { requestsCommand } from './commands/requests.ts';
import { storageCommand } from './commands/storage.ts';
import { syncCommand } from './commands/sync.ts';
import { tenantCommand } from './commands/tenant.ts';
import { triggerCommand } from './commands/trigger.ts';
import type { Context } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { printFailure } from './failures.ts';
import { Output } from './output.ts';
import { type GlobalOptions, readSettings } from './settings.ts';

/** The work of a command. Returns the exit code, undefined for 0. */
export type Work = (context: Context) => Promise<ExitCode | undefined>;
/** Runs a command with the settings of this invocation. */
export type Run = (work: Work) => Promise<void>;

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

const HELP = `
Settings come from flags, environment variables or .placarrc (JSON, searched from the working directory upward, then in the home directory):
  PLACAR_URL  PLACAR_API_KEY  PLACAR_CLIENT_ID  PLACAR_CLIENT_SECRET  PLACAR_VARIANT  PLACAR_DATABASE_URL  PLACAR_PROFILE

Exit codes: 0 success, 1 failure, 2 invalid argument or setting, 3 success except for invalid or skipped items, 75 stopped, can be resumed, 130 interrupted`;

const program = new Command('placar')
  .description('Command line for Placar')
  .version(manifest.version)
  .option('--json', 'print JSON (default if stdout is not a terminal)')
  .option('--no-json', 'print tables and text')
  .option('--profile <name>', 'use only the settings of this .placarrc profile')
  .option('--url <url>', 'URL of the project or of its functions')
  .option('--variant <variant>', 'naming of records: a, b or c')
  .showHelpAfterError('(run with --help to see the usage)')
  .exitOverride()
  .helpCommand(false)
  .addHelpText('after', HELP);

const interruption = new AbortController();

/** The first signal stops gracefully, the second one immediately. */
function listenToSignals(): void {
  const interrupt = () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // The reader closed the pipe, as `head` does.
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
    process.exitCode = isInterrupted ? exitCodes.interrupted : printFailure(error, out);
  }
}

listenToSignals();
listenCommand(program, run);
triggerCommand(program, run);
syncCommand(program, run);
invoicesCommand(program, run);
payoutsCommand(program, run);
balanceCommand(program, run);
ledgerCommand(program, run);
eventsCommand(program, run);
requestsCommand(program, run);
mcpCommand(program, run);
logCommand(program, run);
storageCommand(program, run);
doctorCommand(program, run);
tenantCommand(program, run);
consoleCommand(program, run);
completionCommand(program);
program
  .command('help')
  .argument('[command]')
  .description('display help for command')
  .action(async (name: string | undefined) => {
    const command = name === undefined ? program : program.commands.find((one) => one.name() === name);
    // An unknown command fails with a suggestion. Its --help would show the general help.
    if (command) command.help();
    else await program.parseAsync([`${name}`], { from: 'user' });
  });

try {
  if (PROXY_VARIABLES.some((name) => process.env[name])) (await import('./proxy.ts')).useProxy(process.env);
  await program.parseAsync();
} catch (error) {
  // Commander has already printed the error.
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
