// `placar sync`: a CSV of activities, collaborators, leads or deals, sent in batches, and gone on with where it was ended.
import { type Command, Option } from 'commander';
import type { Variant } from '../../records.ts';
import { pairOf } from '../arguments.ts';
import { type Context, placarOf } from '../context.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { isRecordsKind, type KindName, kindNames } from '../sync/kind.ts';
import type { Line } from '../sync/lines.ts';
import type { Counts, State } from '../sync/state.ts';

/** Lines that are sent before how far it came is kept: as many batches as are under way at once. */
const WINDOW: Record<KindName, number> = {
  activities: 4000,
  collaborators: 2000,
  leads: 2000,
  deals: 2000,
};

const VARIANTS: readonly Variant[] = ['a', 'b', 'c'];

export interface Options {
  kind?: KindName;
  map?: Record<string, string>;
  delimiter?: string;
  dryRun?: boolean;
  restart?: boolean;
  silent?: boolean;
}

export function syncCommand(parent: Command, run: Run): void {
  parent
    .command('sync <file.csv>')
    .description(
      'Send a CSV of activities, collaborators, leads or deals; the same command again goes on where it ended',
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'what it has; activities and collaborators are told by their columns when absent',
      ).choices(kindNames),
    )
    .option('--map <member=column>', 'such as activity_code=Code, as often as needed', pairOf('--map'))
    .option('--delimiter <sign>', 'between cells; a comma, semicolon or tab is found by itself')
    .option('--dry-run', 'name each bad line, and send nothing')
    .option(
      '--silent',
      'leads and deals: no webhooks, points, automations and mails; for a client with the scope admin',
    )
    .option('--restart', 'from the first line, whatever an earlier run did')
    .action((file: string, options: Options) => run((context) => sync(context, file, options)));
}

async function sync(context: Context, file: string, options: Options): Promise<ExitCode> {
  if (options.silent === true && !(options.kind && isRecordsKind(options.kind)))
    throw usageError('--silent is for --kind leads and --kind deals.');
  const { openCsv } = await import('../sync/lines.ts');
  const { columns, lines } = await openCsv(file, {
    map: options.map ?? {},
    kind: options.kind,
    delimiter: options.delimiter,
    variant: variantOf(context),
  });
  if (columns.ignored.length > 0) {
    context.out.note(`Columns that are not sent: ${printable(columns.ignored.join(', '))}`);
  }
  return options.dryRun === true
    ? dryRun(context, columns.kind.name, lines)
    : send(context, file, columns.kind.name, lines, options);
}

const variantOf = ({ settings: { variant = 'a' } }: Context): Variant => {
  const found = VARIANTS.find((one) => one === variant.toLowerCase());
  if (found === undefined) throw usageError(`The variant must be one of ${VARIANTS.join(', ')}.`);
  return found;
};

async function dryRun(context: Context, kind: KindName, lines: AsyncGenerator<Line>): Promise<ExitCode> {
  const counts = { valid: 0, invalid: 0 };
  for await (const line of lines) {
    context.signal.throwIfAborted();
    if (line.faults.length > 0) tellInvalid(context, line);
    counts[line.faults.length > 0 ? 'invalid' : 'valid'] += 1;
  }
  context.out.json({ kind, dry_run: true, ...counts });
  context.out.say(`${counts.valid} lines of ${kind} are good, ${counts.invalid} are not. Nothing was sent.`);
  return counts.invalid > 0 ? exitCodes.incomplete : exitCodes.ok;
}

async function send(
  context: Context,
  file: string,
  kind: KindName,
  lines: AsyncGenerator<Line>,
  options: Options,
): Promise<ExitCode> {
  const { restart = false, silent = false } = options;
  const { out, signal, settings } = context;
  const needs = isRecordsKind(kind) ? (['clientId', 'clientSecret'] as const) : (['apiKey'] as const);
  // Columns have its names: the client is not to speak another one.
  const named = { ...context, settings: { ...settings, variant: variantOf(context) } };
  const placar = placarOf(named, needs, 'placar sync');
  const [
    { senderOf, noCounts, failureOf },
    { hashOf, readState, removeState, settingsOf, writeState },
    { startProgress },
  ] = await Promise.all([
    import('../sync/send.ts'),
    import('../sync/state.ts'),
    import('../sync/progress.ts'),
  ]);
  const sendLines = senderOf(placar, kind, { silent });
  const { map = {}, delimiter } = options;
  const who = isRecordsKind(kind) ? [settings.clientId, variantOf(context), silent] : [settings.apiKey];
  const present = {
    kind,
    url: settings.url ?? '',
    settings: settingsOf(...who, Object.entries(map).sort(), delimiter),
    sha256: await hashOf(file),
  };
  if (restart) removeState(file);
  const earlier = readState(file, present);
  const state: State = { version: 1, ...present, done: 0, counts: noCounts(), ...earlier };
  if (earlier) out.note(`Going on after ${earlier.done} lines that an earlier run dealt with.`);
  const progress = await startProgress(out, file);

  let read = 0;
  let window: Line[] = [];
  const flush = async () => {
    const good = window.filter(({ faults }) => faults.length === 0);
    const result = await sendLines(good, signal).catch((error: unknown) => {
      throw failureOf(error, good);
    });
    for (const line of window.filter(({ faults }) => faults.length > 0)) tellInvalid(context, line);
    for (const { line, externalId, reason } of result.skipped) {
      out.show(`line ${line}  ${printable(externalId)}  skipped: ${printable(reason)}`, {
        line,
        external_id: externalId,
        skipped: reason,
      });
    }
    state.counts.processed += result.processed;
    state.counts.duplicates += result.duplicates;
    state.counts.skipped += result.skipped.length;
    state.counts.invalid += window.length - good.length;
    state.done += window.length;
    await writeState(file, state);
    progress.update(window.at(-1)?.endByte ?? 0, state.done);
    window = [];
  };
  try {
    for await (const line of lines) {
      signal.throwIfAborted();
      read += 1;
      if (read <= state.done) continue;
      window.push(line);
      if (window.length >= WINDOW[kind]) await flush();
    }
    if (window.length > 0) await flush();
  } catch (error) {
    progress.stop();
    const isFile = error instanceof CliError && error.exitCode === exitCodes.usage;
    const next = isFile
      ? 'once the file is mended, --restart sends all of it'
      : 'the same command goes on from there';
    if (state.done > 0) out.note(`${state.done} lines are dealt with: ${next}.`);
    // Something was sent.
    throw isFile && state.done > 0 ? new CliError(error.message) : error;
  }
  progress.stop();
  removeState(file);
  await tellCounts(context, kind, state);
  return state.counts.skipped + state.counts.invalid > 0 ? exitCodes.incomplete : exitCodes.ok;
}

function tellInvalid({ out }: Context, { number, faults }: Line): void {
  for (const { field, message } of faults) {
    out.show(`line ${number}  ${printable(field)}  ${printable(message)}`, {
      line: number,
      field,
      rule: message,
    });
  }
}

const MADE_OR_UPDATED = {
  processed: 'created',
  duplicates: 'there before, updated',
  skipped: 'refused',
  invalid: 'invalid, not sent',
};
const LABELS: Record<KindName, Record<keyof Counts, string>> = {
  activities: {
    processed: 'recorded',
    duplicates: 'sent before',
    skipped: 'skipped: send them again once their collaborator is there',
    invalid: 'invalid, not sent',
  },
  collaborators: MADE_OR_UPDATED,
  leads: MADE_OR_UPDATED,
  deals: MADE_OR_UPDATED,
};

async function tellCounts({ out }: Context, kind: KindName, { counts, done }: State): Promise<void> {
  out.json({ kind, dry_run: false, ...counts, total: done });
  const rows = (Object.keys(LABELS[kind]) as (keyof Counts)[]).map((name) => [
    LABELS[kind][name],
    String(counts[name]),
  ]);
  await out.table([kind, 'lines'], [...rows, ['total', String(done)]]);
}
