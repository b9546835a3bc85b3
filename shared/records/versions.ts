// Record versions and preconditions. The version is the time of the record's last change, which `private.set_updated_at` advances on
// every change of the row and only then.
import { createHash } from 'node:crypto';
import type { Context, LoggedStatus, NamingVariant } from '../platform/access/context.ts';
import type { Fragment, RowsOf, Sql, Work } from '../platform/db/database.ts';
import { isSqlError } from '../platform/db/sql-errors.ts';
import type { EntityTags } from '../platform/entity-tags.ts';
import { ApiError } from '../platform/errors.ts';
import { utcTime } from '../platform/instants.ts';

/** Resources with entity tags, and their tables. */
const versionedTables = {
  lead: 'leads',
  deal: 'deals',
  user: 'users',
  team: 'teams',
  webhook: 'webhook_endpoints',
  me: 'users',
} as const;

export type VersionedResource = keyof typeof versionedTables;

export const isVersioned = (resource: string): resource is VersionedResource =>
  Object.hasOwn(versionedTables, resource);

interface Versioned {
  updated_at: string;
  /** The version of a record that consists of several rows. */
  version?: string;
}

export const versionOf = (record: Versioned): string =>
  record.version ?? utcTime(record.updated_at).replace(/\D/g, '');

/** The entity tag of a record, without quotes: its version and a hash of what the response shows. */
function entityTagOf(record: Versioned, shown: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
  return `${versionOf(record)}.${hash}`;
}

/**
 * Headers of every response with a record. `no-transform`, because a proxy that compresses a response weakens its entity tag.
 */
const CACHE_HEADERS = {
  Vary: 'Authorization, X-Api-Variant',
  'Cache-Control': 'private, no-cache, no-transform',
} as const;

/** Lists and other members that the response includes with a record, by name. */
export type Lists = Readonly<Record<string, unknown>>;

/**
 * Headers of a response with a record in the names of a variant. Empty lists and a secret that is returned only once do not affect the
 * entity tag, so the tag of a write matches that of a later read.
 */
export function headersOf(
  variant: NamingVariant,
  record: Versioned,
  { secret: _secret, ...shown }: { secret?: unknown },
  lists: Lists = {},
): Record<'ETag' | keyof typeof CACHE_HEADERS, string> {
  const filled = Object.entries(lists).filter(([, entries]) => !Array.isArray(entries) || entries.length > 0);
  return { ETag: `"${entityTagOf(record, [variant, shown, ...filled])}"`, ...CACHE_HEADERS };
}

/** Whether a tag names the record's version. */
const hasVersion = (record: Versioned, tags: EntityTags): boolean =>
  tags === '*' || tags.some((tag) => tag.split('.')[0] === versionOf(record));

const VERSION = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})$/;

/** Whether Postgres accepts the time. `Date` also accepts 30 February and year 0. */
function isTime(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && text > '0001' && new Date(time).toISOString().startsWith(text);
}

/** The times in entity tags. Tags that cannot be a version are omitted, since they match no record. */
export const versionsOf = (tags: readonly string[]): string[] =>
  tags.flatMap((tag) => {
    const [version = '', ...parts] = VERSION.exec(tag.split('.')[0] ?? '') ?? [];
    const [year, month, day, hour, minute, second, fraction] = parts;
    const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
    return version && isTime(time) ? [`${time}.${fraction}Z`] : [];
  });

/** The versions in entity tags as a Postgres array; null accepts any version. */
export const versionArrayOf = (tags: EntityTags | undefined): string | null =>
  tags === undefined || tags === '*' ? null : `{${versionsOf(tags).join(',')}}`;

/** Locks the record and raises `preconditionFailed` unless it has one of these versions. Raises `*_missing` if it does not exist. */
const expectVersion = (sql: Sql, resource: VersionedResource, id: string, tags: EntityTags): Fragment =>
  sql`select app.expect_version(
    ${versionedTables[resource]}, ${`${resource}_missing`}, ${id},
    ${versionArrayOf(tags)}::text::timestamptz[]
  )`;

/** The 412 error with the current record as the API shows it, and its headers. */
export const recordChanged = (current: object, headers: Readonly<Record<string, string>>): ApiError =>
  new ApiError(
    'precondition_failed',
    'The record has changed since you read it. Compare it with `current` and retry.',
    { extra: { current }, headers, reason: 'precondition_failed' },
  );

/** A precondition, and how to read the current record if it fails. */
export interface Precondition<R extends Versioned> {
  resource: VersionedResource;
  id: string;
  tags: EntityTags;
  read(context: Context): Promise<R>;
  /** The 412 error with the current record. */
  refuse(record: R): ApiError;
}

/**
 * Runs work on a record that must have one of the given versions. The first statement of the writing transaction checks the version
 * and locks the record. A failed precondition takes priority over every error except invalid requests and missing records.
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
