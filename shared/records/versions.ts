// Versions of records, and what a request demands of the one that it changes. A version is the time of the record's last
// change, which `private.set_updated_at` moves with every change of its row and with nothing else.
import { createHash } from 'node:crypto';
import type { Context, LoggedStatus } from '../platform/access/context.ts';
import type { Fragment, RowsOf, Sql, Work } from '../platform/db/database.ts';
import { isSqlError } from '../platform/db/sql-errors.ts';
import type { EntityTags } from '../platform/entity-tags.ts';
import { ApiError } from '../platform/errors.ts';
import { utcTime } from './utc-time.ts';

/** Records that are answered with an entity tag, and the table of each. */
export const versionedTables = {
  lead: 'leads',
  deal: 'deals',
  user: 'users',
  team: 'teams',
  webhook: 'webhook_endpoints',
} as const;

export type VersionedResource = keyof typeof versionedTables;

export const isVersioned = (resource: string): resource is VersionedResource =>
  Object.hasOwn(versionedTables, resource);

interface Versioned {
  updated_at: string;
}

const versionOf = (record: Versioned): string => utcTime(record.updated_at).replace(/\D/g, '');

/** What stands between the quotes of a record's entity tag: its version, and what tells apart all that is `shown` of it. */
export function entityTagOf(record: Versioned, shown: readonly unknown[]): string {
  const rest = createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
  return `${versionOf(record)}.${rest}`;
}

/** Whether the record has one of these versions. */
export const hasVersion = (record: Versioned, tags: EntityTags): boolean =>
  tags === '*' || tags.some((tag) => tag.split('.')[0] === versionOf(record));

const VERSION = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})$/;

/** Postgres knows no 30 February and no year 0, which a `Date` takes for another day. */
function isTime(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && text > '0001' && new Date(time).toISOString().startsWith(text);
}

/** Times that tags name; those that are nobody's version match nothing. */
export const timesOf = (tags: readonly string[]): string[] =>
  tags.flatMap((tag) => {
    const [version = '', ...parts] = VERSION.exec(tag.split('.')[0] ?? '') ?? [];
    const [year, month, day, hour, minute, second, fraction] = parts;
    const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
    return version && isTime(time) ? [`${time}.${fraction}Z`] : [];
  });

/** Versions that tags name, as the database takes them; null is any. */
export const timesIn = (tags: EntityTags | undefined): string | null =>
  tags === undefined || tags === '*' ? null : `{${timesOf(tags).join(',')}}`;

/** Locks the record, and fails unless it has one of these versions. Raises that it is missing first. */
const expectVersion = (sql: Sql, resource: VersionedResource, id: string, tags: EntityTags): Fragment =>
  sql`select app.expect_version(
    ${versionedTables[resource]}, ${`${resource}_missing`}, ${id},
    ${timesIn(tags)}::text::timestamptz[]
  )`;

/** What a request demands of a record, and how that one is read where it is not so. */
export interface Precondition<R extends Versioned> {
  resource: VersionedResource;
  id: string;
  tags: EntityTags;
  read(context: Context): Promise<R>;
  /** The 412 that shows the present record. */
  refuse(record: R): ApiError;
}

/**
 * Does work on a record that must have one of the versions named: it is checked, and held, by the first statement of the
 * transaction that writes. Whether it has comes before every other refusal but those for what the request itself holds, or
 * for a record that is missing.
 */
export async function withPrecondition<R extends Versioned, T>(
  context: Context,
  { resource, id, tags, read, refuse }: Precondition<R>,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  let checked = false;
  const guarded: Context = {
    ...context,
    async write<const W extends Work>(build: (sql: Sql) => W, status?: LoggedStatus): Promise<RowsOf<W>> {
      checked = true;
      const written = await context.write(
        (sql) => ({ version: expectVersion(sql, resource, id, tags), work: build(sql) }),
        status,
      );
      return written.work;
    },
  };
  try {
    return await work(guarded);
  } catch (error) {
    if (isSqlError(error, 'preconditionFailed')) throw refuse(await read(context));
    if (
      !checked &&
      error instanceof ApiError &&
      (error.code === 'unprocessable' || error.code === 'conflict')
    ) {
      const record = await read(context);
      if (!hasVersion(record, tags)) throw refuse(record);
    }
    throw error;
  }
}
