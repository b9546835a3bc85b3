// A bar on stderr while lines are sent, where a person looks.
import { statSync } from 'node:fs';
import type { Output } from '../output.ts';

export interface Progress {
  /** How many bytes of the file were dealt with, and how many lines. */
  update(bytes: number, lines: number): void;
  stop(): void;
}

/** How many lines the file has nobody knows before its end: the bar goes by its bytes. */
export async function startProgress(out: Output, file: string): Promise<Progress> {
  if (!out.animates) return { update: () => {}, stop: () => {} };
  const { default: progress } = await import('cli-progress');
  const format = '{bar} {percentage} %  {lines} lines  {duration_formatted}';
  const bar = new progress.SingleBar({ format, clearOnComplete: true });
  bar.start(statSync(file).size, 0, { lines: 0 });
  return { update: (bytes, lines) => bar.update(bytes, { lines }), stop: () => bar.stop() };
}
