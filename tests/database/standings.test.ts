// Standings of any period equal a simple sum over the entries of the period and team, without users who opted out.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction, type Workspace } from '../support/gamification/gamification.ts';

const sql = connectDatabase();

/** For longer or different runs: `HISTORY_RUNS=500 HISTORY_SEED=7`. */
const RUNS = Number(process.env.HISTORY_RUNS ?? 30);
const SEED = process.env.HISTORY_SEED;

const NAMES = ['ana', 'bia', 'caio', 'dora', 'eva'];
const HOUR_MS = 3_600_000;
const FIRST = Date.UTC(2026, 1, 27);
/** Around the night when New York's clocks change. Every third one is a midnight there or in UTC. */
const hours = fc
  .integer({ min: 0, max: 24 * 12 })
  .map((hour) => (hour % 3 === 0 ? hour - (hour % 24) + (hour < 230 ? 5 : 4) * (hour % 2) : hour));
const momentOf = (hour: number) => new Date(FIRST + hour * HOUR_MS).toISOString();
const who = fc.constantFrom(...NAMES);

const entry = fc.record({ who, hour: hours, points: fc.integer({ min: -5, max: 6 }) });
const world = fc.record({
  zone: fc.constantFrom('America/Sao_Paulo', 'America/New_York', 'Asia/Kolkata'),
  batches: fc.array(fc.array(entry, { minLength: 1, maxLength: 4 }), { maxLength: 10 }),
  // Points that are reversed now, long after the season.
  adjusted: fc.array(fc.record({ who, points: fc.constantFrom(-4, 3) }), { maxLength: 2 }),
  team: fc.uniqueArray(who),
  optedOut: fc.uniqueArray(who, { maxLength: 2 }),
  back: fc.uniqueArray(who, { maxLength: 1 }),
});
const question = fc.record({
  times: fc.option(fc.tuple(hours, hours), { freq: 6 }),
  ofTeam: fc.boolean(),
  around: fc.option(who),
  size: fc.integer({ min: 1, max: 6 }),
  page: fc.integer({ min: 0, max: 3 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

interface Line {
  name: string;
  points: number;
  position: number;
}

/** All players in order, computed in a simple way. */
function expected({ batches, adjusted, team, optedOut, back }: World, { times, ofTeam }: Question): Line[] {
  const [since, until] = times ? [Math.min(...times), Math.max(...times)] : [-Infinity, Infinity];
  const points = (name: string) => {
    const dated = batches.flat().filter(({ hour }) => hour >= since && hour < until);
    const now = until === Infinity ? adjusted : [];
    return [...dated, ...now].reduce((sum, one) => sum + (one.who === name ? one.points : 0), 0);
  };
  const there = NAMES.filter(
    (name) => (!ofTeam || team.includes(name)) && (!optedOut.includes(name) || back.includes(name)),
  );
  const rows = there.map((name) => ({ name, points: points(name) }));
  return rows
    .map((row) => ({ ...row, position: 1 + rows.filter((other) => other.points > row.points).length }))
    .sort((a, b) => b.points - a.points);
}

async function build(
  w: Workspace,
  { zone, batches, adjusted, team, optedOut, back }: World,
): Promise<string> {
  const { sql: tx, id } = w;
  await tx`update tenants set time_zone = ${zone} where id = ${id}`;
  const [row] = await tx`insert into teams (tenant_id, name) values (${id}, 'Team') returning id`;
  for (const name of team) await w.change('users', await w.userId(name), { team_id: row?.id });
  for (const batch of batches) {
    await tx`
      insert into point_entries (tenant_id, player_id, reason, points, created_at)
      select ${id}, p.id, 'automation', (e ->> 'points')::integer, (e ->> 'at')::timestamptz
      from jsonb_array_elements(${tx.json(batch.map((one) => ({ ...one, at: momentOf(one.hour) })))}) as e
      join players p on p.tenant_id = ${id} and p.email = (e ->> 'who') || '@example.com'`;
  }
  for (const { who: name, points } of adjusted) {
    await tx`select admin.adjust_points(${id}, ${`${name}@example.com`}, ${points}, 'Corrected')`;
  }
  for (const name of optedOut) await tx`select admin.set_ranking_opt_out(${id}, ${`${name}@example.com`})`;
  for (const name of back) await tx`select admin.set_ranking_opt_out(${id}, ${`${name}@example.com`}, false)`;
  return row?.id;
}

test('match a plain query for any entries, period, team and page', async () => {
  const reached = { ties: 0, several: 0, around: 0, team: 0, negative: 0 };
  await fc.assert(
    fc.asyncProperty(world, fc.array(question, { minLength: 1, maxLength: 5 }), async (made, questions) => {
      await inTransaction(sql, async (tx) => {
        const w = await createWorkspace(tx, NAMES);
        const teamId = await build(w, made);
        for (const asked of questions) {
          const { times, ofTeam, around, size, page } = asked;
          const [since, until] = times
            ? [momentOf(Math.min(...times)), momentOf(Math.max(...times))]
            : ['-infinity', 'infinity'];
          // Such a period is rejected.
          if (since === until) continue;
          const ask = async (user: string | null, rows: number, offset: number) => {
            const [answer] = await tx`
              select records, total::integer, page::integer from app.standings(
                ${w.id}, tstzrange(${since}::text::timestamptz, ${until}::text::timestamptz), ${ofTeam ? teamId : null},
                ${user && (await w.userId(user))}, ${rows}, ${offset})`;
            return { lines: answer?.records as Line[], total: answer?.total, page: answer?.page };
          };
          const lines = expected(made, asked);
          const all = (await ask(null, 100, 0)).lines;
          const byName = (one: Line, other: Line) => one.name.localeCompare(other.name);
          const bare = all.map(({ name, points, position }) => ({ name, points, position }));
          expect(bare.toSorted(byName)).toEqual(lines.toSorted(byName));
          expect(all.map(({ points }) => points)).toEqual(lines.map(({ points }) => points));

          const place = all.findIndex(({ name }) => name === around);
          const inMiddle = Math.max(0, Math.min(place - Math.floor((size - 1) / 2), all.length - size));
          const start = place < 0 ? page * size : inMiddle;
          expect(await ask(place < 0 ? null : around, size, page * size)).toEqual({
            lines: all.slice(start, start + size),
            total: lines.length,
            page: Math.floor(start / size) + 1,
          });
          reached.ties += lines.some((line, index) => lines[index + 1]?.points === line.points) ? 1 : 0;
          reached.several += lines.length > size ? 1 : 0;
          reached.around += place < 0 ? 0 : 1;
          reached.team += ofTeam && lines.length > 0 ? 1 : 0;
          reached.negative += lines.some(({ points }) => points < 0) ? 1 : 0;
        }
      });
    }),
    { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
  );
  expect(Object.entries(reached).filter(([, times]) => times === 0)).toEqual([]);
});

test('if nobody has points, all share the first position', async () => {
  await inTransaction(sql, async (tx) => {
    const w = await createWorkspace(tx, ['ana']);
    const [row] = await tx`
      select records from app.standings(${w.id}, app.period(${w.id}, 'today'), null, null, 10, 0)`;
    expect(row?.records).toMatchObject([{ name: 'ana', points: 0, position: 1 }]);
  });
});

test("dates of seasons and challenges mean midnight in the tenant's time zone, times stay times", async () => {
  await inTransaction(sql, async (tx) => {
    const w = await createWorkspace(tx, []);
    await tx`update tenants set time_zone = 'Asia/Tokyo' where id = ${w.id}`;
    await tx`select admin.create_season(${w.id}, 'Winter', '2026-06-01', '2026-09-01T12:00:00Z')`;
    await tx`select admin.create_challenge(${w.id}, 'June', 'points', 1, ' 2026-06-01 ', '2026-07-01')`;
    const times = (from: string, to: string) => ({ starts_at: new Date(from), ends_at: new Date(to) });
    expect(await tx`select starts_at, ends_at from admin.seasons where tenant_id = ${w.id}`).toEqual([
      times('2026-05-31T15:00:00Z', '2026-09-01T12:00:00Z'),
    ]);
    expect(await tx`select starts_at, ends_at from admin.challenges where tenant_id = ${w.id}`).toEqual([
      times('2026-05-31T15:00:00Z', '2026-06-30T15:00:00Z'),
    ]);
  });
});
