/** The state of an emulator: an object in memory, and the same as a JSON file where a folder was given. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface KeptState<T> {
  readonly state: T;
  /** Says that something changed; the file follows within a moment, of a large state within some. */
  changed(): void;
  /** Resolves when the file holds everything. */
  close(): Promise<void>;
}

/** Changes within this time share a write. A kill may cost as much: this is a stand-in, not a bank. */
const WRITE_AFTER_MS = 100;
/** A state that takes long to write is written more rarely, so that writing takes one part of the time in so many. */
const REST_TIMES = 20;

/**
 * Opens what an earlier run left, or begins with `initial`.
 *
 * @param file absent: nothing is kept. Written by `close` and `changed` alone, so its content is what T was.
 */
export async function keepState<T extends object>(
  file: string | undefined,
  initial: T,
): Promise<KeptState<T>> {
  if (file === undefined) return { state: initial, changed: () => {}, close: async () => {} };
  const path = file;
  await mkdir(dirname(path), { recursive: true });
  const found = await readFile(path, 'utf8').catch(absent);
  // The file is this emulator's own.
  const state: T = found === undefined ? initial : { ...initial, ...JSON.parse(found) };
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let changedMeanwhile = false;
  let closed = false;

  async function write(): Promise<void> {
    await writeFile(`${path}.new`, JSON.stringify(state));
    await rename(`${path}.new`, path);
  }

  /** One at a time: each holds all of the state as text. */
  async function writeChanges(): Promise<void> {
    timer = undefined;
    changedMeanwhile = false;
    const startedAt = performance.now();
    await write().catch((error: unknown) => console.error(`${path} cannot be written`, error));
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
