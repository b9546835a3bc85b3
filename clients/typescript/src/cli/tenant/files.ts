// The files of a tenant in the Storage of two projects. Copying can be repeated and resumed.
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../exit-codes.ts';
import { copyFile, forEachConcurrently } from '../storage/copy.ts';
import type { FileStorage, ListedFile } from '../storage/files.ts';
import { sha256Of } from '../storage/folder.ts';
import { projectBucket } from '../storage/project-bucket.ts';
import type { Side } from './side.ts';

export interface CopyFiles {
  from: Side;
  to: Side;
  tenantId: string;
  /** Undefined for no limit. */
  bytesPerSecond?: number | undefined;
  /** Called after each file. */
  onProgress(copied: number): Promise<void>;
}

/** Requests have timeouts of their own. */
const { signal } = new AbortController();

const bucketOf = ({ sql, storage }: Side): FileStorage => projectBucket(sql, storage);

/** Copies the files of a tenant that the destination lacks, and returns how many it copied. Each copy is read back and compared. */
export async function copyFiles({
  from,
  to,
  tenantId,
  bytesPerSecond,
  onProgress,
}: CopyFiles): Promise<number> {
  const places = { from: bucketOf(from), to: bucketOf(to), signal };
  let copied = 0;
  for (const file of await missingFiles(from, to, tenantId)) {
    const startedAtMs = performance.now();
    const { bytes } = await copyFile(file, undefined, places);
    const aheadMs = bytesPerSecond ? (bytes / bytesPerSecond) * 1000 - (performance.now() - startedAtMs) : 0;
    if (aheadMs > 0) await sleep(aheadMs);
    copied += 1;
    await onProgress(copied);
  }
  return copied;
}

/** Files of the source that the destination does not have with the same content. */
export async function missingFiles(from: Side, to: Side, tenantId: string): Promise<ListedFile[]> {
  const [source, destination] = [bucketOf(from), bucketOf(to)];
  const [wanted, present] = await Promise.all([
    listFiles(source, tenantId),
    listFiles(destination, tenantId),
  ]);
  const known = new Map(present.map((file) => [file.name, file]));
  const missing: ListedFile[] = [];
  for (const file of wanted) {
    const copy = known.get(file.name);
    if (copy?.size === file.size && copy.version === file.version) continue;
    // Storage computes the checksum of a large upload from its parts, so equal files can have different ones.
    if (copy?.size === file.size && (await hasSameContent(source, destination, file.name))) continue;
    missing.push(file);
  }
  return missing;
}

/** Counts the tenant's files. */
export const countFiles = async (side: Side, tenantId: string): Promise<number> =>
  (await listFiles(bucketOf(side), tenantId)).length;

/** Deletes the tenant's files, and returns how many there were. */
export async function deleteFiles(side: Side, tenantId: string): Promise<number> {
  const storage = bucketOf(side);
  const files = await listFiles(storage, tenantId);
  await forEachConcurrently(files, ({ name }) => storage.remove(name, signal));
  return files.length;
}

async function listFiles(storage: FileStorage, tenantId: string): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  const prefix = `${tenantId}/`;
  for await (const file of storage.list(prefix)) {
    // A project could name files of another tenant.
    if (!file.name.startsWith(prefix)) throw new CliError(`${file.name} is not a file of the tenant.`);
    files.push(file);
  }
  return files;
}

async function hasSameContent(source: FileStorage, destination: FileStorage, name: string): Promise<boolean> {
  const contents = await Promise.all([source, destination].map((storage) => storage.read(name, signal)));
  const [hash, other] = contents.map((content) => content && sha256Of(content.bytes));
  return hash !== undefined && hash === other;
}
