// Seeded random choices, so that a seed reproduces a run.

export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** An integer; both bounds are inclusive. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** A separate generator, whose choices do not depend on calls of this one. */
  fork(name: string): Random;
}

/** Mulberry32: small, and random enough for these choices. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(choices) {
      const chosen = choices[between(0, choices.length - 1)];
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
      return chosen;
    },
    fork(name) {
      let hash = seed;
      for (const character of name) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
      return createRandom(hash);
    },
  };
}
