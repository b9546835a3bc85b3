// Cost of requests: CPU time of each part of a stack. The contenders alternate.
import { median } from './compare.ts';
import { processorAccount, processorSeconds } from './cpu.ts';
import { printTable } from './report.ts';

export interface Contender {
  /** Sends enough requests for the server to reach its full speed. */
  warmUp(): Promise<unknown>;
  /** Runs its load once. */
  run(): Promise<{ requests: number; perSecond: number }>;
  /** Process ids of its server. */
  processes(): number[];
}

/** Process ids that all contenders share. */
export interface Shared {
  postgres(): number[];
  standIns(): number[];
}

export const parts = ['function', 'postgres', 'standIns'] as const;
export type Part = (typeof parts)[number];

/** By round: requests per second, and CPU milliseconds per request. */
export interface Costs {
  perSecond: number[];
  ms: Record<Part, number[]>;
}

/** Warms each contender up, then runs all of them in every round, in alternating order. */
export async function measureCosts<Name extends string>(
  contenders: Record<Name, Contender>,
  { postgres, standIns }: Shared,
  rounds: number,
): Promise<Record<Name, Costs>> {
  const names = Object.keys(contenders) as Name[];
  const costs = new Map<Name, Costs>(
    names.map((name) => [name, { perSecond: [], ms: { function: [], postgres: [], standIns: [] } }]),
  );
  for (const name of names) await contenders[name].warmUp();
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { run, processes } = contenders[name];
      const { result, seconds } = await processorSeconds({ function: processes, postgres, standIns }, run);
      costs.get(name)?.perSecond.push(result.perSecond);
      for (const part of parts) costs.get(name)?.ms[part].push((1000 * seconds[part]) / result.requests);
    }
  }
  return Object.fromEntries(costs) as Record<Name, Costs>;
}

const both = (best: number, values: number[], digits: number) =>
  `${best.toFixed(digits)} / ${median(values).toFixed(digits)}`;

/** Prints the numbers of the best round and the medians. */
export function printCosts(title: string, costs: Record<string, Costs>): void {
  const rows = Object.entries(costs).map(([name, { perSecond, ms }]) => [
    name,
    both(Math.max(...perSecond), perSecond, 0),
    ...parts.map((part) => both(Math.min(...ms[part]), ms[part], 2)),
  ]);
  const columns = ['requests/s', 'function ms', 'Postgres ms', 'emulators ms'];
  printTable(`${title}: best round / median`, ['', ...columns], rows);
}

/** Describes the precision of CPU times. */
export function describeAccount(): string {
  return {
    nanoseconds: 'CPU times are from /proc/<pid>/task/*/schedstat, in nanoseconds.',
    ticks: 'CPU times are from /proc/<pid>/stat, in ticks of 10 ms: this system has no schedstat.',
    none: 'CPU times are not available: this system has no /proc.',
  }[processorAccount()];
}
