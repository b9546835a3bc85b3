// Creates or updates the record with a client's external id. The first statement locks the external id and looks up the record, so
// that concurrent requests cannot create it twice; then either the update or the insert takes effect.
import { type Context, clientOf } from '../platform/access/context.ts';
import type { Fragment, Sql, Statement } from '../platform/db/database.ts';
import { isSqlError } from '../platform/db/sql-errors.ts';
import type { EntityTags } from '../platform/entity-tags.ts';
import { ApiError } from '../platform/errors.ts';
import { type ExternalIdInput, type ExternalSource, writeWithExternalId } from './external-ids.ts';
import { versionArrayOf } from './versions.ts';

/** The body, parsed both as a new record and as a change. */
interface UpsertBodies<New, Change> {
  create: New | ApiError;
  change: Change | ApiError;
}

/** Preconditions of the request: accepted versions of an existing record, or that no record exists. */
export interface UpsertConditions {
  versions: EntityTags | undefined;
  onlyNew: boolean;
}

export interface Upserted<R> {
  made: boolean;
  record: R;
}

/** In the statements of an upsert: the id of the existing record, or null. */
export const foundId = (sql: Sql): Fragment => sql`nullif(current_setting('app.record_id', true), '')::uuid`;

/** In the statements of an upsert: whether to create the record. */
export const shouldCreate = (sql: Sql): Fragment => sql`(select ${foundId(sql)} is null)`;

/** An upsert request. */
export interface Upsert<New, Change> {
  externalId: string;
  bodies: UpsertBodies<New, Change>;
  conditions: UpsertConditions;
}

interface Row<R> {
  record: R | null;
}

interface UpsertStatements<New, Change, R> extends Upsert<New, Change> {
  source: ExternalSource;
  /** Updates the record with the id `foundId`. Returns null if there is none. */
  change(sql: Sql, change: Change, externalIds: ExternalIdInput): Statement<Row<R>>;
  /** Takes the locks that creating a record requires. */
  lock?(sql: Sql): Fragment;
  /** Creates the record if `shouldCreate`; otherwise returns no row, or null. */
  create(sql: Sql, body: New, externalIds: ExternalIdInput): Statement<Row<R>>;
}

/** How `app.begin_upsert` names the error of a change that is not executed. */
export const faultOf = ({ code }: ApiError): 'refused' | 'invalid' =>
  code === 'unprocessable' ? 'refused' : 'invalid';

/**
 * Runs the upsert. Throws the error of the body that applies (`create` or `change`) if that body is invalid, the SQL error
 * `preconditionFailed`, and the errors of both statements.
 */
export async function upsert<New extends object, Change extends object, R>(
  context: Context,
  { source, externalId, bodies, conditions, ...statements }: UpsertStatements<New, Change, R>,
): Promise<Upserted<R>> {
  const { create, change } = bodies;
  const clientId = clientOf(context.actor) ?? '';
  const { versions, onlyNew } = conditions;
  try {
    const written = await writeWithExternalId(
      context,
      source,
      externalId,
      (sql, externalIds) => ({
        begin: sql`select app.begin_upsert(
          ${clientId}, ${source}, ${externalId}, ${!(create instanceof ApiError)}, ${change instanceof ApiError ? faultOf(change) : null}, ${onlyNew},
          ${versions !== undefined}, ${versionArrayOf(versions)}::text::timestamptz[]
        )`,
        changed:
          change instanceof ApiError
            ? []
            : [
                statements.change(sql, change, {
                  clientId,
                  text: changesExternalId(change) ? externalId : undefined,
                }),
              ],
        lock: create instanceof ApiError ? [] : (statements.lock?.(sql) ?? []),
        created: create instanceof ApiError ? [] : [statements.create(sql, create, externalIds)],
      }),
      (sql) => sql`case current_setting('app.made', true) when 'true' then 201 else 200 end`,
    );
    const changed = written.changed.flat()[0]?.record;
    const created = written.created.flat()[0]?.record;
    const record = changed ?? created;
    if (!record) throw new Error('An upsert neither created nor updated a record.');
    return { made: !changed, record };
  } catch (error) {
    if (isSqlError(error, 'domainError')) {
      if (error.message === 'upsert_not_new') throw create;
      if (error.message === 'upsert_no_change') throw change;
    }
    throw error;
  }
}

/** Whether the change contains the external id, so that it becomes the one that is shown. */
const changesExternalId = (change: object): boolean =>
  'external_id' in change && change.external_id !== undefined;
