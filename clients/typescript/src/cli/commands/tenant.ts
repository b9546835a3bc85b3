// `placar tenant`: moves a tenant to another project. Addresses and keys come from files or the environment, never from arguments.
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { countOf } from '../arguments.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import type { MoveOptions } from '../tenant/run.ts';

interface Options {
  from?: string;
  to?: string;
  dryRun?: boolean;
  windowSeconds?: number;
  plan?: string;
  withLog?: boolean;
  rateMb?: number;
  confirm?: string;
}

type Act = (options: MoveOptions, flags: Options) => Promise<ExitCode | undefined>;

const DEFAULT_WINDOW_SECONDS = 300;
const FILES = `
A file has one NAME=value per line: DATABASE_URL (direct or session mode), FUNCTIONS_URL, SUPABASE_URL, SUPABASE_SECRET_KEYS.
Without a file, the values are read from the environment, as FROM_DATABASE_URL ... and TO_DATABASE_URL ...

Exit codes: 0 done, 1 refused or differing, 2 invalid argument or setting, 75 stopped, can be resumed`;

const secondsOf = (text: string) => {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 10 && seconds <= 3600) return seconds;
  throw new InvalidArgumentError('--window-seconds must be a whole number from 10 to 3600.');
};

export function tenantCommand(parent: Command, run: Run): void {
  const tenant = parent.command('tenant').description('Move a tenant to another project');
  const command = (name: string, description: string, act: Act) => {
    const made = tenant
      .command(`${name} <slug>`)
      .description(description)
      .option('--from <file>', 'settings of the source')
      .option('--to <file>', 'settings of the destination')
      .addHelpText('after', FILES);
    made.action((slug: string, flags: Options) => run((context) => withSides(context, slug, flags, act)));
    return made;
  };
  const copying = (made: Command) =>
    made
      .option(
        '--window-seconds <seconds>',
        'maximum time for which the tenant cannot write, 10 to 3600',
        secondsOf,
        DEFAULT_WINDOW_SECONDS,
      )
      .option('--rate-mb <megabytes>', 'copy at most this many megabytes per second', countOf('--rate-mb'));
  for (const name of ['move', 'resume']) {
    copying(
      command(name, name === 'move' ? 'Move a tenant, or continue a move' : 'Continue a move', (options) =>
        import('../tenant/run.ts').then(({ moveTenant }) => moveTenant(options)),
      ),
    )
      .option('--dry-run', 'check whether the tenant can be moved, and change nothing')
      .option('--plan <name>', 'plan at the destination (default: the one with the same name and limits)')
      .option('--with-log', 'copy the request log too');
  }
  command('status', 'Show the progress of a move and the remaining steps', async ({ from, to, slug, out }) =>
    (await import('../tenant/status.ts')).showStatus(from, to, slug, out),
  );
  copying(
    command('rollback', 'Undo a move that is not finished', async (options) =>
      (await import('../tenant/rollback.ts')).rollBack(options),
    ),
  );
  command('finish', 'Delete the tenant at the source', async ({ from, to, slug, out }, { confirm }) =>
    (await import('../tenant/finish.ts')).finishMove(from, to, slug, confirm, out),
  ).option('--confirm <slug>', 'repeat the slug to confirm');
}

async function withSides(
  { out, signal }: Context,
  slug: string,
  flags: Options,
  act: Act,
): Promise<ExitCode | undefined> {
  const { toCliError, closeSide, connectSide, rejectOnConnectionLoss, openSide } = await import(
    '../tenant/side.ts'
  );
  const from = await openSide('from', flags.from, out);
  const to = await openSide('to', flags.to, out);
  const lost = rejectOnConnectionLoss();
  try {
    for (const side of [from, to]) await Promise.race([connectSide(side), lost]);
    const acting = act(
      {
        slug,
        from,
        to,
        out,
        signal,
        dryRun: flags.dryRun ?? false,
        windowSeconds: flags.windowSeconds ?? DEFAULT_WINDOW_SECONDS,
        plan: flags.plan,
        withLog: flags.withLog ?? false,
        bytesPerSecond: flags.rateMb === undefined ? undefined : (flags.rateMb * 1_000_000) / 2,
      },
      flags,
    );
    return await Promise.race([acting, lost]);
  } catch (error) {
    throw toCliError(error, signal);
  } finally {
    await Promise.all([closeSide(from), closeSide(to)]);
  }
}
