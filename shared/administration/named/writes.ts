// Writes named resources.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/access/context.ts';
import type { Fragment, Sql, Work } from '../../platform/db/database.ts';
import { invalidArgument } from '../errors.ts';
import { expectRecord, expectRoom, lockRoom } from '../statements.ts';
import { type Changed, change } from '../transactions.ts';
import {
  candidateRow,
  deleteNamed,
  expectUnused,
  idNamed,
  insertNamed,
  lockNamed,
  lockNames,
  recordId,
  rememberRecord,
  selectNamed,
  storedForm,
  storedRow,
  updateNamed,
} from './queries.ts';
import type { Body, NamedResource } from './resource.ts';

const MAX_RECORDS = 500;

/** Rejects what the caller may not do, and rows that contradict themselves or others. `id` is undefined for a new record. */
function checks(sql: Sql, resource: NamedResource, tenantId: string, body: Body, id?: Fragment) {
  const row = (members: Fragment) => candidateRow(sql, resource, tenantId, id, members);
  const sent = row(sql`${JSON.stringify(body)}::jsonb`);
  const stored = row(storedForm(sql, resource, tenantId, body));
  const others = { old: storedRow(sql, resource, tenantId, id), tenantId, body };
  const hasTimes = resource.columns.includes('ends_at');
  const authorized: Work = resource.authorize?.(sql, { ...others, row: sent }) ?? [];
  const valid: Work = {
    times: hasTimes
      ? [sql`select app.raise_domain_error('ends_too_early') from ${stored} r where r.ends_at <= r.starts_at`]
      : [],
    own: resource.check?.(sql, { ...others, row: stored }) ?? [],
  };
  return { authorized, valid };
}

/** Creates a record. Throws `conflict` if its name is taken, and `unprocessable` if there are too many. */
export async function createNamed(context: Context, resource: NamedResource, sent: Body): Promise<Changed> {
  const { tenantId } = context;
  const { kind, table } = resource;
  const id = randomUUID();
  const body = { ...resource.defaults, ...sent };
  return await change(
    context,
    (sql) => {
      const { authorized, valid } = checks(sql, resource, tenantId, body);
      return {
        authorized,
        room: [
          lockRoom(sql, tenantId, table),
          expectRoom(sql, tenantId, { table, max: MAX_RECORDS, noun: table.replace('_', ' ') }),
          lockNames(sql, resource, tenantId),
        ],
        valid,
        insert: insertNamed(sql, resource, tenantId, id, body),
        others: resource.writeOthers?.(sql, sql`${id}::uuid`, body) ?? [],
        shown: selectNamed(sql, resource, tenantId, id),
      };
    },
    { kind, onArgument: invalidArgument },
  );
}

/** Finds and locks the record, and checks the versions of `If-Match`. */
const lockVersion = (sql: Sql, resource: NamedResource, tenantId: string, versions: string | null) => [
  lockNamed(sql, resource, tenantId),
  expectRecord(sql, resource.kind, versions, selectNamed(sql, resource, tenantId, recordId(sql))),
];

export interface Target {
  /** Id or name. */
  ref: string;
  /** The versions of `If-Match` as JSON; null without the header. */
  versions: string | null;
}

/** Changes the members of the body. Throws `not_found`, `precondition_failed`, and `conflict` if the name is taken. */
export async function updateNamedRecord(
  context: Context,
  resource: NamedResource,
  { ref, versions }: Target,
  body: Body,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(
    context,
    (sql) => {
      const { authorized, valid } = checks(sql, resource, tenantId, body, recordId(sql));
      return {
        found: rememberRecord(sql, idNamed(sql, resource, tenantId, ref)),
        room: lockRoom(sql, tenantId, resource.table),
        locked: lockVersion(sql, resource, tenantId, versions),
        authorized,
        names: lockNames(sql, resource, tenantId),
        valid,
        update: updateNamed(sql, resource, tenantId, body),
        others: resource.writeOthers?.(sql, recordId(sql), body) ?? [],
        shown: selectNamed(sql, resource, tenantId, recordId(sql)),
      };
    },
    { kind: resource.kind, onArgument: invalidArgument },
  );
}

/** Deletes a record that nothing else needs. Throws `not_found`, `precondition_failed` and `conflict`. */
export async function deleteNamedRecord(
  context: Context,
  resource: NamedResource,
  { ref, versions }: Target,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(
    context,
    (sql) => ({
      found: rememberRecord(sql, idNamed(sql, resource, tenantId, ref)),
      locked: lockVersion(sql, resource, tenantId, versions),
      unused: expectUnused(sql, resource, tenantId),
      others: resource.deleteOthers?.(sql, recordId(sql)) ?? [],
      delete: deleteNamed(sql, resource, tenantId),
    }),
    { kind: resource.kind },
  );
}
