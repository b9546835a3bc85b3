// Sends lines in windows and saves the progress after each.
import { PlacarError } from '../../errors.ts';
import type { Activity, Collaborator, Placar } from '../../index.ts';
import type { Variant } from '../../records.ts';
import type { Fault, Item, KindName } from './kind.ts';
import type { Line } from './lines.ts';
import { needsStageIds, STAGE, type Stage, withStageIds } from './stages.ts';
import type { Counts } from './state.ts';

export interface SkippedLine {
  line: number;
  externalId: string;
  reason: string;
}

export interface WindowResult {
  processed: number;
  duplicates: number;
  skipped: SkippedLine[];
}

/** Sends valid lines. Throws if the outcome of any line is unknown. */
export type Sender = (lines: readonly Line[], signal: AbortSignal) => Promise<WindowResult>;

export interface SendOptions {
  /** Records: send `X-Silent: true`. */
  silent: boolean;
  variant: Variant;
}

export function senderOf(placar: Placar<Variant>, kind: KindName, { silent, variant }: SendOptions): Sender {
  if (kind === 'activities') return sendActivities(placar);
  if (kind === 'collaborators') return sendCollaborators(placar);
  const sendLines = sendRecords(placar[kind] as unknown as Upserts, silent);
  return needsStageIds(kind, variant) ? resolvingStages(placar, sendLines) : sendLines;
}

/** Reads the stages once, if any line has one. */
function resolvingStages(placar: Placar<Variant>, sendLines: Sender): Sender {
  let stages: readonly Stage[] | undefined;
  return async (lines, signal) => {
    if (!lines.some(({ item }) => STAGE in item)) return sendLines(lines, signal);
    stages ??= await placar.stages.list({ signal });
    const { found, skipped } = withStageIds(lines, stages);
    const result = await sendLines(found, signal);
    return { ...result, skipped: [...skipped, ...result.skipped] };
  };
}

/** The common shape of lead and deal batches in every variant. */
interface Upserts {
  batch(
    operations: readonly { method: 'upsert'; external_id: string; data: Item }[],
    options: { silent: boolean; signal: AbortSignal },
  ): Promise<{ status: number; error?: { code: string; message: string; details?: Fault[] } }[]>;
}

function sendRecords(records: Upserts, silent: boolean): Sender {
  return async (lines, signal) => {
    const operations = lines.map(({ item: { external_id: id, ...data } }) => ({
      method: 'upsert' as const,
      external_id: String(id),
      data,
    }));
    const results = await records.batch(operations, { silent, signal });
    const refused = results.flatMap(({ error }, index) =>
      error
        ? [
            {
              line: lines[index]?.number ?? 0,
              externalId: operations[index]?.external_id ?? '',
              reason: reasonOf(error),
            },
          ]
        : [],
    );
    const processed = results.filter(({ status }) => status === 201).length;
    return { processed, duplicates: results.length - processed - refused.length, skipped: refused };
  };
}

const reasonOf = ({ message, details = [] }: { message: string; details?: Fault[] }): string =>
  [message, ...details.map((one) => `${one.field} ${one.message}`)].join(' ');

function sendActivities(placar: Placar<Variant>): Sender {
  return async (lines, signal) => {
    // The lines were validated with the API's schemas.
    const items = lines.map(({ item }) => item as unknown as Activity);
    const { processed, duplicates, skipped_items: skipped } = await placar.activities.sync(items, { signal });
    return {
      processed,
      duplicates,
      skipped: skipped.map(({ index, external_id: externalId, reason }) => ({
        line: lines[index]?.number ?? 0,
        externalId,
        reason,
      })),
    };
  };
}

function sendCollaborators(placar: Placar<Variant>): Sender {
  return async (lines, signal) => {
    const items = lines.map(({ item }) => item as unknown as Collaborator);
    const { created, existing, errors } = await placar.collaborators.sync(items, { signal });
    const skipped = errors.map((reason) => ({ line: lineOf(lines, reason), externalId: '', reason }));
    return { processed: created, duplicates: existing, skipped };
  };
}

/** Finds the line by the collaborator id in the reason. */
function lineOf(lines: readonly Line[], reason: string): number {
  const named = lines.find(({ item }) => reason.includes(` ${text(item, 'external_id')} (`));
  return named?.number ?? 0;
}

const text = (item: Item, member: string): string => String(item[member] ?? '-');

/** Describes the first failure of a window. Names the lines that the API rejected as invalid. */
export function failureOf(error: unknown, lines: readonly Line[]): unknown {
  if (!(error instanceof PlacarError) || error.fields.length === 0) return error;
  const fields = error.fields.map((fault) =>
    fault.index === undefined ? fault : { ...fault, index: lines[fault.index]?.number ?? fault.index },
  );
  return Object.assign(error, { fields });
}

export const noCounts = (): Counts => ({ processed: 0, duplicates: 0, skipped: 0, invalid: 0 });
