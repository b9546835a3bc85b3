// Draws a progress bar on stderr while lines are sent, if it is a terminal.
import { statSync } from 'node:fs';
import type { Output } from '../output.ts';

export interface Progress {
  /** Number of bytes of the file and of lines that are done. */
  update(bytes: number, lines: number): void;
  stop(): void;
}

/** The number of lines is unknown until the end, so the bar measures bytes. */
export async function startProgress(out: Output, file: string): Promise<Progress> {
  if (!out.animates) return { update: () => {}, stop: () => {} };
  const { default: progress } = await import('cli-progress');
  const format = '{bar} {percentage} %  {lines} lines  {duration_formatted}';
  const bar = new progress.SingleBar({ format, clearOnComplete: true });
  bar.start(statSync(file).size, 0, { lines: 0 });
  return { update: (bytes, lines) => bar.update(bytes, { lines }), stop: () => bar.stop() };
}
