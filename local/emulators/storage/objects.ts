// Files and their rows in storage.objects. Files on disk are named by version: object names cannot escape the folder, and
// replacing an object is atomic.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { bucketNotFound, duplicate, objectNotFound, StorageError } from './errors.ts';

/** The columns of `storage.objects` that the emulator reads. */
export interface ObjectRow {
  id: string;
  version: string;
  updated_at: Date;
  metadata: {
    eTag: string;
    /** Bytes. */
    size: number;
    mimetype: string;
    cacheControl: string;
    lastModified: string;
    contentLength: number;
    httpStatusCode: number;
  };
}

export interface Upload {
  bytes: Uint8Array;
  contentType: string;
  cacheControl: string;
  /** Whether to replace an existing object. */
  upsert: boolean;
}

/** Throws 400 `InvalidKey` for a name that Supabase Storage rejects or that contains path traversal. */
function checkName(name: string): void {
  const allowed = /^[\w/!\-.*'() &$@=;:+,?]+$/.test(name) && name.length <= 1024;
  const segments = name.split('/');
  if (!allowed || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new StorageError(400, 'InvalidKey', `Invalid key: ${name}`);
  }
}

const codeOf = (error: unknown) => (error instanceof postgres.PostgresError ? error.code : undefined);
const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

export function createObjects(sql: postgres.Sql, dir: string) {
  const pathOf = (version: string) => join(dir, version);
  const dropFile = (version: string) => rm(pathOf(version), { force: true });

  return {
    /** Throws 409 if the bucket exists. */
    async createBucket(name: string): Promise<void> {
      const row = { id: name, name, public: false };
      await sql`insert into storage.buckets ${sql(row)}`.catch((error: unknown) => {
        throw codeOf(error) === UNIQUE_VIOLATION ? duplicate() : error;
      });
    },

    /** Throws 404 if the object does not exist. */
    async find(bucket: string, name: string): Promise<ObjectRow> {
      const [row] = await sql<ObjectRow[]>`
        select * from storage.objects where bucket_id = ${bucket} and name = ${name}`;
      if (!row) throw objectNotFound();
      return row;
    },

    read: (row: ObjectRow): Promise<Buffer> => readFile(pathOf(row.version)),

    /** Deletes the objects with these names, and returns those that existed. */
    async remove(bucket: string, names: readonly string[]): Promise<{ name: string }[]> {
      const rows = await sql.begin(async (tx) => {
        await tx`select set_config('storage.can_delete', 'true', true)`;
        return await tx<{ name: string; version: string }[]>`
          delete from storage.objects where bucket_id = ${bucket} and name = any (${names as string[]}) returning name, version`;
      });
      await Promise.all(rows.map(({ version }) => dropFile(version)));
      return rows.map(({ name }) => ({ name }));
    },

    /** Throws 400 for an invalid name, 404 for an unknown bucket, 409 if the object exists and `upsert` is false. */
    async write(bucket: string, name: string, upload: Upload): Promise<ObjectRow> {
      checkName(name);
      const version = randomUUID();
      await mkdir(dir, { recursive: true });
      await writeFile(pathOf(version), upload.bytes);
      try {
        const { row, replaced } = await sql.begin(async (tx) => {
          // Serializes uploads of one name, so that each knows which file it replaces.
          await tx`select pg_advisory_xact_lock(hashtextextended(${`${bucket}/${name}`}, 0))`;
          const [before] = await tx<ObjectRow[]>`
            select version from storage.objects where bucket_id = ${bucket} and name = ${name}`;
          if (before && !upload.upsert) throw duplicate();
          const values = { bucket_id: bucket, name, version, metadata: describe(upload) };
          const [row] = await tx<ObjectRow[]>`
            insert into storage.objects ${tx(values)}
            on conflict (bucket_id, name) do update
              set version = excluded.version, metadata = excluded.metadata, updated_at = now()
            returning *`;
          if (!row) throw new Error('The object was not stored');
          return { row, replaced: before?.version };
        });
        if (replaced) await dropFile(replaced);
        return row;
      } catch (error) {
        await dropFile(version);
        throw codeOf(error) === FOREIGN_KEY_VIOLATION ? bucketNotFound() : error;
      }
    },
  };
}

function describe({ bytes, contentType, cacheControl }: Upload): ObjectRow['metadata'] {
  return {
    eTag: `"${createHash('md5').update(bytes).digest('hex')}"`,
    size: bytes.length,
    mimetype: contentType,
    cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: bytes.length,
    httpStatusCode: 200,
  };
}
