// Corrections and limits of admins: adjusted points, void activities, opting out of rankings, and points per day.
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

const differences = (w: Workspace) => w.sql`select * from admin.point_differences where tenant_id = ${w.id}`;

describe('concurrency', () => {
  test('two concurrent adjustments create two entries, and both count', async () => {
    const w = await createWorkspace(sql, ['ana']);
    const adjust = (points: number) =>
      sql`select admin.adjust_points(${w.id}, 'ana@example.com', ${points}, 'Quiz')`;
    await Promise.all([adjust(5), adjust(7), adjust(-2), adjust(10)]);
    expect(await w.points()).toEqual({ ana: 20 });
    expect(await w.entries()).toHaveLength(4);
    expect(await differences(w)).toEqual([]);
  });

  test('an activity that is voided concurrently loses its points once', async () => {
    const w = await createWorkspace(sql, []);
    await w.addCollaborator('ana');
    const [mission] = await sql`select admin.create_mission(${w.id}, 'Calls', 10) as id`;
    await sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
    await sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      select tenant_id, '1', '001', id from collaborators where tenant_id = ${w.id}`;
    let others: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`select admin.void_activity(${w.id}, '1', 'first')`;
      const again = () => sql`select admin.void_activity(${w.id}, '1', 'later')`;
      others = Promise.all([again(), again()]);
      const [me] = await tx`select pg_backend_pid() as pid`;
      await waitFor(
        async () =>
          (await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`).length > 0,
      );
    });
    await others;
    expect((await w.entries()).map(({ points, reason }) => [points, reason])).toEqual([
      [10, 'mission_completed'],
      [-10, 'activity_voided'],
    ]);
    expect(await sql`select void_reason from activities where tenant_id = ${w.id}`).toEqual([
      { void_reason: 'first' },
    ]);
    await expect(sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      select tenant_id, '1', '001', id from collaborators where tenant_id = ${w.id}`).rejects.toThrow(
      'activities_tenant_id_external_id_key',
    );
    expect(await differences(w)).toEqual([]);
  });

  test('of twenty concurrent activities, only as many give points as the rule allows per day', async () => {
    const w = await createWorkspace(sql, ['ana', 'bia']);
    await bound(w, 'activity.completed', 3, 5);
    // Each belongs to a different deal, since logging on one deal waits for the deal.
    const deals = await Promise.all(
      Array.from({ length: 20 }, (_, n) => w.deal(n % 2 === 0 ? 'ana' : 'bia')),
    );
    await Promise.all(deals.map((deal) => w.log(deal)));
    expect(await w.points()).toEqual({ ana: 15, bia: 15 });
    expect(await differences(w)).toEqual([]);
  });

  test.each(['activity.completed', 'deal.won'])(
    'of two concurrent %s, one waits for the other and counts it',
    async (event) => {
      const w = await createWorkspace(sql, ['ana']);
      await bound(w, event, 3, 1);
      const deals = [await w.deal('ana'), await w.deal('ana')];
      const act = (through: Workspace, deal = '') =>
        event === 'deal.won' ? through.change('deals', deal, { status: 'won' }) : through.log(deal);
      let second: Promise<unknown> | undefined;
      await sql.begin(async (tx) => {
        await act(workspaceOf(tx, w.id), deals[0]);
        second = act(w, deals[1]);
        const [me] = await tx`select pg_backend_pid() as pid`;
        await waitFor(
          async () =>
            (await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`).length >
            0,
        );
      });
      await second;
      expect(await w.points()).toEqual({ ana: 3 });
    },
  );
});

const bound = (
  w: Workspace,
  event: string,
  points: number,
  most: number | null,
  stage: string | null = null,
) => w.sql`select admin.set_point_rule(${w.id}, ${event}, ${points}, ${stage}, ${most})`;

/** Moves awards to the previous day in the ledger. */
async function untilTomorrow({ sql: tx, id }: Workspace): Promise<void> {
  await tx`set local app.maintenance = 'on'`;
  await tx`update point_entries set created_at = created_at - interval '1 day' where tenant_id = ${id}`;
  await tx`set local app.maintenance = 'off'`;
}

describe('a daily maximum', () => {
  withWorkspace('applies to each player and rule separately, and starts again every day', async (w) => {
    await bound(w, 'deal.stage_changed', 1, 2);
    await bound(w, 'deal.stage_changed', 10, 1, await w.stageId('Proposal'));
    const deal = await w.deal('ana');
    for (const stage of ['Proposal', 'Qualification', 'Proposal', 'Negotiation', 'Qualification']) {
      await w.move(deal, stage);
    }
    expect((await w.entries()).map(({ points }) => points)).toEqual([10, 1, 1]);
    await w.move(await w.deal('bia'), 'Proposal');
    expect(await w.points()).toEqual({ ana: 12, bia: 10 });
    await untilTomorrow(w);
    for (const stage of ['Proposal', 'Qualification']) await w.move(deal, stage);
    expect(await w.points()).toEqual({ ana: 23, bia: 10 });
  });

  withWorkspace('applies within a statement: the first rows earn the points', async (w) => {
    await bound(w, 'deal.won', 10, 3);
    for (const name of ['ana', 'ana', 'ana', 'ana', 'bia']) await w.deal(name);
    await w.sql`update deals set status = 'won' where tenant_id = ${w.id}`;
    expect(await w.points()).toEqual({ ana: 30, bia: 10 });
    await bound(w, 'lead.qualified', 1, 1);
    await w.sql`
      insert into leads (tenant_id, name, email, status, owner_id)
      select ${w.id}, 'Lead', i || '@example.com', 'qualified', ${await w.userId('bia')} from generate_series(1, 3) as i`;
    expect(await w.points()).toEqual({ ana: 30, bia: 11 });
  });

  withWorkspace('includes points that the rule awarded earlier that day, and can be removed', async (w) => {
    await w.rule('activity.completed', 1);
    const deal = await w.deal('ana');
    for (let i = 0; i < 3; i++) await w.log(deal);
    await bound(w, 'activity.completed', 1, 4);
    for (let i = 0; i < 3; i++) await w.log(deal);
    expect(await w.points()).toMatchObject({ ana: 4 });
    expect(await w.sql`select points, max_per_day from admin.point_rules where tenant_id = ${w.id}`).toEqual([
      { points: 1, max_per_day: 4 },
    ]);
    await w.rule('activity.completed', 1);
    for (let i = 0; i < 3; i++) await w.log(deal);
    expect(await w.points()).toMatchObject({ ana: 7 });
  });

  withWorkspace('uses the tenant’s day in any time zone', async (w) => {
    await bound(w, 'activity.completed', 1, 1);
    const deal = await w.deal('ana');
    // Their day began an hour or two ago: points given 90 minutes ago belong to today or yesterday.
    const zones = await w.sql`
      select name, extract(hour from now() at time zone name)::integer as hour from pg_timezone_names
      where name like 'Etc/GMT%'`;
    const zoneAt = (hour: number) => zones.find((zone) => zone.hour === hour)?.name;
    await w.log(deal);
    await w.sql`set local app.maintenance = 'on'`;
    await w.sql`update point_entries set created_at = now() - interval '120 minutes' where tenant_id = ${w.id}`;
    await w.sql`set local app.maintenance = 'off'`;
    await w.sql`update tenants set time_zone = ${zoneAt(3)} where id = ${w.id}`;
    await w.log(deal);
    expect(await w.points()).toMatchObject({ ana: 1 });
    await w.sql`update tenants set time_zone = ${zoneAt(0)} where id = ${w.id}`;
    await w.log(deal);
    expect(await w.points()).toMatchObject({ ana: 2 });
  });

  withWorkspace('applies in the hour before the clocks go back past midnight', async (w) => {
    await bound(w, 'activity.completed', 1, 1);
    const deal = await w.deal('ana');
    // A zone in which it is half past midnight, half an hour before clocks go back to midnight. Tenants cannot choose it.
    await w.sql`set local session_replication_role = replica`;
    const [zone] = await w.sql`
      with there as (
        select make_interval(secs => mod(1800 - extract(epoch from now())::bigint % 86400 + 129600, 86400) - 43200) as ahead
      )
      update tenants set time_zone = format('AAA%sBBB%s,%s/0,%s/1', interval '1 hour' - ahead, -ahead, mod(day + 180, 365), day)
      from (select ahead, extract(doy from now() at time zone 'UTC' + ahead)::integer - 1 as day from there) as at
      where id = ${w.id}
      returning date_trunc('day', now(), time_zone) > now() as begins_later`;
    await w.sql`set local session_replication_role = origin`;
    expect(zone?.begins_later).toBe(true);
    for (let i = 0; i < 3; i++) await w.log(deal);
    expect(await w.points()).toMatchObject({ ana: 1 });
  });
});

describe('opting out of rankings', () => {
  withWorkspace('moves other players up, and a returning player is a newcomer; badges stay', async (w) => {
    const changes = async () => {
      const before = (await w.events('ranking.changed')).length;
      await w.recount();
      const [event] = (await w.events('ranking.changed')).slice(before);
      const named = { [await w.userId('ana')]: 'ana', [await w.userId('bia')]: 'bia' };
      return event?.changes.map((change: { user_id: string; from: number | null; to: number }) => [
        named[change.user_id],
        change.from,
        change.to,
      ]);
    };
    await w.badge('points', 1);
    await w.sql`select admin.adjust_points(${w.id}, 'ana@example.com', 9, 'Quiz')`;
    await w.recount();
    await w.sql`select admin.set_ranking_opt_out(${w.id}, 'ana@example.com')`;
    expect(await changes()).toEqual([['bia', 2, 1]]);
    expect(await changes()).toBeUndefined();
    await w.sql`select admin.set_ranking_opt_out(${w.id}, 'ana@example.com')`;
    expect(await changes()).toBeUndefined();
    await w.sql`select admin.adjust_points(${w.id}, 'ana@example.com', 9, 'Quiz')`;
    expect(await changes()).toBeUndefined();
    expect(await w.sql`select from earned_badges where tenant_id = ${w.id}`).toHaveLength(1);
    await w.sql`select admin.set_ranking_opt_out(${w.id}, 'ana@example.com', false)`;
    expect(await changes()).toEqual([
      ['ana', null, 1],
      ['bia', 1, 2],
    ]);
  });

  test('concurrent points and opt-out are both stored', async () => {
    const w = await createWorkspace(sql, ['ana']);
    await sql.begin(async (tx) => {
      const first = workspaceOf(tx, w.id);
      await first.sql`select admin.adjust_points(${w.id}, 'ana@example.com', 5, 'Quiz')`;
      await first.sql`select admin.set_ranking_opt_out(${w.id}, 'ana@example.com')`;
    });
    await Promise.all([
      sql`select admin.adjust_points(${w.id}, 'ana@example.com', 5, 'Quiz')`,
      sql`select admin.set_ranking_opt_out(${w.id}, 'ana@example.com', false)`,
    ]);
    const [row] =
      await sql`select points::integer, position::integer from admin.standings where tenant_id = ${w.id}`;
    expect(row).toEqual({ points: 10, position: 1 });
  });
});
