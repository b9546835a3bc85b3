// Random histories of a provider's account: from a seed, so that one that fails can be run again.

/** Operations of a history: `HISTORY_OPERATIONS` for longer ones. */
export const historyLength = (usual: number): number => Number(process.env.HISTORY_OPERATIONS ?? usual);
export const historySeed = (): number => Number(process.env.HISTORY_SEED ?? 20_261_121);

export interface Dice {
  /** From 0 to `below` - 1. */
  number(below: number): number;
  one<T>(of: readonly T[]): T | undefined;
}

/** Mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number) => Math.floor(next() * below);
  return { number, one: (of) => of[number(of.length)] };
}

/** What the emulator refuses at this moment, such as a refund of what was refunded, is no part of the history. */
export async function ifItCan(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!String(error).includes('/_control')) throw error;
  });
}
