// `placar sync`: sends a file of activities, collaborators, leads or deals in batches, and resumes where it stopped.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Variant } from '../../records.ts';
import { pairOf } from '../arguments.ts';
import { type Context, placarOf } from '../context.ts';
import { CliError, type ExitCode, exitCodes, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { isRecordsKind, type Kind, type KindName, kindNames } from '../sync/kind.ts';
import type { Line } from '../sync/lines.ts';
import { printCounts } from '../sync/report.ts';
import type { State } from '../sync/state.ts';

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
      ? await (await import('../sync/dry-run.ts')).dryRun(context, columns.kind, counted)
      : await send(context, file, columns.kind, counted, options);
  if (phones.count > 0 && code === exitCodes.incomplete)
    context.out.note(
      `${phones.count} ${phones.count === 1 ? 'line has' : 'lines have'} a phone number and no email address, which a new lead needs. Fill in the addresses, or import these lines as deals (--kind deals), which need a name and a value.`,
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

async function send(
  context: Context,
  file: string,
  kind: Kind,
  lines: AsyncGenerator<Line>,
  options: Options,
): Promise<ExitCode> {
  const { restart = false, silent = false } = options;
  const { out, settings } = context;
  const needs = isRecordsKind(kind.name) ? (['clientId', 'clientSecret'] as const) : (['apiKey'] as const);
  // The columns use this variant's names, so the client must use the same variant.
  const named = { ...context, settings: { ...settings, variant: variantOf(context) } };
  const placar = placarOf(named, needs, 'placar sync');
  const [
    { senderOf },
    { sendInWindows },
    { hashOf, noCounts, readState, removeState, settingsOf },
    { startProgress },
  ] = await Promise.all([
    import('../sync/send.ts'),
    import('../sync/windows.ts'),
    import('../sync/state.ts'),
    import('../sync/progress.ts'),
  ]);
  const sendLines = senderOf(placar, kind, { silent, variant: variantOf(context) });
  const { map = {}, delimiter, encoding, sheet, locale, timeZone } = options;
  const who = isRecordsKind(kind.name) ? [settings.clientId, variantOf(context), silent] : [settings.apiKey];
  const current = {
    kind: kind.name,
    url: settings.url ?? '',
    settings: settingsOf(...who, Object.entries(map).sort(), delimiter, encoding, sheet, locale, timeZone),
    sha256: await hashOf(file),
  };
  if (restart) removeState(file);
  const earlier = readState(file, current);
  const state: State = { version: 1, ...current, done: 0, counts: noCounts(), ...earlier };
  if (earlier) out.note(`Resuming after ${earlier.done} lines of an earlier run.`);
  const progress = await startProgress(out, file);

  try {
    await sendInWindows(lines, { context, file, kind, state, sendLines, progress });
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
  return printCounts(out, kind.name, state.counts, false);
}
