/** The state of an emulator: an object in memory, and the same as a JSON file where a folder was given. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface KeptState<T> {
  readonly state: T;
  /** Says that something changed; the file follows within a moment. */
  changed(): void;
  /** Resolves when the file holds everything. */
  close(): Promise<void>;
}

/** Changes within this time share a write. A kill may cost as much: this is a stand-in, not a bank. */
const WRITE_AFTER_MS = 100;

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
  let writing = Promise.resolve();

  function write(): Promise<void> {
    timer = undefined;
    const json = JSON.stringify(state);
    writing = writing.then(async () => {
      await writeFile(`${path}.new`, json);
      await rename(`${path}.new`, path);
    });
    return writing;
  }

  return {
    state,
    changed() {
      timer ??= setTimeout(() => {
        write().catch((error: unknown) => console.error(`${path} cannot be written`, error));
      }, WRITE_AFTER_MS);
    },
    async close() {
      clearTimeout(timer);
      await write();
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
