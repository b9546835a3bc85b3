/** A bounded list that survives restarts, with one file per entry. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface EntryLog<T> {
  /** Resolves when the entry is on disk. Removes the oldest entries if the list is full. */
  add(entry: T): Promise<void>;
  newestFirst(): T[];
  clear(): Promise<void>;
}

interface StoredEntry<T> {
  file: string;
  entry: T;
  characters: number;
}

/**
 * Opens the list of a directory. Creates the directory if missing.
 *
 * @param maxCharacters limit for the total size of the entries as JSON
 */
export function openEntryLog<T>(
  directory: string,
  { maxEntries, maxCharacters }: { maxEntries: number; maxCharacters: number },
): EntryLog<T> {
  mkdirSync(directory, { recursive: true });
  let kept: StoredEntry<T>[] = [];
  for (const file of readdirSync(directory).sort()) {
    const path = join(directory, file);
    // A process killed during `add` leaves a temporary file.
    if (!file.endsWith('.json')) rmSync(path, { force: true });
    else kept.push(read<T>(path, file));
  }
  let nextNumber = Number.parseInt(kept.at(-1)?.file ?? '0', 10) + 1;

  async function drop(dropped: StoredEntry<T>[]): Promise<void> {
    await Promise.all(dropped.map(({ file }) => rm(join(directory, file), { force: true })));
  }

  function makeRoom(): StoredEntry<T>[] {
    let characters = kept.reduce((sum, entry) => sum + entry.characters, 0);
    let excess = 0;
    while (kept.length - excess > maxEntries || (characters > maxCharacters && kept.length - excess > 1)) {
      characters -= kept[excess]?.characters ?? 0;
      excess += 1;
    }
    return kept.splice(0, excess);
  }

  return {
    async add(entry) {
      const file = `${String(nextNumber).padStart(12, '0')}.json`;
      nextNumber += 1;
      const json = JSON.stringify(entry);
      const temporary = join(directory, `${file}.${randomUUID()}.new`);
      await writeFile(temporary, json);
      await rename(temporary, join(directory, file));
      kept.push({ file, entry, characters: json.length });
      kept.sort((a, b) => (a.file < b.file ? -1 : 1));
      await drop(makeRoom());
    },
    newestFirst: () => kept.map(({ entry }) => entry).reverse(),
    async clear() {
      const dropped = kept;
      kept = [];
      await drop(dropped);
    },
  };
}

function read<T>(path: string, file: string): StoredEntry<T> {
  const json = readFileSync(path, 'utf8');
  return { file, entry: JSON.parse(json) as T, characters: json.length };
}
