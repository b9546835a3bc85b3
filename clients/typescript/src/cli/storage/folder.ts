// A folder with copies of files, and a list of them with content type, SHA-256 and the version of the source. A line is appended once its
// file is complete, so a copy that was killed continues; later lines replace earlier ones.
import { createHash } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../exit-codes.ts';
import type { FileStorage, ListedFile } from './files.ts';

const LIST = 'files.ndjson';
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface Entry {
  name: string;
  size: number;
  sha256: string;
  content_type: string;
  version: string;
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function folderOf(folder: string): Promise<FileStorage> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const root = join(folder, 'files');
  const list = join(folder, LIST);
  const entries = parseEntries(await readFile(list, 'utf8').catch(() => ''));
  // A line that a kill cut off must not swallow the next one.
  const append = (entry: object) => appendFile(list, `\n${JSON.stringify(entry)}\n`, { mode: PRIVATE_FILE });
  const pathOf = (name: string) => join(root, ...segmentsOf(name));

  return {
    async *list(prefix) {
      for (const name of await namesIn(root)) {
        if (!name.startsWith(prefix)) continue;
        const { size } = await stat(pathOf(name));
        yield { name, size, version: entries.get(name)?.version ?? '' };
      }
    },
    async read(name) {
      const bytes = await readFile(pathOf(name)).catch(() => undefined);
      const contentType = entries.get(name)?.content_type ?? 'application/octet-stream';
      return bytes && { bytes: new Uint8Array(bytes), contentType };
    },
    async write(name, { bytes, contentType }, version) {
      const path = pathOf(name);
      await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      const handle = await open(`${path}.partial`, 'w', PRIVATE_FILE);
      await handle.writeFile(bytes);
      await handle.sync();
      await handle.close();
      await rename(`${path}.partial`, path);
      const entry = { name, size: bytes.length, sha256: sha256Of(bytes), content_type: contentType, version };
      await append(entry);
      entries.set(name, entry);
    },
    async remove(name) {
      await rm(pathOf(name), { force: true });
      entries.delete(name);
    },
    async hasVersion({ name, size, version }: ListedFile) {
      const entry = entries.get(name);
      if (!entry || version === '' || entry.version !== version || entry.size !== size) return false;
      const bytes = await readFile(pathOf(name)).catch(() => undefined);
      return bytes !== undefined && sha256Of(bytes) === entry.sha256;
    },
    close: async () => {},
  };
}

/** Names come from a project, so they must not lead out of the folder. */
function segmentsOf(name: string): string[] {
  const segments = name.split('/');
  const isSafe = segments.every((one) => one !== '' && one !== '.' && one !== '..' && !/[\\\0]/.test(one));
  if (!isSafe || name.endsWith('.partial'))
    throw new CliError(`${name} cannot be a file name on this machine.`);
  return segments;
}

async function namesIn(root: string): Promise<string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((one) => one.isFile() && !one.name.endsWith('.partial'))
    .map((one) =>
      join(one.parentPath ?? one.path, one.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

function parseEntries(text: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const line of text.split('\n')) {
    try {
      const entry: Entry = JSON.parse(line);
      entries.set(entry.name, entry);
    } catch {
      // An empty line, or one that a kill cut off. Its file is copied again.
    }
  }
  return entries;
}
