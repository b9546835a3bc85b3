// Rules of points and tiers, and their effects when data changes.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import {
  createWorkspace,
  inTransaction,
  refusal,
  type Workspace,
} from '../support/gamification/gamification.ts';

const sql = connectDatabase();

/** A test in its own transaction, with the users ana and bia. */
function withWorkspace(name: string, run: (w: Workspace) => Promise<void>): void {
  test(name, () => inTransaction(sql, async (tx) => await run(await createWorkspace(tx))));
}

const totals = async (w: Workspace, expected: Record<string, number>) => {
  expect(await w.points()).toEqual(expected);
  expect(await w.sql`select * from admin.point_differences where tenant_id = ${w.id}`).toEqual([]);
};

describe('each rule', () => {
  const cases: [event: string, reason: string, act: (w: Workspace) => Promise<unknown>][] = [
    ['deal.stage_changed', 'deal_stage_changed', async (w) => w.move(await w.deal('ana'), 'Proposal')],
    ['deal.won', 'deal_won', async (w) => w.change('deals', await w.deal('ana'), { status: 'won' })],
    ['deal.won', 'deal_won', (w) => w.deal('ana', { status: 'won' })],
    [
      'lead.qualified',
      'lead_qualified',
      async (w) => w.change('leads', await w.lead('ana'), { status: 'qualified' }),
    ],
    ['lead.qualified', 'lead_qualified', (w) => w.lead('ana', { status: 'qualified' })],
    ['activity.completed', 'activity_completed', async (w) => w.log(await w.deal('ana'))],
    [
      'activity.completed',
      'activity_completed',
      async (w) => w.sql`
        insert into deal_activities (tenant_id, type, lead_id) values (${w.id}, 'note', ${await w.lead('ana')})`,
    ],
  ];
  test.each(cases)(
    '%s (%s) gives its points to the owner, and no other rule does',
    async (event, reason, act) => {
      await inTransaction(sql, async (tx) => {
        const w = await createWorkspace(tx);
        await w.rule(event, 7);
        await act(w);
        expect(await w.entries()).toEqual([{ name: 'ana', points: 7, reason }]);
        await totals(w, { ana: 7, bia: 0 });

        const without = await createWorkspace(tx);
        for (const [other] of cases) if (other !== event) await without.rule(other, 1000);
        await act(without);
        expect(await without.entries()).toEqual([]);
      });
    },
  );

  withWorkspace('an entry names its source: the event, or the logged activity', async (w) => {
    await w.rule('deal.won', 5);
    await w.rule('activity.completed', 3);
    const activity = await w.log(await w.deal('ana', { status: 'won' }));
    const rows = await w.sql`
      select e.points, v.type, e.deal_activity_id from point_entries e
      left join events v on v.tenant_id = e.tenant_id and v.id = e.event_id where e.tenant_id = ${w.id} order by e.id`;
    expect(rows).toEqual([
      { points: 5, type: 'deal.won', deal_activity_id: null },
      { points: 3, type: null, deal_activity_id: activity },
    ]);
  });

  withWorkspace("a stage's own rule takes precedence over the general one, even if it is 0", async (w) => {
    await w.rule('deal.stage_changed', 5);
    await w.rule('deal.stage_changed', 50, 'Proposal');
    await w.rule('deal.stage_changed', 0, 'Qualification');
    const deal = await w.deal('ana');
    for (const stage of ['Qualification', 'Proposal', 'Negotiation', 'Proposal']) await w.move(deal, stage);
    expect((await w.entries()).map(({ points }) => points)).toEqual([50, 5, 50]);
    await totals(w, { ana: 105, bia: 0 });
  });

  withWorkspace('other changes earn nothing', async (w) => {
    for (const event of ['deal.stage_changed', 'deal.won', 'lead.qualified']) await w.rule(event, 5);
    const deal = await w.deal('ana');
    await w.move(deal, 'Prospecting');
    await w.change('deals', deal, { value: 7, tags: ['big'] });
    await w.change('deals', deal, { status: 'lost', loss_reason: 'price' });
    const lead = await w.lead('ana');
    for (const status of ['contacted', 'unqualified', 'converted']) await w.change('leads', lead, { status });
    await w.sql`delete from deals where tenant_id = ${w.id}`;
    await w.sql`
      insert into events (tenant_id, interface, type, data)
      values (${w.id}, 'payments', 'deal.won', jsonb_build_object('owner_id', ${await w.userId('ana')}::text))`;
    expect(await w.entries()).toEqual([]);
    const qualified = await w.lead('ana', { status: 'qualified' });
    await w.change('leads', qualified, { name: 'Renamed', tags: ['hot'] });
    await w.change('leads', qualified, { status: 'converted' });
    expect(await w.entries()).toHaveLength(1);
  });

  withWorkspace('a repeated event earns points again', async (w) => {
    await w.rule('deal.won', 10);
    const deal = await w.deal('ana', { status: 'won' });
    await w.change('deals', deal, { value: 200 });
    await totals(w, { ana: 10, bia: 0 });
    await w.change('deals', deal, { status: 'open' });
    await w.change('deals', deal, { status: 'won' });
    await totals(w, { ana: 20, bia: 0 });
  });
});

describe('changing rules', () => {
  withWorkspace('a changed rule applies to later events; 0 disables it without entries', async (w) => {
    const id = await w.rule('deal.won', 10);
    await w.deal('ana', { status: 'won' });
    expect(await w.rule('deal.won', 3)).toBe(id);
    await w.deal('ana', { status: 'won' });
    await w.rule('deal.won', 0);
    await w.deal('ana', { status: 'won' });
    expect((await w.entries()).map(({ points }) => points)).toEqual([10, 3]);
    const rules =
      await w.sql`select event, points, stage_name from admin.point_rules where tenant_id = ${w.id}`;
    expect(rules).toEqual([{ event: 'deal.won', points: 0, stage_name: null }]);
  });

  test('rejects unknown events, a stage with another event, and stages of other tenants', async () => {
    const [mine, other] = [await createWorkspace(sql), await createWorkspace(sql)];
    await expect(mine.rule('deal.lost', 1)).rejects.toThrow('event: "deal.lost" is unknown; allowed: ');
    await expect(mine.rule('deal.won', 1, 'Proposal')).rejects.toThrow('stage_id: is not allowed');
    const theirs = await other.stageId('Proposal');
    await expect(
      sql`select admin.set_point_rule(${mine.id}, 'deal.stage_changed', 1, ${theirs})`,
    ).rejects.toThrow(/^stage_id: stage \S+ does not exist in this tenant/);
  });

  withWorkspace('deleting a stage deletes its rule', async (w) => {
    await w.rule('deal.stage_changed', 50, 'Proposal');
    await w.sql`delete from pipeline_stages where tenant_id = ${w.id} and name = 'Proposal'`;
    expect(await w.sql`select from point_rules where tenant_id = ${w.id}`).toHaveLength(0);
  });
});

describe('owners', () => {
  withWorkspace(
    'without an owner nobody gets points; a new owner gets those of the same change',
    async (w) => {
      for (const event of ['deal.won', 'activity.completed']) await w.rule(event, 10);
      const deal = await w.deal(null);
      await w.log(deal);
      await w.change('deals', deal, { status: 'won' });
      await w.change('deals', await w.deal('ana'), { status: 'won', owner_id: await w.userId('bia') });
      await totals(w, { ana: 0, bia: 10 });
    },
  );

  withWorkspace(
    'a removed owner keeps the points, gets none any more, and finds them on return',
    async (w) => {
      await w.rule('deal.won', 10);
      const [won, open] = [await w.deal('ana', { status: 'won' }), await w.deal('ana')];
      await w.sql`delete from users where tenant_id = ${w.id} and email = 'ana@example.com'`;
      await w.change('deals', open, { status: 'won' });
      await w.change('deals', won, { status: 'open' });
      await w.change('deals', won, { status: 'won' });
      await totals(w, { ana: 10, bia: 0 });
      expect(await w.sql`select email from admin.standings where tenant_id = ${w.id}`).toEqual([
        { email: 'bia@example.com' },
      ]);
      await w.addUser('ana');
      const [row] = await w.sql`
      select points::integer, position::integer from admin.standings
      where tenant_id = ${w.id} and email = 'ana@example.com'`;
      expect(row).toEqual({ points: 10, position: 1 });
    },
  );

  withWorkspace('a user and a collaborator with the same email are one row with one total', async (w) => {
    await w.rule('deal.won', 10);
    const collaborator = await w.addCollaborator('ana');
    const [mission] = await w.sql`select admin.create_mission(${w.id}, 'Calls', 4) as id`;
    await w.sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
    await w.deal('ana', { status: 'won' });
    await w.sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      values (${w.id}, '1', '001', ${collaborator})`;
    const rows = await w.sql`
      select email, user_id, collaborator_id, points::integer, position::integer from admin.standings
      where tenant_id = ${w.id} order by position`;
    expect(rows).toEqual([
      {
        email: 'ana@example.com',
        user_id: await w.userId('ana'),
        collaborator_id: collaborator,
        points: 14,
        position: 1,
      },
      {
        email: 'bia@example.com',
        user_id: await w.userId('bia'),
        collaborator_id: null,
        points: 0,
        position: 2,
      },
    ]);
    const progress = await w.sql`
      select mission_name, email, name, completions::integer, points::integer from admin.mission_progress
      where tenant_id = ${w.id}`;
    expect(progress).toEqual([
      { mission_name: 'Calls', email: 'ana@example.com', name: 'ana', completions: 1, points: 4 },
    ]);
  });
});

test('tiers: the highest one whose points are reached, null below all of them', async () => {
  await inTransaction(sql, async (tx) => {
    const w = await createWorkspace(tx, ['ana']);
    const tier = async () => {
      const [row] = await tx`select app.user_record(u) as user from users u where tenant_id = ${w.id}`;
      return [row?.user.total_points, row?.user.ranking_tier];
    };
    expect(await tier()).toEqual([0, null]);
    for (const [name, points] of [
      ['Gold', 500],
      ['Bronze', 0],
      ['Silver', 100],
    ] as const) {
      await tx`select admin.create_tier(${w.id}, ${name}, ${points})`;
    }
    const seen = [];
    for (const points of [99, 1, 399, 1, 1000, -1501]) {
      await w.rule('deal.won', points);
      await w.deal('ana', { status: 'won' });
      seen.push(await tier());
    }
    expect(seen).toEqual([
      [99, 'Bronze'],
      [100, 'Silver'],
      [499, 'Silver'],
      [500, 'Gold'],
      [1500, 'Gold'],
      [-1, null],
    ]);
    expect(await refusal(tx, (sp) => sp`select admin.create_tier(${w.id}, 'Other', 100)`)).toMatch('unique');
  });
});
