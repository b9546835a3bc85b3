// Sends lines by windows, and keeps after each how far it came.
import { PlacarError } from '../../errors.ts';
import type { Activity, Collaborator, Placar } from '../../index.ts';
import type { Item, KindName } from './kinds.ts';
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

export function senderOf(placar: Placar, kind: KindName): Sender {
  return kind === 'activities' ? sendActivities(placar) : sendCollaborators(placar);
}

function sendActivities(placar: Placar): Sender {
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

function sendCollaborators(placar: Placar): Sender {
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
