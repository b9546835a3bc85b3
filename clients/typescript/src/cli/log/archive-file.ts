// The files of an archived month: gzipped NDJSON with one line per row, and a manifest. The manifest is written last, so an archive with a
// manifest is complete.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CliError } from '../exit-codes.ts';

/** The request log contains IP addresses, so only the user may read its archives. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface Manifest {
  /** `YYYY-MM`, in UTC. */
  month: string;
  file: string;
  rows: number;
  /** Size and hash of the file. */
  bytes: number;
  sha256: string;
  /** Hash of the rows in the database when they were read (`readFingerprint`). */
  fingerprint: string;
}

const pathsOf = (folder: string, month: string) => {
  const file = `request_log-${month}.ndjson.gz`;
  return { file, path: join(folder, file), manifestPath: join(folder, `request_log-${month}.json`) };
};

/** Writes the lines, reads them back and writes the manifest. Replaces an earlier archive of the month. */
export async function writeArchive(
  folder: string,
  month: string,
  { fingerprint, batches }: { fingerprint: string; batches: AsyncIterable<readonly { line: string }[]> },
): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const { file, path, manifestPath } = pathsOf(folder, month);
  const partial = `${path}.partial`;
  const gzip = createGzip();
  const written = pipeline(gzip, createWriteStream(partial, { mode: PRIVATE_FILE }));
  const content = createHash('sha256');
  let rows = 0;
  try {
    for await (const batch of batches) {
      const text = batch.map(({ line }) => `${line}\n`).join('');
      content.update(text);
      rows += batch.length;
      if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written]);
    }
  } catch (error) {
    gzip.destroy();
    await written.catch(() => {});
    throw error;
  }
  gzip.end();
  await written;
  await syncFile(partial);
  const read = await readLines(partial, month);
  if (read.rows !== rows || read.content !== content.digest('hex'))
    throw new CliError(`${partial} does not contain what was written. The partition is unchanged.`);
  // Otherwise a run that is killed here would leave the manifest of an earlier archive with this one.
  await rm(manifestPath, { force: true });
  await rename(partial, path);
  const manifest = { month, file, rows, bytes: read.bytes, sha256: read.sha256, fingerprint };
  await writeAtomically(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
  await syncFile(folder);
  return manifest;
}

/** Reads the archive of a month back and compares it with its manifest. Undefined if there is no complete archive. */
export async function readArchive(folder: string, month: string): Promise<Manifest | undefined> {
  const { path, manifestPath } = pathsOf(folder, month);
  const text = await readFile(manifestPath, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  const manifest = parseManifest(text);
  if (manifest?.month !== month) throw new CliError(`${manifestPath} is not the manifest of ${month}.`);
  const read = await readLines(path, month);
  if (read.rows !== manifest.rows || read.sha256 !== manifest.sha256)
    throw new CliError(
      `${path} does not match its manifest. Move both files away, then run the command again.`,
    );
  return manifest;
}

function parseManifest(text: string): Manifest | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Lines {
  rows: number;
  bytes: number;
  /** SHA-256 of the file, and of the text in it. */
  sha256: string;
  content: string;
}

/** Reads a file to its end. Throws unless each line is a row of the month. */
async function readLines(path: string, month: string): Promise<Lines> {
  const [file, content] = [createHash('sha256'), createHash('sha256')];
  let [rows, bytes] = [0, 0];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      file.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const text = createGunzip();
  const reading = pipeline(createReadStream(path), counted, text);
  // `await reading` below throws its error.
  reading.catch(() => {});
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    const { at } = JSON.parse(line);
    if (typeof at !== 'string' || !at.startsWith(month))
      throw new CliError(`${path} contains a row from a month other than ${month}.`);
    content.update(`${line}\n`);
    rows++;
  }
  await reading;
  return { rows, bytes, sha256: file.digest('hex'), content: content.digest('hex') };
}

async function writeAtomically(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  const handle = await open(partial, 'w', PRIVATE_FILE);
  await handle.writeFile(text);
  await handle.sync();
  await handle.close();
  await rename(partial, path);
}

/** Makes a file or the entries of a folder durable. Windows cannot sync folders. */
async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
