// Measures how many blocks of tables and indexes a statement reads.
import type postgres from 'postgres';

/** How many times a statement runs: a concurrent ANALYZE, for example, adds catalog reads to one of the runs. */
const RUNS = 5;

/** The minimum of the blocks in `explain (analyze, buffers, format json)` of a statement. */
export async function blocksRead(explain: () => Promise<readonly postgres.Row[]>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const [row] = await explain();
    const plan = row?.['QUERY PLAN'][0].Plan;
    least = Math.min(least, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
  }
  return least;
}
