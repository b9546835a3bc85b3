// Streams the ledger as CSV or OFX. The ids of all entries are selected first, so that the export is a snapshot no matter how slowly the
// caller reads it. The entries are then read page by page.
import type { Context } from '../../../platform/access/context.ts';
import { oneRow } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors.ts';
import { errorFields } from '../../../platform/logger.ts';
import { csvWriter, type ExportWriter } from './csv.ts';
import { ofxWriter } from './ofx.ts';
import type { ExportOptions } from './options.ts';
import {
  type ExportPlan,
  endExport,
  planExport,
  RENEW_MS,
  renewExport,
  selectExportedEntries,
} from './queries.ts';

/** Maximum concurrent exports per tenant. */
const MAX_RUNNING = 2;
const MAX_ENTRIES = 100_000;
const RETRY_AFTER_SECONDS = 5;
const PAGE_ENTRIES = 1000;

const contentTypes = { csv: 'text/csv; charset=utf-8', ofx: 'application/x-ofx' } as const;

export const exportHeaders = ({ format, fileName }: ExportOptions): Record<string, string> => ({
  'Content-Type': contentTypes[format],
  'Content-Disposition': `attachment; filename="${fileName}"`,
  'Cache-Control': 'no-store',
});

/** Throws `rate_limited` if too many exports are running, and `validation` if there are too many entries. */
export async function openExport(
  context: Context,
  options: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { tenantId, checkpoint } = context;
  const exportId = crypto.randomUUID();
  const limits = { exportId, maxRunning: MAX_RUNNING, maxEntries: MAX_ENTRIES };
  const plan = oneRow(await checkpoint((sql) => planExport(sql, tenantId, options, limits)));
  if (!plan.claimed)
    throw new ApiError(
      'rate_limited',
      `This tenant has ${MAX_RUNNING} exports running. Retry in a few seconds.`,
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        reason: 'exports_running',
      },
    );
  if ((plan.ids?.length ?? 0) > MAX_ENTRIES) {
    await checkpoint((sql) => endExport(sql, exportId));
    const message = `has more than ${MAX_ENTRIES} entries: choose a shorter one`;
    throw new ApiError('validation', 'Fix these query parameters.', {
      details: [{ field: 'period', message }],
    });
  }
  const writer = options.format === 'csv' ? csvWriter(options.locale) : ofxWriter(options, plan);
  return streamEntries(context, exportId, plan, writer);
}

function streamEntries(
  { tenantId, read, checkpoint, log }: Context,
  exportId: string,
  { ids, time_zone: timeZone }: ExportPlan,
  { head, write, tail }: ExportWriter,
): ReadableStream<Uint8Array> {
  const left = ids ?? [];
  const encoder = new TextEncoder();
  const renewal = setInterval(() => {
    checkpoint((sql) => renewExport(sql, exportId)).catch(() => {});
  }, RENEW_MS);
  const end = async () => {
    clearInterval(renewal);
    // If this fails, the lease simply expires.
    await checkpoint((sql) => endExport(sql, exportId)).catch(() => {});
  };
  let position = 0;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      try {
        const page = left.slice(position, position + PAGE_ENTRIES);
        position += page.length;
        const rows =
          page.length === 0 ? [] : await read((sql) => selectExportedEntries(sql, tenantId, timeZone, page));
        if (rows.length < page.length) throw new Error('entries of the export no longer exist');
        const isLast = position >= left.length;
        const text = rows.map(write).join('') + (isLast ? tail : '');
        if (text !== '') controller.enqueue(encoder.encode(text));
        if (!isLast) return;
        controller.close();
        await end();
      } catch (error) {
        log.error('ledger export aborted', errorFields(error));
        // Abort the connection, so that the caller does not mistake a partial file for a complete one.
        controller.error(error);
        await end();
      }
    },
    cancel: end,
  });
}
