// External ids: a client's own ids of leads, deals and users, visible only to that client.
import { z } from 'zod';
import { type Context, clientOf, type LoggedStatus } from '../platform/access/context.ts';
import type { Fragment, RowsOf, Sql, Work } from '../platform/db/database.ts';
import { violatedConstraint } from '../platform/db/sql-errors.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import type { Condition, Filter } from '../platform/lists/filters.ts';
import { text } from '../platform/validation.ts';

const MAX_LENGTH = 255;

/** External ids of a record by client id. Each client sees only the first of its own. */
export type ExternalIds = Readonly<Record<string, readonly string[]>>;

/** Tables whose records have external ids. */
export type ExternalSource = 'leads' | 'deals' | 'users';

const CONTROL = /\p{Cc}/u;
/** URL parsers remove these path segments, even if they are percent-encoded. */
const DOT_SEGMENTS = new Set(['.', '..']);

export const externalIdText = text({ maxLength: MAX_LENGTH, filled: true, opaque: true })
  .refine((value) => !CONTROL.test(value), {
    error: 'must not contain control characters',
  })
  .refine((value) => !DOT_SEGMENTS.has(value), {
    error: 'must not be "." or "..", which URLs drop',
  });

export const externalId = externalIdText
  .nullable()
  .optional()
  .describe(
    'Your own id for the record. Case-sensitive, unique for your client and this kind of record, and visible only to your client.',
  );

/** An external id in a response. */
export const shownExternalId = z.string().nullable().describe("Your client's own id for the record.");

/** The client's external id of the record; null if it has none. */
export const externalIdFor = (
  record: { external_ids: ExternalIds },
  clientId: string | null,
): string | null => record.external_ids[clientId ?? '']?.[0] ?? null;

/** The external id in a request: undefined leaves it unchanged, null removes it. */
export interface ExternalIdInput {
  clientId: string;
  text: string | null | undefined;
}

const externalIdInput = ({ actor }: Context, id: string | null | undefined): ExternalIdInput => ({
  clientId: clientOf(actor) ?? '',
  text: id,
});

/** The column `external_ids` of a new record. */
export const newExternalIds = ({ clientId, text: id }: ExternalIdInput): { external_ids: ExternalIds } => ({
  external_ids: id ? { [clientId]: [id] } : {},
});

/** An additional assignment for an UPDATE of the table with this alias. */
export const assignExternalId = (
  sql: Sql,
  alias: string,
  { clientId, text: id }: ExternalIdInput,
): Fragment =>
  id === undefined
    ? sql``
    : sql`, external_ids = app.with_external_id(${sql(alias)}.external_ids, ${clientId}, ${id})`;

/** SQL for the id of the record with the client's external id; null if there is none. */
const recordIdOf = (
  sql: Sql,
  tenantId: string,
  source: ExternalSource,
  { clientId, text: id }: ExternalIdInput,
): Fragment => sql`(
  select e.record_id from public.external_ids e
  where e.tenant_id = ${tenantId} and e.client_id = ${clientId} and e.source = ${source} and e.external_id = ${id ?? null}
)`;

/** A record by id, or by the caller's external id. */
export type RecordKey = string | { externalId: string };

/** The record id for a key. */
export const keyIn = (
  sql: Sql,
  context: Context,
  source: ExternalSource,
  key: RecordKey,
): string | Fragment =>
  typeof key === 'string'
    ? key
    : recordIdOf(sql, context.tenantId, source, externalIdInput(context, key.externalId));

/** The id of the record with the caller's external id; null if there is none. */
async function findByExternalId(
  context: Context,
  source: ExternalSource,
  id: string,
): Promise<string | null> {
  const rows = await context.read(
    (sql) =>
      sql<{
        id: string | null;
      }>`select ${recordIdOf(sql, context.tenantId, source, externalIdInput(context, id))} as id`,
  );
  return rows[0]?.id ?? null;
}

/**
 * Writes a record, with or without an external id, which `build` gets with its client. Requests with the same external id run one after
 * the other. Throws `conflict` with `existing_id` if another record has the external id.
 */
export async function writeWithExternalId<const W extends Work>(
  context: Context,
  source: ExternalSource,
  externalId: string | null | undefined,
  build: (sql: Sql, externalIds: ExternalIdInput) => W,
  status?: LoggedStatus,
): Promise<RowsOf<W>> {
  const externalIds = externalIdInput(context, externalId);
  const { clientId, text: id } = externalIds;
  if (!id) return await context.write((sql) => build(sql, externalIds), status);
  try {
    const { work } = await context.write(
      (sql) => ({
        lock: sql`select app.lock_external_ids(${clientId}, ${source}, array[${id}]::text[])`,
        work: build(sql, externalIds),
      }),
      status,
    );
    return work;
  } catch (error) {
    if (violatedConstraint(error) !== 'external_ids_pkey') throw error;
    throw duplicateExternalId(await findByExternalId(context, source, id));
  }
}

export const duplicateExternalId = (existingId: string | null | undefined): ApiError =>
  new ApiError('conflict', 'Another record already has this external id.', {
    details: [{ field: 'external_id', message: 'belongs to another record' }],
    reason: 'duplicate_external_id',
    ...(existingId && { extra: { existing_id: existingId } }),
  });

/** A 400: external ids belong to clients. */
export const externalIdOfPerson = (): ApiError =>
  invalid('field', 'external_id', 'belongs to a client and cannot be set by a person');

/** The list filter for external ids; `conditionsOf` adds the client. */
export const externalIdFilter =
  (source: ExternalSource): Filter =>
  (value) => {
    const { success } = externalIdText.safeParse(value);
    return success
      ? { op: 'external_id', column: source, value }
      : { rule: `must be text of at most ${MAX_LENGTH} characters` };
  };

/** Conditions in the format of the database. External ids are looked up among those of the caller. */
export const conditionsOf = ({ actor }: Context, conditions: readonly Condition[]): object[] =>
  conditions.map((condition) =>
    condition.op === 'external_id'
      ? { ...condition, client_id: clientOf(actor), source: condition.column }
      : condition,
  );
