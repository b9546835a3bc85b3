/** The state of an emulator: an object in memory, optionally persisted as a JSON file. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface StoredState<T> {
  readonly state: T;
  /** Schedules a write after a change. Large states are written less often. */
  changed(): void;
  /** Resolves when the file is up to date. */
  close(): Promise<void>;
}

/** Changes within this time share a write. A crash may lose them. */
const WRITE_AFTER_MS = 100;
/** Factor between the pause after a write and its duration, so that large states are written less often. */
const REST_TIMES = 20;

/**
 * Loads the state of an earlier run, or starts with `initial`.
 *
 * @param file if absent, nothing is persisted. Only `close` and `changed` write it, so its content is a T.
 */
export async function openStoredState<T extends object>(
  file: string | undefined,
  initial: T,
): Promise<StoredState<T>> {
  if (file === undefined) return { state: initial, changed: () => {}, close: async () => {} };
  const path = file;
  await mkdir(dirname(path), { recursive: true });
  const found = await readFile(path, 'utf8').catch(absent);
  // Only this emulator writes the file.
  const state: T = found === undefined ? initial : { ...initial, ...JSON.parse(found) };
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let changedMeanwhile = false;
  let closed = false;

  async function write(): Promise<void> {
    await writeFile(`${path}.new`, JSON.stringify(state));
    await rename(`${path}.new`, path);
  }

  /** One at a time, because each write serializes the whole state. */
  async function writeChanges(): Promise<void> {
    timer = undefined;
    changedMeanwhile = false;
    const startedAt = performance.now();
    await write().catch((error: unknown) => console.error(`Cannot write ${path}`, error));
    writing = undefined;
    if (changedMeanwhile) plan(REST_TIMES * (performance.now() - startedAt));
  }

  function plan(waitMs: number): void {
    if (closed) return;
    timer ??= setTimeout(
      () => {
        writing = writeChanges();
      },
      Math.max(waitMs, WRITE_AFTER_MS),
    );
  }

  return {
    state,
    changed() {
      if (writing === undefined) plan(WRITE_AFTER_MS);
      else changedMeanwhile = true;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
