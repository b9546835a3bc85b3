// Saves the progress of a sync in a file next to the CSV, so that the same command resumes after any interruption.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { usageError } from '../exit-codes.ts';
import type { KindName } from './kind.ts';

export interface Counts {
  /** Recorded activities; created collaborators. */
  processed: number;
  /** Activities that were already recorded; collaborators that already existed. */
  duplicates: number;
  skipped: number;
  invalid: number;
  /** Lines with the id of an earlier line; activities that differ from the recorded ones. They count as other things too. */
  conflicts: number;
  /** Recorded activities whose code has no mission. */
  unmapped: number;
}

export const noCounts = (): Counts => ({
  processed: 0,
  duplicates: 0,
  skipped: 0,
  invalid: 0,
  conflicts: 0,
  unmapped: 0,
});

export interface State {
  version: 1;
  kind: KindName;
  /** Target deployment. */
  url: string;
  /** Hash of the credentials and options. */
  settings: string;
  sha256: string;
  /** Number of finished lines, without the header. */
  done: number;
  counts: Counts;
}

const stateFile = (csv: string): string => `${csv}.placar-state.json`;

/** Hashes the settings that must be the same to resume, without revealing them. */
export const settingsOf = (...settings: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);

export async function hashOf(csv: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(csv), hash);
  return hash.digest('hex');
}

/** Reads the progress of an earlier run. Throws if it belongs to another file, kind, deployment or settings. */
export function readState(
  csv: string,
  current: Pick<State, 'kind' | 'url' | 'settings' | 'sha256'>,
): State | undefined {
  const file = stateFile(csv);
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  const state = parse(readFileSync(file, 'utf8'));
  const restart = 'Run with --restart to send all of it; items that were already sent are not counted twice.';
  if (!state) throw usageError(`${file} is not a valid progress file. ${restart}`);
  if (state.sha256 !== current.sha256)
    throw usageError(`${csv} has changed since its progress was saved in ${file}. ${restart}`);
  if (state.url !== current.url)
    throw usageError(`${file} is the progress of a sync to ${state.url}. ${restart}`);
  if (state.settings !== current.settings)
    throw usageError(`${file} is the progress of a sync with other credentials or options. ${restart}`);
  if (state.kind !== current.kind)
    throw usageError(`${file} is the progress of a sync of ${state.kind}. ${restart}`);
  return state;
}

function parse(text: string): State | undefined {
  try {
    const state: Partial<State> = JSON.parse(text);
    const { version, done, counts } = state;
    // Only this module writes the file, and the version determines its form.
    if (version === 1 && Number.isSafeInteger(done) && typeof counts === 'object')
      return { ...(state as State), counts: { ...noCounts(), ...counts } };
  } catch {}
  return undefined;
}

/** Writes the file atomically and syncs it to disk. */
export async function writeState(csv: string, state: State): Promise<void> {
  const draft = `${stateFile(csv)}.tmp`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(state)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  renameSync(draft, stateFile(csv));
}

export function removeState(csv: string): void {
  rmSync(stateFile(csv), { force: true });
}
