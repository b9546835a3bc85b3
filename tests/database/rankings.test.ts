// The content of ranking.changed, and when recounts are scheduled: rarely, and never forgotten.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import {
  createWorkspace,
  inTransaction,
  type Workspace,
  workspaceOf,
} from '../support/gamification/gamification.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

function withWorkspace(name: string, run: (w: Workspace) => Promise<void>): void {
  test(name, () => inTransaction(sql, async (tx) => await run(await createWorkspace(tx))));
}

/** The changes that a recount emits, by name: [from, to]. undefined if it emits none. */
async function announced(w: Workspace): Promise<Record<string, [number | null, number]> | undefined> {
  const before = (await w.events('ranking.changed')).length;
  await w.recount();
  const [event, ...others] = (await w.events('ranking.changed')).slice(before);
  expect(others).toEqual([]);
  if (!event) return undefined;
  const users = await w.sql`select id, name from users where tenant_id = ${w.id}`;
  const names = new Map(users.map(({ id, name }) => [id, name]));
  const changes: { user_id: string; from: number | null; to: number }[] = event.changes;
  return Object.fromEntries(changes.map(({ user_id: id, from, to }) => [names.get(id), [from, to]]));
}

describe('ranking.changed', () => {
  withWorkspace('contains the changes since the last one, with from null for newcomers', async (w) => {
    await w.rule('deal.won', 10);
    expect(await announced(w)).toEqual({ ana: [null, 1], bia: [null, 1] });
    expect(await announced(w)).toBeUndefined();
    await w.deal('ana', { status: 'won' });
    expect(await announced(w)).toEqual({ bia: [1, 2] });
    await w.addUser('caio');
    expect(await announced(w)).toEqual({ caio: [null, 2] });
    await w.deal('ana', { status: 'won' });
    expect(await announced(w)).toBeUndefined();
    for (let i = 0; i < 3; i++) await w.deal('caio', { status: 'won' });
    expect(await announced(w)).toEqual({ caio: [2, 1], ana: [1, 2], bia: [2, 3] });
    const [event] = (await w.events('ranking.changed')).slice(-1);
    expect(event.changes[0]).toEqual({ user_id: await w.userId('caio'), from: 2, to: 1 });
  });

  withWorkspace('counts collaborators, including new ones, without listing them', async (w) => {
    await w.rule('deal.won', -5);
    await w.deal('bia', { status: 'won' });
    expect(await announced(w)).toEqual({ ana: [null, 1], bia: [null, 2] });
    await w.addCollaborator('dora');
    expect(await announced(w)).toEqual({ bia: [2, 3] });
    await w.sql`delete from collaborators where tenant_id = ${w.id}`;
    expect(await announced(w)).toEqual({ bia: [3, 2] });
  });

  withWorkspace('a removed user moves others up, and is a newcomer on return', async (w) => {
    await w.rule('deal.won', 10);
    await w.deal('ana', { status: 'won' });
    await w.recount();
    await w.sql`delete from users where tenant_id = ${w.id} and email = 'ana@example.com'`;
    expect(await announced(w)).toEqual({ bia: [2, 1] });
    await w.addUser('ana');
    expect(await announced(w)).toEqual({ ana: [null, 1], bia: [1, 2] });
  });

  withWorkspace('a new email that belongs to another player moves the user to that player', async (w) => {
    await w.addCollaborator('dora');
    const [mission] = await w.sql`select admin.create_mission(${w.id}, 'Calls', 4) as id`;
    await w.sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
    await w.sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      select ${w.id}, '1', '001', id from collaborators where tenant_id = ${w.id}`;
    expect(await announced(w)).toEqual({ ana: [null, 2], bia: [null, 2] });
    await w.change('users', await w.userId('bia'), { email: 'dora@example.com' });
    // Dora held the first place before, and this player does not move.
    expect(await announced(w)).toBeUndefined();
    await w.change('users', await w.userId('ana'), { email: 'eva@example.com' });
    expect(await announced(w)).toBeUndefined();
    expect(
      await w.sql`select email, position::integer from admin.standings where tenant_id = ${w.id} order by 1`,
    ).toEqual([
      { email: 'dora@example.com', position: 1 },
      { email: 'eva@example.com', position: 2 },
    ]);
  });

  withWorkspace('matches the standings in the admin view', async (w) => {
    await w.rule('deal.won', 1);
    for (const [i, name] of ['caio', 'dora', 'eva', 'fabio'].entries()) {
      await w.addUser(name);
      for (let n = 0; n < i % 3; n++) await w.deal(name, { status: 'won' });
    }
    const changes = await announced(w);
    const rows = await w.sql`select name, position::integer from admin.standings where tenant_id = ${w.id}`;
    const positions = Object.fromEntries(rows.map(({ name, position }) => [name, [null, position]]));
    expect(changes).toEqual(positions);
    expect(changes?.dora).toEqual([null, 2]);
  });
});

test('two concurrent recounts run one after the other, so that the announced positions are correct', async () => {
  const w = await createWorkspace(sql);
  await w.rule('deal.won', 10);
  await w.recount();
  let second: Promise<void> | undefined;
  await sql.begin(async (tx) => {
    const first = workspaceOf(tx, w.id);
    await first.deal('ana', { status: 'won' });
    await first.recount();
    for (let i = 0; i < 2; i++) await w.deal('bia', { status: 'won' });
    let finished = false;
    second = w.recount().finally(() => {
      finished = true;
    });
    const waiting = () => sql`
      select from pg_locks where locktype = 'advisory' and not granted
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(${`recount:${w.id}`}, 0)`;
    await waitFor(async () => finished || (await waiting()).length > 0);
  });
  await second;
  expect((await w.events('ranking.changed')).slice(1).map(({ changes }) => changes.length)).toEqual([1, 2]);
  const rows = await w.sql`
    select u.name, r.position::integer from rankings r join users u on u.player_id = r.player_id
    where r.tenant_id = ${w.id} order by 2`;
  expect(rows).toEqual([
    { name: 'bia', position: 1 },
    { name: 'ana', position: 2 },
  ]);
});

describe('scheduling recounts', () => {
  const waiting = (w: Workspace) => w.jobs('recount');

  test('a hundred changes, some concurrent, schedule one recount', async () => {
    const w = await createWorkspace(sql, ['ana']);
    expect(await waiting(w)).toHaveLength(1);
    // However long the changes take, the job is not due yet.
    await sql`update jobs set due_at = '2999-01-01' where tenant_id = ${w.id} and name = 'recount'`;
    await w.rule('activity.completed', 1);
    const deal = await w.deal('ana');
    for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 20 }, () => w.log(deal)));
    expect(await waiting(w)).toHaveLength(1);
    await w.badge('activities_logged', 100);
    await w.recount();
    expect(await w.sql`select from earned_badges where tenant_id = ${w.id}`).toHaveLength(1);
    expect(await w.points()).toEqual({ ana: 100 });
  });

  withWorkspace('makes the job due in two seconds, and publishes it with the change', async (w) => {
    const [job] = await w.sql`
      select extract(epoch from due_at - now())::float8 as seconds, key, payload from jobs
      where tenant_id = ${w.id} and name = 'recount'`;
    expect(job).toMatchObject({ seconds: 2, payload: {} });
    const jobs = await w.sql`select name from app.new_jobs()`;
    expect(jobs.filter(({ name }) => name === 'recount')).toHaveLength(1);
  });

  test.each([
    ['claimed', "locked_until = now() + interval '1 minute'"],
    ['overdue', "due_at = now() - interval '1 minute'"],
    ['finished', 'finished_at = now()'],
    ['permanently failed', 'failed_at = now()'],
  ])('a recount that is %s does not cover later changes', async (_, change) => {
    await inTransaction(sql, async (tx) => {
      const w = await createWorkspace(tx, ['ana']);
      await w.badge('deals_created', 1_000_000);
      await tx.unsafe(`update jobs set ${change} where tenant_id = '${w.id}' and name = 'recount'`);
      await w.deal('ana');
      expect(await waiting(w)).toHaveLength(2);
      await w.deal('ana');
      expect(await waiting(w)).toHaveLength(2);
    });
  });

  withWorkspace('changes that no badge or challenge counts queue no players', async (w) => {
    const marks = async () =>
      (await w.sql`select from private.pending_recounts where tenant_id = ${w.id}`).length;
    const changes = async () => {
      const [before, deal] = [await marks(), await w.deal('ana')];
      const afterDeal = await marks();
      await w.lead('ana');
      const afterLead = await marks();
      await w.log(deal);
      return [afterDeal - before, afterLead - afterDeal, (await marks()) - afterLead];
    };
    expect(await changes()).toEqual([0, 0, 0]);
    await w.badge('revenue_closed', 1_000_000);
    expect(await changes()).toEqual([1, 0, 0]);
    await w.sql`
      select admin.create_challenge(${w.id}, 'Calls', 'activities_logged', 1000000, now(), now() + interval '1 day')`;
    expect(await changes()).toEqual([1, 0, 1]);
    await w.badge('leads_qualified', 1_000_000);
    expect(await changes()).toEqual([1, 1, 1]);
  });

  withWorkspace(
    'a badge has everyone counted once more a minute later, for changes that did not see it',
    async (w) => {
      await w.badge('deals_won', 1_000_000);
      const later = await w.sql`
      select due_at = now() + interval '1 minute' as "inAMinute" from jobs
      where tenant_id = ${w.id} and name = 'recount-everyone'`;
      expect(later).toEqual([{ inAMinute: true }]);
      await w.sql`delete from private.pending_recounts where tenant_id = ${w.id}`;
      await w.sql`select app.queue_recount_of_everybody(${w.id})`;
      const marked =
        await w.sql`select distinct player_id from private.pending_recounts where tenant_id = ${w.id}`;
      expect(marked).toHaveLength(2);
    },
  );

  withWorkspace('the sweep schedules one for forgotten players, and none otherwise', async (w) => {
    const other = await createWorkspace(w.sql, ['ana']);
    await other.recount();
    for (const { id } of [w, other])
      await w.sql`delete from jobs where tenant_id = ${id} and name = 'recount'`;
    await w.sql`select app.schedule_missed_recounts()`;
    expect(await waiting(w)).toHaveLength(1);
    expect(await waiting(other)).toHaveLength(0);
  });

  withWorkspace('a recount leaves some of very many players to the next one', async (w) => {
    await w.recount();
    await w.sql`delete from jobs where tenant_id = ${w.id}`;
    await w.sql`
      insert into private.pending_recounts (tenant_id, player_id)
      select tenant_id, id from players, generate_series(1, 5001) where tenant_id = ${w.id}`;
    const marks = async () =>
      (await w.sql`select from private.pending_recounts where tenant_id = ${w.id}`).length;
    await w.recount();
    expect([await marks(), (await waiting(w)).length]).toEqual([2, 1]);
    await w.sql`delete from jobs where tenant_id = ${w.id}`;
    await w.recount();
    expect([await marks(), (await waiting(w)).length]).toEqual([0, 0]);
  });

  withWorkspace(
    'the sweep has what is due in a moment done at once, and lets failed ones wait',
    async (w) => {
      const dueIn = async () =>
        (
          await w.sql`
        select extract(epoch from due_at - now())::integer as seconds from jobs
        where tenant_id = ${w.id} and name = 'recount'`
        )[0]?.seconds;
      await w.sql`update jobs set failures = 1 where tenant_id = ${w.id} and name = 'recount'`;
      await w.sql`select app.schedule_missed_recounts()`;
      expect(await dueIn()).toBe(2);
      await w.sql`update jobs set failures = 0 where tenant_id = ${w.id} and name = 'recount'`;
      await w.sql`select app.schedule_missed_recounts()`;
      expect(await dueIn()).toBe(0);
    },
  );

  test('if the waiting recount ran before a change committed, the next recount covers the change', async () => {
    const w = await createWorkspace(sql, ['ana']);
    await w.badge('deals_created', 1);
    await sql`update jobs set due_at = '2999-01-01' where tenant_id = ${w.id} and name = 'recount'`;
    await sql.begin(async (tx) => {
      await workspaceOf(tx, w.id).deal('ana');
      await w.recount();
      await sql`update jobs set finished_at = now() where tenant_id = ${w.id} and name = 'recount'`;
    });
    expect(await w.sql`select from earned_badges where tenant_id = ${w.id}`).toHaveLength(0);
    await sql`select app.schedule_missed_recounts()`;
    expect((await waiting(w)).length).toBeGreaterThanOrEqual(2);
    await w.recount();
    expect(await w.sql`select from earned_badges where tenant_id = ${w.id}`).toHaveLength(1);
  });
});
