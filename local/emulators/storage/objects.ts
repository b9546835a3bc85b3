// Files and their rows in storage.objects. A file on disk is named by its version alone, so no name of an object
// leads out of the folder, and an object that is replaced is never half old and half new.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { duplicate, objectNotFound, StorageError } from './errors.ts';

/** The columns of `storage.objects` that are read here. */
export interface ObjectRow {
  id: string;
  bucket_id: string;
  name: string;
  version: string;
  created_at: Date;
  updated_at: Date;
  last_accessed_at: Date;
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
  user_metadata: { [key: string]: postgres.JSONValue } | null;
}

export interface Upload {
  bytes: Uint8Array;
  contentType: string;
  cacheControl: string;
  userMetadata?: ObjectRow['user_metadata'];
}

export interface ListRequest {
  /** Folder to list, empty or with a slash at the end. */
  folder: string;
  /** Start of the names within the folder. */
  search: string;
  limit: number;
  offset: number;
  column: 'name' | 'updated_at' | 'created_at' | 'last_accessed_at';
  descending: boolean;
}

/** Throws 400 `InvalidKey` for a name that Supabase Storage does not take, or that looks like a way out. */
export function checkName(name: string): void {
  const allowed = /^[\w/!\-.*'() &$@=;:+,?]+$/.test(name) && name.length <= 1024;
  const segments = name.split('/');
  if (!allowed || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new StorageError(400, 'InvalidKey', `Invalid key: ${name}`);
  }
}

export function createObjects(sql: postgres.Sql, dir: string) {
  const pathOf = (version: string) => join(dir, version);
  const dropFiles = (versions: string[]) =>
    Promise.all(versions.map((version) => rm(pathOf(version), { force: true })));

  /** Rows go only with this setting, as on Supabase: a row deleted in SQL would leave its file behind. */
  const deleteRows = async (bucket: string, names?: string[]): Promise<ObjectRow[]> => {
    const rows = await sql.begin(async (tx) => {
      await tx`select set_config('storage.can_delete', 'true', true)`;
      const named = names ? tx`and name = any (${names})` : tx``;
      return tx<ObjectRow[]>`delete from storage.objects where bucket_id = ${bucket} ${named} returning *`;
    });
    await dropFiles(rows.map(({ version }) => version));
    return rows;
  };

  return {
    /** The object's row. Throws 404. */
    async find(bucket: string, name: string): Promise<ObjectRow> {
      const [row] = await sql<ObjectRow[]>`
        select * from storage.objects where bucket_id = ${bucket} and name = ${name}`;
      if (!row) throw objectNotFound();
      return row;
    },

    read: (row: ObjectRow): Promise<Buffer> => readFile(pathOf(row.version)),

    /** Throws 409 when the object is there and may not be replaced. */
    async write(bucket: string, name: string, upload: Upload, upsert: boolean): Promise<ObjectRow> {
      const version = randomUUID();
      await mkdir(dir, { recursive: true });
      await writeFile(pathOf(version), upload.bytes);
      try {
        const { row, replaced } = await sql.begin(async (tx) => {
          // Two uploads of one name take turns, so each of them knows which file it replaces.
          await tx`select pg_advisory_xact_lock(hashtextextended(${`${bucket}/${name}`}, 0))`;
          const [before] = await tx<ObjectRow[]>`
            select version from storage.objects where bucket_id = ${bucket} and name = ${name}`;
          if (before && !upsert) throw duplicate();
          const values = {
            bucket_id: bucket,
            name,
            version,
            metadata: describe(upload),
            user_metadata: upload.userMetadata ?? null,
          };
          const [row] = await tx<ObjectRow[]>`
            insert into storage.objects ${tx(values)}
            on conflict (bucket_id, name) do update
              set version = excluded.version, metadata = excluded.metadata,
                  user_metadata = excluded.user_metadata, updated_at = now()
            returning *`;
          if (!row) throw new Error('The object was not stored');
          return { row, replaced: before?.version };
        });
        if (replaced) await dropFiles([replaced]);
        return row;
      } catch (error) {
        await dropFiles([version]);
        throw error;
      }
    },

    delete: (bucket: string, names: string[]): Promise<ObjectRow[]> => deleteRows(bucket, names),
    deleteAll: (bucket: string): Promise<ObjectRow[]> => deleteRows(bucket),

    /** Throws 409 when objects are left in it. */
    async deleteBucket(bucket: string): Promise<void> {
      try {
        await sql.begin(async (tx) => {
          await tx`select set_config('storage.can_delete', 'true', true)`;
          await tx`delete from storage.buckets where id = ${bucket}`;
        });
      } catch (error) {
        if (!(error instanceof postgres.PostgresError) || error.code !== '23503') throw error;
        throw new StorageError(409, 'InvalidRequest', 'The bucket you tried to delete is not empty');
      }
    },

    /** Files and folders right below a folder; a folder has a name and nothing else. */
    list: (bucket: string, request: ListRequest) => sql`
      with below as (
        select *, substr(name, length(${request.folder}) + 1) as rest
          from storage.objects
         where bucket_id = ${bucket} and starts_with(name, ${request.folder})
      ), entries as (
        select rest as name, id, updated_at, created_at, last_accessed_at, metadata
          from below where rest !~ '/'
        union all
        select distinct split_part(rest, '/', 1), null::uuid, null::timestamptz, null::timestamptz,
               null::timestamptz, null::jsonb
          from below where rest ~ '/'
      )
      select * from entries
       where starts_with(lower(name), lower(${request.search}))
       order by ${sql(request.column)} ${request.descending ? sql`desc` : sql`asc`}, name
       limit ${request.limit} offset ${request.offset}`,
  };
}

export type Objects = ReturnType<typeof createObjects>;

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
