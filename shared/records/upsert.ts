// Making or changing the record that a client calls by an external id, once, however many ask for it at the same time: the
// name is held from the first statement on, which finds what there is; of those behind it one does something.
import { type Context, clientOf } from '../platform/access/context.ts';
import type { Fragment, Sql, Statement } from '../platform/db/database.ts';
import { isSqlError } from '../platform/db/sql-errors.ts';
import type { EntityTags } from '../platform/entity-tags.ts';
import { ApiError } from '../platform/errors.ts';
import { type ExternalIdInput, type ExternalSource, writeWithExternalId } from './external-ids.ts';
import { timesIn } from './versions.ts';

/** A body that was read both ways: as that of a new record, and as that of a change. */
export interface UpsertBodies<New, Change> {
  create: New | ApiError;
  change: Change | ApiError;
}

/** What the request demands of the record: these versions of one that is there, or that there is none. */
export interface UpsertConditions {
  versions: EntityTags | undefined;
  onlyNew: boolean;
}

export interface Upserted<R> {
  made: boolean;
  record: R;
}

/** The record that was found, in the statements of an upsert; null where it is to be made. */
export const foundId = (sql: Sql): Fragment => sql`nullif(current_setting('app.record_id', true), '')::uuid`;

/** Whether one is to be made. */
export const shouldCreate = (sql: Sql): Fragment => sql`(select ${foundId(sql)} is null)`;

/** What a client asks of the record that it calls so. */
export interface Upsert<New, Change> {
  externalId: string;
  bodies: UpsertBodies<New, Change>;
  conditions: UpsertConditions;
}

interface Row<R> {
  record: R | null;
}

export interface UpsertStatements<New, Change, R> extends Upsert<New, Change> {
  source: ExternalSource;
  /** Changes the record that `foundId` is of; gives null where there is none. */
  change(sql: Sql, change: Change, given: ExternalIdInput): Statement<Row<R>>;
  /** Locks what creating one needs. */
  lock?(sql: Sql): Fragment;
  /** Where `isToBeMade`; otherwise gives no row, or null. */
  create(sql: Sql, body: New, given: ExternalIdInput): Statement<Row<R>>;
}

/** Throws the error of the body that was needed, `precondition_failed` for a condition that does not hold, and what either statement does. */
export async function upsert<New extends object, Change extends object, R>(
  context: Context,
  { source, externalId, bodies, conditions, ...statements }: UpsertStatements<New, Change, R>,
): Promise<Upserted<R>> {
  const { create, change } = bodies;
  const clientId = clientOf(context.actor) ?? '';
  const given = { clientId, text: externalId };
  const { versions, onlyNew } = conditions;
  const changeFault =
    change instanceof ApiError ? (change.code === 'unprocessable' ? 'refused' : 'invalid') : null;
  try {
    const written = await writeWithExternalId(
      context,
      source,
      given,
      (sql) => ({
        begin: sql`select app.begin_upsert(
          ${clientId}, ${source}, ${externalId}, ${!(create instanceof ApiError)}, ${changeFault}, ${onlyNew},
          ${versions !== undefined}, ${timesIn(versions)}::text::timestamptz[]
        )`,
        changed:
          change instanceof ApiError
            ? []
            : [
                statements.change(sql, change, {
                  clientId,
                  text: mentioned(change) ? externalId : undefined,
                }),
              ],
        lock: create instanceof ApiError ? [] : (statements.lock?.(sql) ?? []),
        created: create instanceof ApiError ? [] : [statements.create(sql, create, given)],
      }),
      (sql) => sql`case current_setting('app.made', true) when 'true' then 201 else 200 end`,
    );
    const changed = written.changed.flat()[0]?.record;
    const made = written.created.flat()[0]?.record;
    const record = changed ?? made;
    if (!record) throw new Error('An upsert neither made nor changed a record.');
    return { made: !changed, record };
  } catch (error) {
    if (isSqlError(error, 'domainError')) {
      if (error.message === 'upsert_not_new') throw create;
      if (error.message === 'upsert_no_change') throw change;
    }
    throw error;
  }
}

/** Whether a change names the external id, which is shown from then on. */
const mentioned = (change: object): boolean => 'external_id' in change && change.external_id !== undefined;
