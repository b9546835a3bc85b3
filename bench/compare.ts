// Compares loads within one run. The loads alternate, so that other activity of the machine affects all of them.
import type { LoadProcess } from './load/client.ts';
import type { Load, Measured } from './load/load.ts';

/** Medians over the rounds of a load. */
export interface Summary {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  rounds: Measured[];
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** Warms each load up once, then runs all of them in every round, in alternating order. */
export async function alternate<Name extends string>(
  process: LoadProcess,
  loads: Record<Name, Load>,
  rounds: number,
  between: (name: Name) => Promise<void> = async () => {},
): Promise<Record<Name, Summary>> {
  const names = Object.keys(loads) as Name[];
  const measured = new Map<Name, Measured[]>(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      await between(name);
      const result = await process.run(loads[name]);
      if (round >= 0) measured.get(name)?.push(result);
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarize(measured.get(name) ?? [])])) as Record<
    Name,
    Summary
  >;
}

function summarize(rounds: Measured[]): Summary {
  const of = (pick: (round: Measured) => number) => median(rounds.map(pick));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    rounds,
  };
}

/** Median over the rounds of the ratio of two rates in the same round. */
export function ratioOf(one: Summary, other: Summary): number {
  return median(
    one.rounds.map(({ perSecond }, index) => perSecond / (other.rounds[index]?.perSecond ?? Number.NaN)),
  );
}
