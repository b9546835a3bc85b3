// Sends the lines of a file in windows, and prints what happened to them.
import type { Context } from '../context.ts';
import type { Kind, KindName } from './kind.ts';
import type { Line } from './lines.ts';
import type { Progress } from './progress.ts';
import { conflictOf, type SeenLines } from './repeats.ts';
import { printInvalid, printNamed } from './report.ts';
import { failureOf, type NamedLine, type Sender } from './send.ts';
import { type State, writeState } from './state.ts';

/** Lines sent between two saves of the progress: as many batches as run in parallel. */
const WINDOW: Record<KindName, number> = {
  activities: 4000,
  collaborators: 2000,
  leads: 2000,
  deals: 2000,
};

interface Sending {
  context: Context;
  file: string;
  kind: Kind;
  /** Is updated after each window. */
  state: State;
  sendLines: Sender;
  progress: Progress;
}

/** Sends the lines that are not done. Throws if the outcome of any line is unknown. */
export async function sendInWindows(lines: AsyncGenerator<Line>, sending: Sending): Promise<void> {
  const { context, kind, state } = sending;
  const seen: SeenLines = new Map();
  let read = 0;
  let window: Line[] = [];
  let conflicts: NamedLine[] = [];
  const flush = async () => {
    await sendWindow(window, conflicts, sending);
    [window, conflicts] = [[], []];
  };
  for await (const line of lines) {
    context.signal.throwIfAborted();
    read += 1;
    // The API compares activities.
    const isCompared = line.faults.length === 0 && kind.name !== 'activities';
    const conflict = isCompared ? conflictOf(seen, kind, line) : undefined;
    if (read <= state.done) continue;
    if (conflict) conflicts.push(conflict);
    window.push(line);
    if (window.length >= WINDOW[kind.name]) await flush();
  }
  if (window.length > 0) await flush();
}

async function sendWindow(
  window: readonly Line[],
  conflicts: readonly NamedLine[],
  { context: { out, signal }, file, state, sendLines, progress }: Sending,
): Promise<void> {
  const good = window.filter(({ faults }) => faults.length === 0);
  const result = await sendLines(good, signal).catch((error: unknown) => {
    throw failureOf(error, good);
  });
  const found = [...conflicts, ...result.conflicts];
  for (const line of window.filter(({ faults }) => faults.length > 0)) printInvalid(out, line);
  for (const line of result.skipped) printNamed(out, 'skipped', line);
  for (const line of found) printNamed(out, 'conflict', line);
  state.counts.processed += result.processed;
  state.counts.duplicates += result.duplicates;
  state.counts.skipped += result.skipped.length;
  state.counts.invalid += window.length - good.length;
  state.counts.conflicts += found.length;
  state.counts.unmapped += result.unmapped;
  state.done += window.length;
  await writeState(file, state);
  progress.update(window.at(-1)?.endByte ?? 0, state.done);
}
