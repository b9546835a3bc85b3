// Sends lines in windows and saves the progress after each.
import { PlacarError } from '../../errors.ts';
import type { Activity, Collaborator, Placar } from '../../index.ts';
import type { Variant } from '../../records.ts';
import type { Fault, Item, Kind } from './kind.ts';
import type { Line } from './lines.ts';
import { needsStageIds, STAGE, type Stage, withStageIds } from './stages.ts';

/** A line with what happened to it. */
export interface NamedLine {
  line: number;
  externalId: string;
  reason: string;
}

export interface WindowResult {
  processed: number;
  duplicates: number;
  skipped: NamedLine[];
  /** Activities that differ from the recorded ones. */
  conflicts: NamedLine[];
  unmapped: number;
}

/** Sends valid lines. Throws if the outcome of any line is unknown. */
export type Sender = (lines: readonly Line[], signal: AbortSignal) => Promise<WindowResult>;

export interface SendOptions {
  /** Records: send `X-Silent: true`. */
  silent: boolean;
  variant: Variant;
}

export function senderOf(
  placar: Placar<Variant>,
  { name: kind, changeOnly }: Kind,
  { silent, variant }: SendOptions,
): Sender {
  if (kind === 'activities') return sendActivities(placar);
  if (kind === 'collaborators') return sendCollaborators(placar);
  const sendLines = sendRecords(placar[kind] as unknown as Upserts, { silent, changeOnly });
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

interface Sent {
  line: number;
  operation: Parameters<Upserts['batch']>[0][number];
}
type Outcome = Sent & { result: Awaited<ReturnType<Upserts['batch']>>[number] | undefined };

interface RecordsOptions {
  silent: boolean;
  changeOnly: string | undefined;
}

function sendRecords(records: Upserts, { silent, changeOnly }: RecordsOptions): Sender {
  return async (lines, signal) => {
    const submit = async (all: readonly Sent[]): Promise<Outcome[]> => {
      if (all.length === 0) return [];
      const operations = all.map(({ operation }) => operation);
      const results = await records.batch(operations, { silent, signal });
      return all.map((one, index) => ({ ...one, result: results[index] }));
    };
    const sent = lines.map(({ number, item: { external_id: id, ...data } }) => ({
      line: number,
      operation: { method: 'upsert' as const, external_id: String(id), data },
    }));
    const outcomes = await submit(sent);
    const created = outcomes.filter(({ result }) => result?.status === 201);
    const changes = changeOnly === undefined ? [] : changesOf(changeOnly, created, sent);
    const unchanged = refusedOf(await submit(changes)).map((one) => ({
      ...one,
      reason: `was created without its ${changeOnly}: ${one.reason}`,
    }));
    const refused = refusedOf(outcomes);
    return {
      processed: created.length - unchanged.length,
      duplicates: outcomes.length - created.length - refused.length,
      skipped: [...refused, ...unchanged],
      conflicts: [],
      unmapped: 0,
    };
  };
}

/** Sets the member, which creation ignores, of created records, unless a later line has changed it. */
function changesOf(member: string, created: readonly Sent[], sent: readonly Sent[]): Sent[] {
  const having = sent.filter(({ operation }) => member in operation.data);
  const lastOf = new Map(having.map(({ line, operation }) => [operation.external_id, line]));
  return created
    .filter(({ line, operation }) => lastOf.get(operation.external_id) === line)
    .map(({ line, operation }) => ({
      line,
      operation: { ...operation, data: { [member]: operation.data[member] } },
    }));
}

const refusedOf = (outcomes: readonly Outcome[]): NamedLine[] =>
  outcomes.flatMap(({ line, operation, result }) =>
    result?.error ? [{ line, externalId: operation.external_id, reason: reasonOf(result.error) }] : [],
  );

const reasonOf = ({ message, details = [] }: { message: string; details?: Fault[] }): string =>
  [message, ...details.map((one) => `${one.field} ${one.message}`)].join(' ');

const DIFFERS =
  'differs from the recorded activity with this id, which stays as it is. Use another id if they are two activities';

function sendActivities(placar: Placar<Variant>): Sender {
  return async (lines, signal) => {
    // The lines were validated with the API's schemas.
    const items = lines.map(({ item }) => item as unknown as Activity);
    const result = await placar.activities.sync(items, { signal });
    const named = (index: number, externalId: string, reason: string): NamedLine => ({
      line: lines[index]?.number ?? 0,
      externalId,
      reason,
    });
    return {
      processed: result.processed,
      duplicates: result.duplicates,
      skipped: result.skipped_items.map(({ index, external_id: id, reason }) => named(index, id, reason)),
      conflicts: result.duplicate_items.map(({ index, external_id: id }) => named(index, id, DIFFERS)),
      unmapped: result.unmapped,
    };
  };
}

function sendCollaborators(placar: Placar<Variant>): Sender {
  return async (lines, signal) => {
    const items = lines.map(({ item }) => item as unknown as Collaborator);
    const { created, existing, errors } = await placar.collaborators.sync(items, { signal });
    const skipped = errors.map((reason) => ({ line: lineOf(lines, reason), externalId: '', reason }));
    return { processed: created, duplicates: existing, skipped, conflicts: [], unmapped: 0 };
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
