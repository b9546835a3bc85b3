// How much of tables and indexes a statement reads.
import type postgres from 'postgres';

/** Runs of a statement: whatever reads the catalogue anew, such as an ANALYZE beside it, adds to one of them. */
const RUNS = 5;

/** Blocks that `explain (analyze, buffers, format json)` of a statement counts, at the least. */
export async function blocksRead(explain: () => Promise<readonly postgres.Row[]>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const [row] = await explain();
    const plan = row?.['QUERY PLAN'][0].Plan;
    least = Math.min(least, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
  }
  return least;
}
