// Activities per second of a tenant with few stored activities and of one with millions, on two stacks that alternate.
import type postgres from 'postgres';
import { alternate, ratioOf } from '../compare.ts';
import type { LoadProcess } from '../load/client.ts';
import type { Load } from '../load/load.ts';
import type { Pace } from '../pace.ts';
import { printRates, type Ratio } from '../report.ts';
import { placar, type Stage, startStage, UNMAPPED_CODES } from '../stage.ts';

const FEW_ROWS = 10_000;
const BATCH = 1000;
/** Requests per load. Few, so that the small table stays small. */
const REQUESTS = 24;
const CHUNK = 250_000;

/** Fills the stage's tenant and does not empty it afterwards. */
export async function measureSlope(full: Stage, load: LoadProcess, pace: Pace): Promise<Ratio[]> {
  const small = await startStage();
  try {
    await fill(small, FEW_ROWS);
    const startedAt = Date.now();
    await fill(full, pace.storedRows);
    const [size] = await full.sql`
      select pg_size_pretty(pg_total_relation_size('public.activities')) as total,
             pg_size_pretty(pg_indexes_size('public.activities')) as indexes,
             (select reltuples::bigint from pg_class where oid = 'public.activities'::regclass) as rows`;
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `\nFilled in ${seconds} s: ${size?.rows} rows, ${size?.total} including ${size?.indexes} of indexes.`,
    );

    const [few, many] = [`${FEW_ROWS} rows`, `${pace.storedRows} rows`];
    const loadOf = (stage: Stage): Load => ({
      target: placar(stage),
      activities: BATCH,
      codes: UNMAPPED_CODES,
      concurrency: 8,
      until: { requests: REQUESTS },
    });
    const loads: Record<string, Load> = { [few]: loadOf(small), [many]: loadOf(full) };
    const rates = await alternate(load, loads, pace.rounds * 2, async (name) => {
      if (name === few) await shrink(small.sql);
    });
    printRates(`Syncs of ${BATCH} activities, by number of stored activities`, BATCH, rates);
    const [before, after] = [rates[few], rates[many]];
    if (!before || !after) throw new Error('a load was not measured');
    return [{ name: `${BATCH} activities: ${many} / ${few}`, value: ratioOf(after, before), atLeast: 0.9 }];
  } finally {
    await small.stop();
  }
}

/** Adds activities spread over the last years, up to this number. */
async function fill({ sql, tenantId }: Stage, rows: number): Promise<void> {
  const [stored] =
    await sql`select count(*)::integer as rows from public.activities where tenant_id = ${tenantId}`;
  for (let first = Number(stored?.rows); first < rows; first += CHUNK) {
    const last = Math.min(rows, first + CHUNK) - 1;
    await sql`
      insert into public.activities (tenant_id, external_id, activity_code, collaborator_id, data, occurred_at)
      select ${tenantId}, gen_random_uuid() || '-' || i, (${UNMAPPED_CODES}::text[])[1 + i % ${UNMAPPED_CODES.length}], c.ids[1 + i % cardinality(c.ids)],
             jsonb_build_object('deal', 'D-' || i, 'amount', i, 'channel', 'phone'),
             now() - make_interval(secs => i)
      from generate_series(${first}::integer, ${last}::integer) as i,
           (select array_agg(id) as ids from public.collaborators where tenant_id = ${tenantId}) as c`;
  }
  await settle(sql);
}

/** Deletes the activities of the last load. */
async function shrink(sql: postgres.Sql): Promise<void> {
  // They gave no points, so the row triggers have nothing to do.
  await sql.unsafe('alter table public.activities disable trigger user');
  await sql`delete from public.activities where id > (select min(id) + ${FEW_ROWS} from public.activities)`;
  await sql.unsafe('alter table public.activities enable trigger user');
  await settle(sql);
}

async function settle(sql: postgres.Sql): Promise<void> {
  await sql`vacuum analyze public.activities`;
}
