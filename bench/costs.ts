// What requests cost: processor time of each part of a stack, of contenders that take turns.
import { median } from './compare.ts';
import { processorAccount, processorSeconds } from './cpu.ts';
import { printTable } from './report.ts';

export interface Contender {
  /** Does enough that its server is as fast as it gets. */
  warmUp(): Promise<unknown>;
  /** Does its load once. */
  run(): Promise<{ requests: number; perSecond: number }>;
  /** Processes of its server. */
  processes(): number[];
}

/** Processes that all contenders share. */
export interface Shared {
  postgres(): number[];
  standIns(): number[];
}

export const parts = ['function', 'postgres', 'standIns'] as const;
export type Part = (typeof parts)[number];

/** Of each round: requests per second, and processor milliseconds per request. */
export interface Costs {
  perSecond: number[];
  ms: Record<Part, number[]>;
}

/** Warms each contender up, then runs all of them in every round, the order turned around each time. */
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

/** Numbers of the best round, then the median of all. */
export function printCosts(title: string, costs: Record<string, Costs>): void {
  const rows = Object.entries(costs).map(([name, { perSecond, ms }]) => [
    name,
    both(Math.max(...perSecond), perSecond, 0),
    ...parts.map((part) => both(Math.min(...ms[part]), ms[part], 2)),
  ]);
  const columns = ['requests/s', 'function ms', 'Postgres ms', 'stand-ins ms'];
  printTable(`${title}: best round / median`, ['', ...columns], rows);
}

/** How exact the processor times are. */
export function describeAccount(): string {
  return {
    nanoseconds: 'Processor times are of /proc/<pid>/task/*/schedstat, in nanoseconds.',
    ticks: 'Processor times are of /proc/<pid>/stat, in ticks of 10 ms: this system keeps no schedstat.',
    none: 'This system has no /proc: there are no processor times.',
  }[processorAccount()];
}
