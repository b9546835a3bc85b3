// Copies files from one place to another and compares size and SHA-256 of each. Running it again continues and copies only what differs.
import { CliError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { FileStorage, ListedFile } from './files.ts';
import { sha256Of } from './folder.ts';

const CONCURRENCY = 4;

export interface CopyOptions {
  from: FileStorage;
  to: FileStorage;
  prefix: string;
  /** Whether to delete files that the source does not have. */
  deleteExtra: boolean;
  out: Output;
  signal: AbortSignal;
}

export interface CopyCounts {
  files: number;
  copied: number;
  replaced: number;
  unchanged: number;
  /** Files that only the destination has. */
  extra: number;
  deleted: number;
  failed: number;
  /** Bytes written. */
  bytes: number;
}

export async function copyFiles(options: CopyOptions): Promise<CopyCounts> {
  const { from, to, prefix, deleteExtra, out, signal } = options;
  const counts = {
    files: 0,
    copied: 0,
    replaced: 0,
    unchanged: 0,
    extra: 0,
    deleted: 0,
    failed: 0,
    bytes: 0,
  };
  const there = new Map<string, ListedFile>();
  for await (const file of to.list(prefix)) there.set(file.name, file);

  const copyOne = async (file: ListedFile) => {
    counts.files++;
    try {
      const { outcome, bytes } = await copyFile(file, there.get(file.name), options);
      counts[outcome]++;
      counts.bytes += bytes;
    } catch (error) {
      signal.throwIfAborted();
      counts.failed++;
      out.warn(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    there.delete(file.name);
  };
  await forEachConcurrently(from.list(prefix), copyOne);
  counts.extra = there.size;
  if (!deleteExtra) return counts;
  // An empty source is more likely to be the wrong one.
  if (counts.files === 0 && there.size > 0)
    throw new CliError('The source has no files, so nothing is deleted. Check --from.');
  await forEachConcurrently(there.keys(), async (name) => {
    signal.throwIfAborted();
    await to.remove(name, signal);
    counts.deleted++;
  });
  return counts;
}

interface Copied {
  outcome: 'copied' | 'replaced' | 'unchanged';
  bytes: number;
}

/** Copies one file unless the destination has it with the same content. Throws if the copy differs. */
export async function copyFile(
  file: ListedFile,
  existing: ListedFile | undefined,
  { from, to, signal }: Pick<CopyOptions, 'from' | 'to' | 'signal'>,
): Promise<Copied> {
  signal.throwIfAborted();
  if (existing && (await to.hasVersion?.(file))) return { outcome: 'unchanged', bytes: 0 };
  const source = await from.read(file.name, signal);
  if (!source) throw new Error('the source no longer has this file. Run the command again.');
  const hash = sha256Of(source.bytes);
  const isSame = async () => {
    const copy = await to.read(file.name, signal);
    return copy?.bytes.length === source.bytes.length && sha256Of(copy.bytes) === hash;
  };
  // A folder that has the bytes, but not their version, gets the version with a new write.
  if (existing?.size === source.bytes.length && !to.hasVersion && (await isSame()))
    return { outcome: 'unchanged', bytes: 0 };
  await to.write(file.name, source, file.version, signal);
  if (!(await isSame())) throw new Error('the copy differs from the source. Run the command again.');
  return { outcome: existing ? 'replaced' : 'copied', bytes: source.bytes.length };
}

/** Runs the work on each item, several at once. Stops with the first error. */
export async function forEachConcurrently<T>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const item of items) {
    const one = work(item).finally(() => running.delete(one));
    // Errors are thrown by the waits below.
    one.catch(() => {});
    running.add(one);
    if (running.size >= CONCURRENCY) await Promise.race(running);
  }
  await Promise.all(running);
}
