// Points of a period: the difference of two running daily totals, which must equal the sum of the entries, however they were created.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import {
  createWorkspace,
  inTransaction,
  type Workspace,
  workspaceOf,
} from '../support/gamification/gamification.ts';
import { blocksRead } from '../support/postgres/blocks-read.ts';
import { assumeLargeTenants } from '../support/postgres/tenant-sizes.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

/** For longer runs: `HISTORY_RUNS=500`. */
const RUNS = Number(process.env.HISTORY_RUNS ?? 40);

interface Entry {
  who: string;
  hour: number;
  points: number;
  completions: number;
}

const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2026, 1, 1);
/** Some hours after the first moment. Every third is a midnight in Brazil. */
const hours = fc
  .integer({ min: 0, max: 24 * 4 })
  .map((hour) => (hour % 3 === 0 ? hour - (hour % 24) + 3 : hour));
const momentOf = (hour: number) => new Date(FIRST + hour * HOUR_MS).toISOString();

const entry: fc.Arbitrary<Entry> = fc.record({
  who: fc.constantFrom('ana', 'bia'),
  hour: hours,
  points: fc.integer({ min: -5, max: 9 }),
  completions: fc.integer({ min: -1, max: 1 }),
});
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.array(entry, { minLength: 1, maxLength: 4 }).map((entries) => ({ entries })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('America/Sao_Paulo', 'UTC', 'Asia/Kolkata', 'Pacific/Auckland')
      .map((zone) => ({ zone })),
  },
);
const bound = fc.oneof(
  { weight: 6, arbitrary: hours.map(momentOf) },
  { weight: 1, arbitrary: fc.constantFrom('-infinity', 'infinity') },
);

async function addEntries({ sql: tx, id, userId }: Workspace, entries: readonly Entry[]): Promise<void> {
  const rows = [];
  for (const { who, hour, points, completions } of entries) {
    const [user] = await tx`select player_id from users where id = ${await userId(who)}`;
    rows.push({
      tenant_id: id,
      player_id: user?.player_id,
      reason: 'automation',
      points,
      completions,
      created_at: momentOf(hour),
    });
  }
  await tx`insert into point_entries ${tx(rows)}`;
}

test('equal the sums of the entries within any period, regardless of the order of entries and the time zone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(bound, bound), { minLength: 1, maxLength: 8 }),
      async (history, times) => {
        await inTransaction(sql, async (tx) => {
          const w = await createWorkspace(tx);
          for (const step of history) {
            if ('zone' in step) await tx`update tenants set time_zone = ${step.zone} where id = ${w.id}`;
            else await addEntries(w, step.entries);
          }
          for (const [one, other] of times) {
            // As text, because they may be infinite.
            const [since, until] = toNumber(one) < toNumber(other) ? [one, other] : [other, one];
            const rows = await tx`
              select s.points::integer, s.completions::integer, sums.points::integer as expected_points,
                     sums.completions::integer as expected_completions
              from players p, app.points_between(p.tenant_id, p.id, ${since}::text::timestamptz, ${until}::text::timestamptz) as s,
                   lateral (
                     select coalesce(sum(e.points), 0) as points, coalesce(sum(e.completions), 0) as completions
                     from point_entries e
                     where e.tenant_id = p.tenant_id and e.player_id = p.id
                       and e.created_at >= ${since}::text::timestamptz and e.created_at < ${until}::text::timestamptz
                   ) as sums
              where p.tenant_id = ${w.id}`;
            expect(rows).toHaveLength(2);
            for (const row of rows) {
              expect([row.points, row.completions], `${since} to ${until}`).toEqual([
                row.expected_points,
                row.expected_completions,
              ]);
            }
          }
        });
      },
    ),
    { numRuns: RUNS },
  );
});

function toNumber(moment: string): number {
  if (moment === 'infinity') return Number.POSITIVE_INFINITY;
  return moment === '-infinity' ? Number.NEGATIVE_INFINITY : Date.parse(moment);
}

test('are correct if an entry of yesterday is stored after the first one of today', async () => {
  const w = await createWorkspace(sql);
  await addEntries(w, [{ who: 'ana', hour: 1, points: 3, completions: 0 }]);
  let second: Promise<void> | undefined;
  await sql.begin(async (tx) => {
    await addEntries(workspaceOf(tx, w.id), [{ who: 'ana', hour: 60, points: 5, completions: 0 }]);
    const [me] = await tx`select pg_backend_pid() as pid`;
    second = addEntries(w, [{ who: 'ana', hour: 30, points: 7, completions: 0 }]);
    await waitFor(
      async () =>
        (await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`).length > 0,
    );
  });
  await second;
  const [row] = await sql`
    select s.points::integer as before, t.points::integer as all_time
    from users u, app.points_between(u.tenant_id, u.player_id, '-infinity', ${momentOf(45)}::text::timestamptz) as s,
         app.points_between(u.tenant_id, u.player_id, '-infinity', 'infinity') as t
    where u.id = ${await w.userId('ana')}`;
  expect(row).toEqual({ before: 10, all_time: 15 });
});

test.each([
  [
    'statistics',
    (id: string, userId: string) => sql`app.user_statistics(${id}, ${userId}, 'year', null, null)`,
  ],
  ['standings', (id: string) => sql`app.standings(${id}, app.period(${id}, 'year'), null, null, 25, 0)`],
])('%s read the same amount for players with few and with many entries', async (_, asked) => {
  await inTransaction(sql, async (tx) => {
    // The size of the tables from other tests, and the time of Postgres' last ANALYZE, must not matter: both are read after all data exists.
    for (const other of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']) {
      await tx`select set_config(${`enable_${other}`}, 'off', true)`;
    }
    const workspaces = [];
    for (const rows of [20, 4000]) {
      const w = await createWorkspace(tx);
      workspaces.push(w);
      await tx`
        insert into point_entries (tenant_id, player_id, reason, points, created_at)
        select u.tenant_id, u.player_id, 'automation', 1,
               date_trunc('year', now() at time zone 'America/Sao_Paulo') at time zone 'America/Sao_Paulo' + make_interval(mins => i)
        from users u, generate_series(1, ${rows}::integer) as i where u.tenant_id = ${w.id}`;
    }
    await assumeLargeTenants(tx, 'point_entries');
    const blocks: number[] = [];
    for (const w of workspaces) {
      await tx`select set_config('app.tenant_id', ${w.id}, true)`;
      const userId = await w.userId('ana');
      blocks.push(
        await blocksRead(() => tx`explain (analyze, buffers, format json) select ${asked(w.id, userId)}`),
      );
    }
    const [few = 0, many = 0] = blocks;
    expect(many).toBeLessThan(1.5 * few);
  });
});
