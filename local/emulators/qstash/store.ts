/**
 * Durable records by collection and id, kept in memory and in an append-only journal. Changes are visible in memory
 * immediately; `flush` waits until they are on disk.
 */
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeadLetter, Message, Schedule } from './message.ts';

/** All collections of the emulator. */
interface Collections {
  messages: Message;
  schedules: Schedule;
  deadLetters: DeadLetter;
  deduplications: { messageId: string; expiresAtMs: number };
}

type Name = keyof Collections;

export interface Store {
  /** The records of a collection by id, oldest first. */
  all<N extends Name>(name: N): ReadonlyMap<string, Collections[N]>;
  put<N extends Name>(name: N, id: string, record: Collections[N]): void;
  remove(name: Name, id: string): void;
  /** Resolves when all changes made so far are on disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

// The journal is rewritten as a snapshot beyond this size, so that it does not grow without bound.
const COMPACT_AFTER_LINES = 50_000;

/** Opens and compacts the journal of a directory. Creates the directory if missing. */
export async function openStore(directory: string): Promise<Store> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'journal.jsonl');
  const collections: { [N in Name]: Map<string, Collections[N]> } = {
    messages: new Map(),
    schedules: new Map(),
    deadLetters: new Map(),
    deduplications: new Map(),
  };

  function replay(line: string): void {
    const [name, id, record] = JSON.parse(line) as [Name, string, Collections[Name] | null];
    const collection = collections[name] as Map<string, Collections[Name]>;
    if (record === null) collection.delete(id);
    else collection.set(id, record);
  }

  const lines = (await readFile(path, 'utf8').catch(absent)).split('\n');
  // A crash during a write leaves an incomplete last line, which was never acknowledged.
  for (const line of lines.slice(0, -1)) replay(line);

  let pending: string[] = [];
  let linesInJournal = 0;
  let journal = await compact();
  let writing: Promise<void> | undefined;

  async function compact(): Promise<FileHandle> {
    const snapshot = Object.entries(collections).flatMap(([name, records]) =>
      [...records].map(([id, record]) => line(name, id, record)),
    );
    const temporary = `${path}.new`;
    const file = await open(temporary, 'w');
    await file.writeFile(snapshot.join(''));
    await file.datasync();
    await rename(temporary, path);
    linesInJournal = snapshot.length;
    return file;
  }

  // One write at a time with all pending changes: concurrent publishers share one fsync.
  async function writePending(): Promise<void> {
    try {
      while (pending.length > 0) {
        const batch = pending;
        pending = [];
        if (linesInJournal + batch.length > COMPACT_AFTER_LINES + 2 * collections.messages.size) {
          const old = journal;
          journal = await compact();
          await old.close();
        } else {
          linesInJournal += batch.length;
          await journal.appendFile(batch.join(''));
          await journal.datasync();
        }
      }
    } catch (error) {
      // The journal may end with an incomplete line. The next write rewrites it.
      linesInJournal = Number.POSITIVE_INFINITY;
      throw error;
    } finally {
      writing = undefined;
    }
  }

  function append(entry: string): void {
    pending.push(entry);
    writing ??= Promise.resolve().then(writePending);
    // `flush` reports failed writes; an unhandled rejection would end the process.
    writing.catch(() => {});
  }

  const flush = async (): Promise<void> => {
    await writing;
  };

  return {
    all: (name) => collections[name],
    put(name, id, record) {
      collections[name].set(id, record);
      append(line(name, id, record));
    },
    remove(name, id) {
      if (collections[name].delete(id)) append(line(name, id, null));
    },
    flush,
    async close() {
      await flush();
      await journal.close();
    },
  };
}

const line = (name: string, id: string, record: unknown): string => `${JSON.stringify([name, id, record])}\n`;

function absent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
