// Prints the tables of the bench.
import type { Summary } from './compare.ts';

/** A ratio or number of this run, with its goal. */
export interface Ratio {
  name: string;
  value: number;
  atLeast?: number;
  atMost?: number;
}

export function printTable(title: string, header: string[], rows: string[][]): void {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ');
  console.log(`\n${title}\n`);
  for (const text of [
    line(header),
    widths.map((width) => '-'.repeat(width)).join('   '),
    ...rows.map(line),
  ]) {
    console.log(`  ${text}`);
  }
}

export function printRates(title: string, activities: number, summaries: Record<string, Summary>): void {
  const rows = Object.entries(summaries).map(([name, { perSecond, p50Ms, p99Ms }]) => [
    name,
    perSecond.toFixed(perSecond < 100 ? 1 : 0),
    (perSecond * activities).toFixed(0),
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ]);
  printTable(title, ['', 'requests/s', 'activities/s', 'p50 ms', 'p99 ms'], rows);
}

export function printRatios(ratios: Ratio[]): void {
  const rows = ratios.map(({ name, value, atLeast, atMost }) => {
    if (atLeast !== undefined)
      return [name, value.toFixed(2), `>= ${atLeast}`, value >= atLeast ? 'yes' : 'NO'];
    if (atMost !== undefined) return [name, value.toFixed(2), `<= ${atMost}`, value <= atMost ? 'yes' : 'NO'];
    return [name, value.toFixed(2), '', ''];
  });
  printTable('Goals of this run', ['', 'ratio or number', 'goal', 'met'], rows);
}
