// Standings and statistics of a year, with few and many point entries.
import { measureFewAndMany, type Reads } from '../few-and-many.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Pace } from '../pace.ts';
import { recordsClient } from '../records.ts';
import type { Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';

const [FEW, MANY] = [10_000, 500_000];
const PLAYERS = 200;
/** Entries per statement. */
const CHUNK = 50_000;

const reads: Reads = {
  'standings of a year': () => '/v1/standings?period=year',
  'points of a user, of a year': ({ owner }) => `/v1/users/${owner}/stats?period=year`,
};

export async function measurePoints(_full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  const stages: Stage[] = [];
  try {
    const withEntries = async (entries: number) => {
      const stage = await startStage();
      stages.push(stage);
      const client = await recordsClient(stage);
      await fillEntries(stage, entries);
      return client;
    };
    const [few, many] = [await withEntries(FEW), await withEntries(MANY)];
    const sizes = { few: `${FEW} entries`, many: `${MANY} entries` };
    return await measureFewAndMany(reads, { few, many, sizes }, load, pace);
  } finally {
    for (const stage of stages) await stage.stop();
  }
}

/** Adds entries over a year, evenly over the players. The triggers sum them up. */
async function fillEntries({ sql, tenantId }: Stage, entries: number): Promise<void> {
  await sql`
    insert into public.users (tenant_id, name, email)
    select ${tenantId}, 'Player ' || i, 'player-' || i || '@bench.example' from generate_series(1, ${PLAYERS}::integer) as i`;
  for (let first = 0; first < entries; first += CHUNK) {
    await sql`
      insert into public.point_entries (tenant_id, player_id, reason, points, note, created_at)
      select ${tenantId}, players.ids[1 + i % cardinality(players.ids)], 'adjustment', 1 + i % 20, 'Filled',
             now() - make_interval(mins => abs(hashint4(i)) % (365 * 24 * 60))
      from generate_series(${first}::integer, ${Math.min(entries, first + CHUNK) - 1}::integer) as i,
           (select array_agg(player_id) as ids from public.users where tenant_id = ${tenantId}) as players`;
  }
  await sql.unsafe('vacuum analyze public.point_entries, public.point_days, public.players');
}
