// `placar ledger export`: downloads the ledger as CSV or OFX.
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { type Command, Option } from 'commander';
import { functionsUrl } from '../../core/options.ts';
import { errorFrom } from '../../core/responses.ts';
import { sign } from '../../core/sign.ts';
import type { Context } from '../context.ts';
import { CliError, usageError } from '../exit-codes.ts';
import type { Run } from '../main.ts';
import { required } from '../settings.ts';

interface ExportOptions {
  period?: string;
  from?: string;
  to?: string;
  format: 'csv' | 'ofx';
  currency?: string;
  locale?: string;
  output?: string;
}

export function ledgerCommand(parent: Command, run: Run): void {
  const ledger = parent.command('ledger').description('The ledger of the payments API');
  ledger
    .command('export')
    .description('Download ledger entries for accounting, of a month or of the days --from to --to')
    .option('--period <month>', "month in the tenant's time zone, such as 2026-11")
    .option('--from <day>', 'first day in UTC, such as 2026-11-01')
    .option('--to <day>', 'last day in UTC')
    .addOption(new Option('--format <format>', 'file format').choices(['csv', 'ofx']).default('csv'))
    .option('--currency <code>', 'only entries in this currency; OFX has one currency, by default BRL')
    .addOption(new Option('--locale <locale>', 'format of numbers and dates in CSV').choices(['en', 'pt-BR']))
    .option('--output <file>', 'file to write; it appears only once it is complete (default: stdout)')
    .action((options: ExportOptions) => run((context) => exportLedger(context, options)));
}

async function exportLedger(context: Context, options: ExportOptions): Promise<undefined> {
  const body = await download(context, targetOf(options));
  const { output } = options;
  if (output === undefined) {
    await pipeline(body, process.stdout, { end: false }).catch(brokenOff(context));
    return;
  }
  const partial = `${output}.part-${process.pid}`;
  try {
    await pipeline(body, createWriteStream(partial)).catch(brokenOff(context));
    await rename(partial, output);
  } finally {
    await rm(partial, { force: true });
  }
  context.out.note(`Wrote ${output}.`);
}

function targetOf({ period, from, to, format, currency, locale }: ExportOptions): string {
  const query = new URLSearchParams();
  if (period !== undefined) {
    if (from !== undefined || to !== undefined) throw usageError('Use --period, or --from and --to.');
    if (!/^\d{4}-\d{2}$/.test(period)) throw usageError('--period must be a month, such as 2026-11.');
    query.set('period', period);
  } else {
    if (from === undefined || to === undefined) throw usageError('Pass --period, or --from and --to.');
    if (![from, to].every((day) => /^\d{4}-\d{2}-\d{2}$/.test(day)))
      throw usageError('--from and --to must be days, such as 2026-11-01.');
    query.set('created[gte]', `${from}T00:00:00Z`);
    query.set('created[lte]', `${to}T23:59:59.999Z`);
  }
  if (currency !== undefined) query.set('currency', currency);
  if (locale !== undefined) query.set('locale', locale);
  return `/payments/balance-transactions.${format}?${query}`;
}

async function download({ settings, signal }: Context, target: string): Promise<Readable> {
  const { url, apiKey } = required(settings, ['url', 'apiKey'], 'placar ledger');
  const requestId = crypto.randomUUID();
  const timestamp = Math.floor(Date.now() / 1000);
  const authorization = await sign(apiKey, { method: 'GET', target, body: '', timestamp });
  const response = await fetch(functionsUrl(url) + target, {
    headers: { Authorization: authorization, 'X-Request-Id': requestId },
    redirect: 'manual',
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CliError(`Connection failed: ${cause instanceof Error ? cause.message : cause}`);
  });
  const { status, headers } = response;
  if (!response.ok)
    throw errorFrom({ status, headers, text: await response.text() }, requestId, (text) =>
      text.replaceAll(apiKey, '[hidden]'),
    );
  // The types of the browser and of Node describe the same streams.
  return Readable.fromWeb((response.body ?? new ReadableStream()) as unknown as NodeStream);
}

const brokenOff =
  ({ signal }: Context) =>
  (error: unknown): never => {
    signal.throwIfAborted();
    // Errors of the file system have a path.
    if (error instanceof Error && 'path' in error) throw new CliError(error.message);
    throw new CliError('The connection broke before the export was complete. Run the command again.');
  };
