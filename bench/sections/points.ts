// Standings and statistics of a year, with few and with many entries of points.
import { alternate, ratioOf } from '../compare.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Load } from '../load/load.ts';
import type { Pace } from '../pace.ts';
import { type RecordsClient, recordsClient } from '../records.ts';
import { printRates, type Ratio } from '../report.ts';
import { type Stage, startStage } from '../stage.ts';

const [FEW, MANY] = [10_000, 500_000];
const PLAYERS = 200;
/** Of one statement. */
const CHUNK = 50_000;

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
    const paths: Record<string, (client: RecordsClient) => string> = {
      'standings of a year': () => '/v1/standings?period=year',
      'points of a user, of a year': ({ owner }) => `/v1/users/${owner}/stats?period=year`,
    };
    const ratios: Ratio[] = [];
    for (const [name, pathOf] of Object.entries(paths)) {
      const of = (client: RecordsClient): Load => ({
        target: {
          kind: 'plain',
          url: client.url,
          request: {
            method: 'GET',
            paths: [pathOf(client)],
            headers: { authorization: `Bearer ${client.token}` },
          },
        },
        activities: 1,
        codes: ['001'],
        concurrency: 8,
        until: { seconds: pace.seconds },
      });
      const rates = await alternate(load, { few: of(few), many: of(many) }, pace.rounds);
      printRates(`${name}, with ${FEW} and with ${MANY} entries`, 1, rates);
      ratios.push({
        name: `${name}: ${MANY} entries / ${FEW}`,
        value: ratioOf(rates.many, rates.few),
        atLeast: 0.5,
      });
    }
    return ratios;
  } finally {
    for (const stage of stages) await stage.stop();
  }
}

/** Entries over a year, of as many players, which the triggers add up. */
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
