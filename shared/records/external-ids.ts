// External ids: what a client calls a record, seen by that client alone. Rules and SQL that leads, deals and users share.
import { z } from 'zod';
import { type Context, clientOf, type LoggedStatus } from '../platform/access/context.ts';
import type { Fragment, RowsOf, Sql, Work } from '../platform/db/database.ts';
import { brokenConstraint } from '../platform/db/sql-errors.ts';
import { ApiError } from '../platform/errors.ts';
import type { Condition, Filter } from '../platform/lists/filters.ts';
import { text } from '../platform/validation.ts';

const MAX_LENGTH = 255;

/** What clients call a record, by their ids; the first of a client's is shown to it. */
export type ExternalIds = Readonly<Record<string, readonly string[]>>;

/** Tables whose records have them. */
export type ExternalSource = 'leads' | 'deals' | 'users';

const CONTROL = /\p{Cc}/u;
/** Segments that every URL loses, percent-encoded ones too. */
const NO_ADDRESS = new Set(['.', '..']);

export const externalIdText = text({ maxLength: MAX_LENGTH, filled: true })
  .refine((value) => !CONTROL.test(value), {
    error: 'must not contain control characters',
  })
  .refine((value) => !NO_ADDRESS.has(value), { error: 'must not be "." or "..", which no address can have' });

export const externalId = externalIdText
  .nullable()
  .optional()
  .describe(
    'Your own id of it: unique among yours of the kind, compared with case, seen by your client alone.',
  );

/** In an answer. */
export const shownExternalId = z.string().nullable().describe('What your client calls it.');

/** What a client calls the record; null where it has no name for it. */
export const externalIdFor = (
  record: { external_ids: ExternalIds },
  clientId: string | null,
): string | null => record.external_ids[clientId ?? '']?.[0] ?? null;

/** What a request says of an external id: nothing when undefined, none when null. */
export interface ExternalIdInput {
  clientId: string;
  text: string | null | undefined;
}

export const externalIdInput = ({ actor }: Context, id: string | null | undefined): ExternalIdInput => ({
  clientId: clientOf(actor) ?? '',
  text: id,
});

/** The column of a record that is made. */
export const newExternalIds = ({ clientId, text: id }: ExternalIdInput): { external_ids: ExternalIds } => ({
  external_ids: id ? { [clientId]: [id] } : {},
});

/** Continues the assignments of an UPDATE of the table that the statement names `alias`. */
export const assignExternalId = (
  sql: Sql,
  alias: string,
  { clientId, text: id }: ExternalIdInput,
): Fragment =>
  id === undefined
    ? sql``
    : sql`, external_ids = app.with_external_id(${sql(alias)}.external_ids, ${clientId}, ${id})`;

/** The id of the record that the client calls so; null where none is. */
export const recordIdOf = (
  sql: Sql,
  tenantId: string,
  source: ExternalSource,
  { clientId, text: id }: ExternalIdInput,
): Fragment => sql`(
  select e.record_id from public.external_ids e
  where e.tenant_id = ${tenantId} and e.client_id = ${clientId} and e.source = ${source} and e.external_id = ${id ?? null}
)`;

/** A record by its id, or by what the caller calls it. */
export type RecordKey = string | { externalId: string };

/** The id that a key stands for. */
export const keyIn = (
  sql: Sql,
  context: Context,
  source: ExternalSource,
  key: RecordKey,
): string | Fragment =>
  typeof key === 'string'
    ? key
    : recordIdOf(sql, context.tenantId, source, externalIdInput(context, key.externalId));

/** The id of the record that the caller calls so; null where none is. */
export async function findByExternalId(
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
 * Writes a record that is given an external id, or none: those who give the same one come one after the other. Throws `conflict`
 * with `existing_id` when another record has it.
 */
export async function writeWithExternalId<const W extends Work>(
  context: Context,
  source: ExternalSource,
  given: ExternalIdInput,
  build: (sql: Sql) => W,
  status?: LoggedStatus,
): Promise<RowsOf<W>> {
  const { clientId, text: id } = given;
  if (!id) return await context.write(build, status);
  try {
    const { work } = await context.write(
      (sql) => ({
        lock: sql`select app.lock_external_ids(${clientId}, ${source}, array[${id}]::text[])`,
        work: build(sql),
      }),
      status,
    );
    return work;
  } catch (error) {
    if (brokenConstraint(error) !== 'external_ids_pkey') throw error;
    throw duplicateExternalId(await findByExternalId(context, source, id));
  }
}

export const duplicateExternalId = (existingId: string | null | undefined): ApiError =>
  new ApiError('conflict', 'Another record has this external id already.', {
    details: [{ field: 'external_id', message: 'belongs to another record' }],
    reason: 'duplicate_external_id',
    ...(existingId && { extra: { existing_id: existingId } }),
  });

/** The filter of a list; whose they are, `conditionsOf` says. */
export const externalIdFilter =
  (source: ExternalSource): Filter =>
  (value) => {
    const { success } = externalIdText.safeParse(value);
    return success
      ? { op: 'external_id', column: source, value }
      : { rule: `must be text of at most ${MAX_LENGTH} characters` };
  };

/** Conditions as the database takes them: what the caller calls a record is looked up among the caller's own. */
export const conditionsOf = ({ actor }: Context, conditions: readonly Condition[]): object[] =>
  conditions.map((condition) =>
    condition.op === 'external_id'
      ? { ...condition, client_id: clientOf(actor), source: condition.column }
      : condition,
  );
