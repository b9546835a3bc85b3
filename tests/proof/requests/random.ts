// Seeded randomness: the same seed generates the same requests.
import fc from 'fast-check';

export interface Chance {
  /** From 0 to just below `below`. */
  below(below: number): number;
  /** True once in `n` calls on average. */
  oneIn(n: number): boolean;
  of<T>(values: readonly T[]): T;
  /** A value from a fast-check arbitrary. */
  sample<T>(arbitrary: fc.Arbitrary<T>): T;
}

/** Mulberry32, a small 32-bit generator in the public domain: the same numbers on every machine. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (n: number) => Math.floor((next() / 2 ** 32) * n);
  return {
    below,
    oneIn: (n) => below(n) === 0,
    of(values) {
      const value = values[below(values.length)];
      if (value === undefined && values.length === 0) throw new Error('nothing to choose from');
      // An index below the length is always valid.
      return value as (typeof values)[number];
    },
    sample(arbitrary) {
      const [value] = fc.sample(arbitrary, { seed: next() | 0, numRuns: 1 });
      // `sample` was called with a count of 1.
      return value as typeof arbitrary extends fc.Arbitrary<infer T> ? T : never;
    },
  };
}
