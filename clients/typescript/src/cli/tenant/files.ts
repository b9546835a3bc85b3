// Copies a tenant's files between the Storage of two projects: those that are missing or differ. Compares sizes and checksums, so that a
// copy can be repeated and resumed.
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { CliError } from '../exit-codes.ts';

const BUCKET = 'payment-documents';
const TIMEOUT_MS = 60_000;
const DELETED_AT_ONCE = 500;

/** A project's Storage. */
export interface Storage {
  sql: postgres.Sql;
  supabaseUrl: string;
  secretKey: string;
}

export interface CopyFiles {
  from: Storage;
  to: Storage;
  tenantId: string;
  /** Called after each file. */
  onProgress(copied: number): Promise<void>;
}

/** A file's path in the bucket, its size in bytes and its checksum as Storage computed it. */
export interface StoredFile {
  path: string;
  size: number;
  checksum: string;
}

/** Copies the files of a tenant that the destination lacks, and returns how many it copied. Each copy is read back and compared by SHA-256. */
export async function copyFiles({ from, to, tenantId, onProgress }: CopyFiles): Promise<number> {
  let copied = 0;
  for (const { path } of await missingFiles(from, to, tenantId)) {
    const { bytes, contentType } = await download(from, path);
    await upload(to, path, bytes, contentType);
    if (sha256(bytes) !== sha256((await download(to, path)).bytes))
      throw new CliError(`${path} differs after it was copied.`);
    copied += 1;
    await onProgress(copied);
  }
  return copied;
}

/** Files of the source that the destination does not have in the same size and with the same checksum. */
export async function missingFiles(from: Storage, to: Storage, tenantId: string): Promise<StoredFile[]> {
  const [wanted, present] = await Promise.all([listFiles(from, tenantId), listFiles(to, tenantId)]);
  const known = new Map(present.map((file) => [file.path, file]));
  const missing: StoredFile[] = [];
  for (const file of wanted) {
    const copy = known.get(file.path);
    if (copy?.size === file.size && copy.checksum === file.checksum) continue;
    // Storage computes the checksum of a large upload from its parts, so equal files can have different ones.
    const isSame =
      copy?.size === file.size &&
      sha256((await download(from, file.path)).bytes) === sha256((await download(to, file.path)).bytes);
    if (!isSame) missing.push(file);
  }
  return missing;
}

/** The tenant's files, from the table that Storage keeps, because its HTTP API lists one folder at a time. */
export const listFiles = async ({ sql }: Storage, tenantId: string): Promise<StoredFile[]> =>
  await sql<StoredFile[]>`
    select name as path, coalesce((metadata ->> 'size')::double precision, 0) as size, coalesce(metadata ->> 'eTag', '') as checksum
    from storage.objects where bucket_id = ${BUCKET} and name like ${`${tenantId}/%`} order by name`;

/** Deletes the tenant's files. Missing files are no error. */
export async function deleteFiles(storage: Storage, tenantId: string): Promise<number> {
  const files = await listFiles(storage, tenantId);
  for (let from = 0; from < files.length; from += DELETED_AT_ONCE) {
    const prefixes = files.slice(from, from + DELETED_AT_ONCE).map(({ path }) => path);
    const answer = await request(
      storage,
      'DELETE',
      `/object/${BUCKET}`,
      JSON.stringify({ prefixes }),
      'application/json',
    );
    if (!answer.ok) throw await failure('delete files', answer);
  }
  return files.length;
}

async function download(
  storage: Storage,
  path: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; contentType: string }> {
  const answer = await request(storage, 'GET', `/object/${BUCKET}/${encode(path)}`);
  if (!answer.ok) throw await failure(`read ${path}`, answer);
  const contentType = answer.headers.get('content-type') ?? 'application/octet-stream';
  return { bytes: new Uint8Array(await answer.arrayBuffer()), contentType };
}

async function upload(
  storage: Storage,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<void> {
  const put = () => request(storage, 'POST', `/object/${BUCKET}/${encode(path)}`, bytes, contentType);
  let answer = await put();
  if (!answer.ok && /bucket/i.test(await answer.clone().text())) {
    await request(
      storage,
      'POST',
      '/bucket',
      JSON.stringify({ name: BUCKET, id: BUCKET, public: false }),
      'application/json',
    );
    answer = await put();
  }
  if (!answer.ok) throw await failure(`store ${path}`, answer);
}

const encode = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function request(
  { supabaseUrl, secretKey }: Storage,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  contentType?: string,
): Promise<Response> {
  return fetch(`${supabaseUrl}/storage/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${secretKey}`,
      apikey: secretKey,
      'x-upsert': 'true',
      ...(contentType !== undefined && { 'Content-Type': contentType }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

const failure = async (what: string, answer: Response): Promise<CliError> =>
  new CliError(`Storage did not ${what}: HTTP ${answer.status} ${(await answer.text()).slice(0, 200)}`);
