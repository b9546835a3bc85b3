// How far a sync came, in a file beside the CSV, so that the same command goes on after it was ended in any way.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { usageError } from '../exit-codes.ts';
import type { KindName } from './kind.ts';

export interface Counts {
  /** Recorded activities; of collaborators those that are made. */
  processed: number;
  /** Sent before, and counted once; of collaborators those that were there. */
  duplicates: number;
  skipped: number;
  invalid: number;
}

export interface State {
  version: 1;
  kind: KindName;
  /** Where it is sent to. */
  url: string;
  /** By whom, and how: of credentials and options, not themselves. */
  settings: string;
  sha256: string;
  /** Lines without the header that were dealt with. */
  done: number;
  counts: Counts;
}

const stateFile = (csv: string): string => `${csv}.placar-state.json`;

/** Tells apart what must be the same for a sync to be gone on with, and says nothing of it. */
export const settingsOf = (...settings: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);

export async function hashOf(csv: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(csv), hash);
  return hash.digest('hex');
}

/** What an earlier run left, if it is of this file, kind and deployment. */
export function readState(
  csv: string,
  present: Pick<State, 'kind' | 'url' | 'settings' | 'sha256'>,
): State | undefined {
  const file = stateFile(csv);
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  const state = parse(readFileSync(file, 'utf8'));
  const restart = '--restart sends all of it; what was sent before counts once.';
  if (!state) throw usageError(`${file} is not what placar wrote. ${restart}`);
  if (state.sha256 !== present.sha256)
    throw usageError(`${csv} changed since the sync that ${file} tells of. ${restart}`);
  if (state.url !== present.url) throw usageError(`${file} tells of a sync to ${state.url}. ${restart}`);
  if (state.settings !== present.settings)
    throw usageError(`${file} tells of a sync with other credentials or options. ${restart}`);
  if (state.kind !== present.kind) throw usageError(`${file} tells of a sync of ${state.kind}. ${restart}`);
  return state;
}

function parse(text: string): State | undefined {
  try {
    const state: Partial<State> = JSON.parse(text);
    const { version, done, counts } = state;
    // Written by this module alone; another version is another form.
    if (version === 1 && Number.isSafeInteger(done) && typeof counts === 'object') return state as State;
  } catch {}
  return undefined;
}

/** Written whole or not at all, and on disk when it returns. */
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
