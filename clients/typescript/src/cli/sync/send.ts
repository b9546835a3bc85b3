// Sends lines by windows, and keeps after each how far it came.
import { PlacarError } from '../../errors.ts';
import type { Activity, Collaborator, Placar } from '../../index.ts';
import type { Variant } from '../../records.ts';
import type { Fault, Item, KindName } from './kind.ts';
import type { Line } from './lines.ts';
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

/** Sends lines without faults; throws where it is not known that all were dealt with. */
export type Sender = (lines: readonly Line[], signal: AbortSignal) => Promise<WindowResult>;

export interface SendOptions {
  /** Records: in silence. */
  silent: boolean;
}

export function senderOf(placar: Placar<Variant>, kind: KindName, { silent }: SendOptions): Sender {
  if (kind === 'activities') return sendActivities(placar);
  if (kind === 'collaborators') return sendCollaborators(placar);
  return sendRecords(placar[kind] as unknown as Upserts, silent);
}

/** What batches of each variant's leads and deals have in common. */
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
    // They keep the rules of the API, which are checked before.
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

/** The API names a collaborator by its id. */
function lineOf(lines: readonly Line[], reason: string): number {
  const named = lines.find(({ item }) => reason.includes(` ${text(item, 'external_id')} (`));
  return named?.number ?? 0;
}

const text = (item: Item, member: string): string => String(item[member] ?? '-');

/** The first failure of a window in words; lines that the API found invalid are named. */
export function failureOf(error: unknown, lines: readonly Line[]): unknown {
  if (!(error instanceof PlacarError) || error.fields.length === 0) return error;
  const fields = error.fields.map((fault) =>
    fault.index === undefined ? fault : { ...fault, index: lines[fault.index]?.number ?? fault.index },
  );
  return Object.assign(error, { fields });
}

export const noCounts = (): Counts => ({ processed: 0, duplicates: 0, skipped: 0, invalid: 0 });
