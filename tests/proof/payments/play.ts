// A random history of a provider account, with a seed that reproduces failures.
import { createChance } from '../requests/random.ts';

export interface HistoryOptions {
  seed: number;
  /** Number of operations. */
  count: number;
  onProgress?: (line: string) => void;
}

export interface Dice {
  /** From 0 to `below` - 1. */
  number(below: number): number;
  /** Undefined for an empty list. */
  one<T>(of: readonly T[]): T | undefined;
}

export function createDice(seed: number): Dice {
  const chance = createChance(seed);
  return { number: chance.below, one: (of) => (of.length === 0 ? undefined : chance.of(of)) };
}

/** An operation, and its relative frequency. */
export type Weighted = readonly [weight: number, operation: () => Promise<unknown>];

const TOLD_EACH = 100;

/** Draws this many operations, in sequence. */
export async function play(
  dice: Dice,
  operations: readonly Weighted[],
  { count, onProgress }: HistoryOptions,
): Promise<void> {
  const weights = operations.reduce((sum, [weight]) => sum + weight, 0);
  const startedAt = performance.now();
  for (let done = 1; done <= count; done += 1) {
    let left = dice.number(weights);
    for (const [weight, operation] of operations) {
      left -= weight;
      if (left >= 0) continue;
      await operation();
      break;
    }
    if (done % TOLD_EACH === 0) {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      onProgress?.(`${done} of ${count} operations after ${seconds} s`);
    }
  }
}

/** Operations that the fake currently rejects, such as a repeated refund, are not part of the history. */
export async function ifItCan(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!String(error).includes('/_control')) throw error;
  });
}
