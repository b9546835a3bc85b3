/** Activity sync only: collaborators and their numbered activities. */
import { signing } from './core/authorizers.ts';
import type { BodyOf, DataOf } from './core/operations.ts';
import type { CallOptions, KeyOptions } from './core/options.ts';
import { Transport } from './core/transport.ts';
import type { paths } from './generated/default-integration.ts';
import { batchesOf } from './sync/batches.ts';
import { type Progress, runBatches } from './sync/run.ts';

export type { CallOptions, Hooks, KeyOptions, RequestInfo } from './core/options.ts';
export * from './errors.ts';
export { type Part, type Progress, SyncError } from './sync/run.ts';

type Sync = paths['/default-integration']['post'];
type Request = BodyOf<Sync>;
type Outcome = DataOf<Sync>;

export type Collaborator = Extract<Request, { collaborators: unknown }>['collaborators'][number];
export type Activity = Extract<Request, { activities: unknown }>['activities'][number];
/** Result of syncing collaborators. */
export type CollaboratorResult = Extract<Outcome, { created: number }>;
/** Result of syncing activities. `index` of a skipped activity is its position in the whole list. */
export type ActivityResult = Extract<Outcome, { processed: number }>;

export interface SyncOptions<Result> extends CallOptions {
  /** Called after each batch. */
  onProgress?: (progress: Progress<Result>) => void;
}

interface Kind<Item, Result> {
  /** Member of the request body that holds the items. The action is `sync_` plus this name. */
  name: 'activities' | 'collaborators';
  /** Maximum items per request. */
  size: number;
  keyOf(item: Item): string;
  merge(results: { start: number; result: Result }[]): Result;
}

const sum = <Result>(results: { result: Result }[], pick: (result: Result) => number): number =>
  results.reduce((total, { result }) => total + pick(result), 0);

const ACTIVITIES: Kind<Activity, ActivityResult> = {
  name: 'activities',
  size: 1000,
  // If two items share an id, the first one counts.
  keyOf: (activity) => String(activity?.external_id),
  merge: (results) => ({
    processed: sum(results, (result) => result.processed),
    skipped: sum(results, (result) => result.skipped),
    skipped_items: results.flatMap(({ start, result }) =>
      result.skipped_items.map((item) => ({ ...item, index: item.index + start })),
    ),
    duplicates: sum(results, (result) => result.duplicates),
    duplicate_items: results.flatMap(({ start, result }) =>
      (result.duplicate_items ?? []).map((item) => ({ ...item, index: item.index + start })),
    ),
    unmapped: sum(results, (result) => result.unmapped ?? 0),
    errors: results.flatMap(({ result }) => result.errors),
    total: sum(results, (result) => result.total),
  }),
};

const COLLABORATORS: Kind<Collaborator, CollaboratorResult> = {
  name: 'collaborators',
  size: 500,
  // If two items share an email address, the second one updates the first.
  keyOf: (collaborator) => String(collaborator?.email).trim().toLowerCase(),
  merge: (results) => ({
    created: sum(results, (result) => result.created),
    existing: sum(results, (result) => result.existing),
    errors: results.flatMap(({ result }) => result.errors),
    total: sum(results, (result) => result.total),
  }),
};

export interface Syncer<Item, Result> {
  /**
   * Sends any number of items in batches, four at a time. The merged result follows the order of the list. Sending items
   * again is safe.
   *
   * @throws SyncError if some items could not be sent; it has the result of the others
   */
  sync(items: Iterable<Item> | AsyncIterable<Item>, options?: SyncOptions<Result>): Promise<Result>;
}

function syncer<Item, Result>(transport: Transport, kind: Kind<Item, Result>): Syncer<Item, Result> {
  const { name, size, keyOf, merge } = kind;
  return {
    sync: (items, { onProgress, ...call } = {}) =>
      runBatches<Result>({
        batches: batchesOf(items, size, keyOf),
        total: Array.isArray(items) ? items.length : undefined,
        merge,
        onProgress,
        signal: call.signal,
        send: async ({ json }) => {
          const body = `{"action":"sync_${name}","${name}":${json}}`;
          const request = { method: 'POST', target: '/default-integration', body, repeatable: true };
          // The response schema is a union of both actions' results.
          return ((await transport.json(request, call)) as { data: Result }).data;
        },
      }),
  };
}

/** `new ActivitySync({ url, apiKey })` */
export class ActivitySync {
  readonly activities: Syncer<Activity, ActivityResult>;
  readonly collaborators: Syncer<Collaborator, CollaboratorResult>;

  constructor(options: KeyOptions) {
    const transport = new Transport(options, signing(options));
    this.activities = syncer(transport, ACTIVITIES);
    this.collaborators = syncer(transport, COLLABORATORS);
  }
}
