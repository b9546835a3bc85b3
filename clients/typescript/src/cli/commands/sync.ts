// `placar sync`: sends a file of activities, collaborators, leads or deals in batches, and resumes where it stopped.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Variant } from '../../records.ts';
import { pairOf } from '../arguments.ts';
import { type Context, placarOf } from '../context.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { printable } from '../output.ts';
import { type Fault, isRecordsKind, type Kind, type KindName, kindNames } from '../sync/kind.ts';
import type { Line } from '../sync/lines.ts';
import type { Counts, State } from '../sync/state.ts';

/** Lines sent between two saves of the progress: as many batches as run in parallel. */
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
  mapFile?: string;
  delimiter?: string;
  encoding?: string;
  sheet?: string;
  locale?: string;
  timeZone?: string;
  dryRun?: boolean;
  restart?: boolean;
  silent?: boolean;
}

export function syncCommand(parent: Command, run: Run): void {
  parent
    .command('sync <file>')
    .description(
      'Send activities, collaborators, leads or deals of a CSV or a workbook (.xlsx, .xls, .ods). Run the same command again to resume',
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'record kind of the file (default: activities or collaborators, detected from the columns)',
      ).choices(kindNames),
    )
    .option('--map <member=column>', 'such as activity_code=Code; repeatable', pairOf('--map'))
    .option('--map-file <path>', 'JSON object of members and columns: {"activity_code": "Code"}')
    .option(
      '--delimiter <sign>',
      'cell separator of a CSV (default: comma, semicolon, tab or bar, detected from the first lines)',
    )
    .option(
      '--encoding <name>',
      'encoding of a CSV (default: UTF-8, UTF-16 or Windows-1252, detected from the bytes)',
    )
    .option('--sheet <name>', 'sheet of a workbook (default: the first one with a value)')
    .option(
      '--locale <locale>',
      'how numbers and dates are written: pt-BR is 1.250,50 and 31/12/2026 (default: detected from the columns)',
    )
    .option(
      '--time-zone <zone>',
      "time zone of times without an offset, such as America/Sao_Paulo (default: this machine's)",
    )
    .option('--dry-run', 'check the file and print invalid lines without sending anything')
    .option('--silent', 'leads and deals: no webhooks, points, automations or emails; needs the scope admin')
    .option('--restart', 'start from the first line and ignore saved progress')
    .action((file: string, options: Options) => run((context) => sync(context, file, options)));
}

async function sync(context: Context, file: string, given: Options): Promise<ExitCode> {
  const options = { ...given, map: { ...readMap(given.mapFile), ...given.map } };
  if (options.silent === true && !(options.kind && isRecordsKind(options.kind)))
    throw usageError('--silent works only with --kind leads and --kind deals.');
  const { openLines } = await import('../sync/lines.ts');
  const { columns, lines } = await openLines(file, {
    map: options.map,
    kind: options.kind,
    delimiter: options.delimiter,
    encoding: options.encoding,
    sheet: options.sheet,
    locale: options.locale,
    timeZone: options.timeZone,
    variant: variantOf(context),
    note: (text) => context.out.note(text),
  });
  const phones = { count: 0 };
  const counted = columns.kind.name === 'leads' ? countPhonesOnly(lines, phones) : lines;
  const code =
    options.dryRun === true
      ? await dryRun(context, columns.kind, counted)
      : await send(context, file, columns.kind.name, counted, options);
  if (phones.count > 0 && code === exitCodes.incomplete)
    context.out.note(
      `${phones.count} lines have a phone number and no email address, which a new lead needs. Fill in the addresses, or import these lines as deals (--kind deals), which need a name and a value.`,
    );
  return code;
}

async function* countPhonesOnly(
  lines: AsyncGenerator<Line>,
  phones: { count: number },
): AsyncGenerator<Line> {
  for await (const line of lines) {
    const { phone, email } = line.item;
    if (phone !== undefined && email === undefined) phones.count += 1;
    yield line;
  }
}

function readMap(path: string | undefined): Record<string, string> {
  if (path === undefined) return {};
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    throw usageError(`--map-file: cannot read ${path}.`);
  }
  const map = parsed(content);
  if (typeof map === 'object' && map !== null && Object.values(map).every((one) => typeof one === 'string'))
    return map as Record<string, string>;
  throw usageError(`--map-file ${path} must contain a JSON object such as {"activity_code": "Code"}.`);
}

/** The value of a JSON text; undefined if it is not valid. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const variantOf = ({ settings: { variant = 'a' } }: Context): Variant => {
  const found = VARIANTS.find((one) => one === variant.toLowerCase());
  if (found === undefined) throw usageError(`The variant must be one of ${VARIANTS.join(', ')}.`);
  return found;
};

/** Counts lines as a real run would if none of the records existed. */
async function dryRun(context: Context, kind: Kind, lines: AsyncGenerator<Line>): Promise<ExitCode> {
  const counts: Counts = { processed: 0, duplicates: 0, skipped: 0, invalid: 0 };
  const seen = new Set<string>();
  const owners = new Map<string, string>();
  for await (const line of lines) {
    context.signal.throwIfAborted();
    const key = kind.keyOf(line.item);
    const unique = kind.uniqueOf(line.item);
    const owner = unique && owners.get(unique.value);
    const newFaults = [
      ...(seen.has(key) ? [] : kind.newFaultsOf(line.item).map(unlessExists)),
      ...(unique && owner !== undefined && owner !== key
        ? [{ field: unique.field, message: 'is already used by an earlier line' }]
        : []),
    ];
    if (line.faults.length > 0) {
      printInvalid(context, line);
      counts.invalid += 1;
    } else if (newFaults.length > 0) {
      printInvalid(context, { ...line, faults: newFaults });
      counts.skipped += 1;
    } else {
      counts[seen.has(key) ? 'duplicates' : 'processed'] += 1;
      seen.add(key);
      if (unique) owners.set(unique.value, key);
    }
  }
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  await printCounts(context, kind.name, { counts, done }, true);
  context.out.note('Dry run: nothing was sent.');
  return counts.skipped + counts.invalid > 0 ? exitCodes.incomplete : exitCodes.ok;
}

const unlessExists = ({ field, message }: Fault): Fault => ({
  field,
  message: `${message} unless the record exists`,
});

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
  // The columns use this variant's names, so the client must use the same variant.
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
  const sendLines = senderOf(placar, kind, { silent, variant: variantOf(context) });
  const { map = {}, delimiter, encoding, sheet, locale, timeZone } = options;
  const who = isRecordsKind(kind) ? [settings.clientId, variantOf(context), silent] : [settings.apiKey];
  const current = {
    kind,
    url: settings.url ?? '',
    settings: settingsOf(...who, Object.entries(map).sort(), delimiter, encoding, sheet, locale, timeZone),
    sha256: await hashOf(file),
  };
  if (restart) removeState(file);
  const earlier = readState(file, current);
  const state: State = { version: 1, ...current, done: 0, counts: noCounts(), ...earlier };
  if (earlier) out.note(`Resuming after ${earlier.done} lines of an earlier run.`);
  const progress = await startProgress(out, file);

  let read = 0;
  let window: Line[] = [];
  const flush = async () => {
    const good = window.filter(({ faults }) => faults.length === 0);
    const result = await sendLines(good, signal).catch((error: unknown) => {
      throw failureOf(error, good);
    });
    for (const line of window.filter(({ faults }) => faults.length > 0)) printInvalid(context, line);
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
      ? 'fix the file, then run with --restart to send all of it'
      : 'run the same command again to resume';
    if (state.done > 0) out.note(`${state.done} lines are done: ${next}.`);
    // Not a usage error: some lines were sent.
    throw isFile && state.done > 0 ? new CliError(error.message) : error;
  }
  progress.stop();
  removeState(file);
  await printCounts(context, kind, state);
  return state.counts.skipped + state.counts.invalid > 0 ? exitCodes.incomplete : exitCodes.ok;
}

function printInvalid({ out }: Context, { number, faults }: Line): void {
  for (const { field, message } of faults) {
    out.show(`line ${number}  ${printable(field)}  ${printable(message)}`, {
      line: number,
      field,
      rule: message,
    });
  }
}

const CREATED_OR_UPDATED = {
  processed: 'created',
  duplicates: 'already existed, updated',
  skipped: 'rejected',
  invalid: 'invalid, not sent',
};
const LABELS: Record<KindName, Record<keyof Counts, string>> = {
  activities: {
    processed: 'recorded',
    duplicates: 'already sent',
    skipped: 'skipped: send them again once their collaborator exists',
    invalid: 'invalid, not sent',
  },
  collaborators: CREATED_OR_UPDATED,
  leads: CREATED_OR_UPDATED,
  deals: CREATED_OR_UPDATED,
};

async function printCounts(
  { out }: Context,
  kind: KindName,
  { counts, done }: Pick<State, 'counts' | 'done'>,
  isDryRun = false,
): Promise<void> {
  out.json({ kind, dry_run: isDryRun, ...counts, total: done });
  const rows = (Object.keys(LABELS[kind]) as (keyof Counts)[]).map((name) => [
    LABELS[kind][name],
    String(counts[name]),
  ]);
  await out.table([kind, 'lines'], [...rows, ['total', String(done)]]);
}
