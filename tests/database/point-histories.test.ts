// Random changes in random order: totals, ledger, tiers, progress and positions equal those of a simple model.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction, type Workspace } from '../support/gamification/gamification.ts';
import {
  DEALS_CHALLENGE,
  MISSIONS,
  POINTS_CHALLENGE,
  PointsModel,
  STAGES,
  TIERS,
} from '../support/gamification/points-model.ts';

const sql = connectDatabase();

/** For longer or different runs: `HISTORY_RUNS=500 HISTORY_SEED=7`. */
const RUNS = Number(process.env.HISTORY_RUNS ?? 50);
const SEED = process.env.HISTORY_SEED;

const USERS = ['ana', 'bia', 'dora'];
// Ana is both.
const COLLABORATORS = ['ana', 'caio'];
const RULES = [
  'deal.stage_changed',
  'deal.stage_changed Proposal',
  'deal.won',
  'lead.qualified',
  'activity.completed',
];

/** A workspace and its model, and the ids of the model's deals and leads. */
interface History {
  w: Workspace;
  model: PointsModel;
  dealIds: string[];
  leadIds: string[];
  /** External ids of the model's activities. */
  activityIds: string[];
}

async function beginHistory(w: Workspace): Promise<History> {
  const model = new PointsModel();
  for (const name of USERS) model.join('users', name);
  for (const name of COLLABORATORS) {
    await w.addCollaborator(name);
    model.join('collaborators', name);
  }
  for (const [name, points] of TIERS) await w.sql`select admin.create_tier(${w.id}, ${name}, ${points})`;
  for (const name of MISSIONS) {
    await w.sql`select admin.create_mission(${w.id}, ${name}, 5)`;
    model.missionPoints.set(name, 5);
  }
  for (const rule of ['deal.won', 'lead.qualified', 'activity.completed']) {
    await w.rule(rule, 6);
    model.rules.set(rule, 6);
  }
  const challenges = { deals_created: DEALS_CHALLENGE, points: POINTS_CHALLENGE };
  for (const [metric, { target, reward }] of Object.entries(challenges)) {
    await w.sql`
      select admin.create_challenge(${w.id}, ${metric}, ${metric}, ${target}, '-infinity', 'infinity', ${reward})`;
  }
  return { w, model, dealIds: [], leadIds: [], activityIds: [] };
}

interface Step {
  name: string;
  fields: unknown;
  run(history: History): Promise<void>;
}

function step<T>(name: string, fields: fc.Arbitrary<T>, run: (h: History, fields: T) => Promise<void>) {
  return fields.map((given): Step => ({ name, fields: given, run: (history) => run(history, given) }));
}

const who = fc.constantFrom(...USERS);
const code = fc.constantFrom('001', '002');
const mission = fc.constantFrom(...MISSIONS);
const index = fc.nat({ max: 3 });
const stage = fc.constantFrom(...STAGES);
const dealStatus = fc.constantFrom('open' as const, 'won' as const, 'lost' as const);
const leadStatus = fc.constantFrom('new', 'contacted', 'qualified', 'converted');
// Owners that are not users of the model own nothing.
const ownerOf = ({ model }: History, name: string | null) => (name && model.users.has(name) ? name : null);
const idOf = async ({ w }: History, name: string | null) => (name ? await w.userId(name) : null);

const steps = fc.oneof(
  step(
    'record',
    fc.record({ name: fc.constantFrom(...COLLABORATORS), code, times: fc.integer({ min: 1, max: 4 }) }),
    async ({ w, model, activityIds }, { name, code: sent, times }) => {
      const ids = Array.from({ length: times }, (_, n) => `a-${activityIds.length + n}`);
      await w.sql`
        insert into activities (tenant_id, external_id, activity_code, collaborator_id)
        select c.tenant_id, i.id, ${sent}, c.id
        from collaborators c, unnest(${ids}::text[]) as i (id) where c.tenant_id = ${w.id} and c.name = ${name}`;
      activityIds.push(...ids);
      for (let i = 0; i < times; i++) model.record(name, sent);
    },
  ),
  step(
    'map',
    fc.record({ code, to: fc.option(mission, { freq: 3 }) }),
    async ({ w, model }, { code: mapped, to }) => {
      if (to) {
        await w.sql`
        select admin.map_activity_code(${w.id}, ${mapped}, id) from missions where tenant_id = ${w.id} and name = ${to}`;
      } else await w.sql`select admin.unmap_activity_code(${w.id}, ${mapped})`;
      model.map(mapped, to);
    },
  ),
  step(
    'reprice',
    fc.record({ name: mission, points: fc.nat({ max: 20 }) }),
    async ({ w, model }, { name, points }) => {
      await w.sql`update missions set points = ${points} where tenant_id = ${w.id} and name = ${name}`;
      model.missionPoints.set(name, points);
    },
  ),
  step(
    'rule',
    fc.record({
      rule: fc.constantFrom(...RULES),
      points: fc.constantFrom(-9, 0, 3, 11),
      most: fc.option(fc.integer({ min: 1, max: 3 })),
    }),
    async ({ w, model }, { rule, points, most }) => {
      const [event = '', ofStage] = rule.split(' ');
      const stageId = ofStage ? await w.stageId(ofStage) : null;
      await w.sql`select admin.set_point_rule(${w.id}, ${event}, ${points}, ${stageId}, ${most})`;
      model.rules.set(rule, points);
      model.bounds.set(rule, most ?? Number.POSITIVE_INFINITY);
    },
  ),
  step(
    'adjust',
    fc.record({ name: fc.constantFrom(...USERS, ...COLLABORATORS), points: fc.constantFrom(-20, 7) }),
    async ({ w, model }, { name, points }) => {
      await w.sql`select admin.adjust_points(${w.id}, ${`${name}@example.com`}, ${points}, 'Corrected')`;
      model.adjust(name, points);
    },
  ),
  step('void', fc.nat({ max: 11 }), async ({ w, model, activityIds }, at) => {
    const [activity, id] = [model.activities[at], activityIds[at]];
    if (!activity || !id) return;
    await w.sql`select admin.void_activity(${w.id}, ${id}, 'Wrong')`;
    model.voidActivity(activity);
  }),
  step(
    'opt out',
    fc.record({ name: fc.constantFrom(...USERS, ...COLLABORATORS), out: fc.boolean() }),
    async ({ w, model }, { name, out }) => {
      await w.sql`select admin.set_ranking_opt_out(${w.id}, ${`${name}@example.com`}, ${out})`;
      if (out) model.optedOut.add(name);
      else model.optedOut.delete(name);
    },
  ),
  step('deal', fc.record({ owner: fc.option(who), status: dealStatus }), async (h, { owner, status }) => {
    h.dealIds.push(await h.w.deal(ownerOf(h, owner), { status }));
    h.model.createDeal(ownerOf(h, owner), status);
  }),
  step(
    'change deal',
    fc.record(
      {
        index,
        change: fc.record({ stage, owner: fc.option(who), status: dealStatus }, { requiredKeys: [] }),
      },
      { requiredKeys: ['index', 'change'] },
    ),
    async (h, { index: at, change: { stage: to, owner, status } }) => {
      const [deal, id] = [h.model.deals[at], h.dealIds[at]];
      if (!deal || !id) return;
      const given = { ...(status && { status }), ...(owner !== undefined && { owner: ownerOf(h, owner) }) };
      const columns = {
        ...(status && { status }),
        ...(to && { stage_id: await h.w.stageId(to) }),
        ...(owner !== undefined && { owner_id: await idOf(h, ownerOf(h, owner)) }),
      };
      if (Object.keys(columns).length > 0) await h.w.change('deals', id, columns);
      h.model.changeDeal(deal, { ...given, ...(to && { stage: to }) });
    },
  ),
  step('win all', fc.constant(null), async ({ w, model }) => {
    await w.sql`update deals set status = 'won' where tenant_id = ${w.id}`;
    for (const deal of model.deals) model.changeDeal(deal, { status: 'won' });
  }),
  step('lead', fc.record({ owner: fc.option(who), status: leadStatus }), async (h, { owner, status }) => {
    h.leadIds.push(await h.w.lead(ownerOf(h, owner), { status }));
    h.model.createLead(ownerOf(h, owner), status);
  }),
  step(
    'change lead',
    fc.record({ index, status: leadStatus, owner: fc.option(who) }),
    async (h, { index: at, status, owner }) => {
      const [lead, id] = [h.model.leads[at], h.leadIds[at]];
      if (!lead || !id) return;
      await h.w.change('leads', id, { status, owner_id: await idOf(h, ownerOf(h, owner)) });
      h.model.changeLead(lead, { status, owner: ownerOf(h, owner) });
    },
  ),
  step('log', index, async ({ w, model, dealIds }, at) => {
    const [deal, id] = [model.deals[at], dealIds[at]];
    if (!deal || !id) return;
    await w.log(id);
    model.log(deal);
  }),
  step('leave', who, async ({ w, model }, name) => {
    await w.sql`delete from users where tenant_id = ${w.id} and name = ${name}`;
    model.leave(name);
  }),
  step('return', who, async ({ w, model }, name) => {
    if (model.users.has(name)) return;
    await w.addUser(name);
    model.join('users', name);
  }),
  step('recount', fc.constant(null), async ({ w, model }) => {
    for (let i = 0; i < 4; i++) await w.recount();
    model.recount();
  }),
);

const nameOf = (email: string) => email.split('@')[0] ?? '';

async function compare({ w, model }: History): Promise<void> {
  expect(await w.points()).toEqual(Object.fromEntries(model.points));
  const ledger = await w.sql`
    select p.email, coalesce(sum(e.points), 0)::integer as points
    from players p left join point_entries e on e.tenant_id = p.tenant_id and e.player_id = p.id
    where p.tenant_id = ${w.id} group by p.email`;
  expect(Object.fromEntries(ledger.map(({ email, points }) => [nameOf(email), points]))).toEqual(
    Object.fromEntries(model.points),
  );
  expect(await w.sql`select * from admin.point_differences where tenant_id = ${w.id}`).toEqual([]);

  const standings = await w.sql`
    select email, points::integer, position::integer from admin.standings where tenant_id = ${w.id} order by email`;
  expect(standings.map(({ email, ...row }) => ({ name: nameOf(email), ...row }))).toEqual(model.standings());

  const shown = await w.sql`
    select e ->> 'name' as name, (e ->> 'points')::integer as points, (e ->> 'position')::integer as position
    from app.standings(${w.id}, tstzrange('-infinity', 'infinity'), null, null, 100, 0) as s,
         jsonb_array_elements(s.records) as e order by 1`;
  expect([...shown]).toEqual(model.standings().filter(({ position }) => position !== null));

  const users = await w.sql`select name, app.user_record(u) as record from users u where tenant_id = ${w.id}`;
  for (const { name, record } of users) {
    expect([name, record.total_points, record.ranking_tier]).toEqual([
      name,
      model.points.get(name),
      model.tier(name),
    ]);
  }

  const progress = await w.sql`
    select email, mission_name, completions::integer from admin.mission_progress
    where tenant_id = ${w.id} and completions <> 0`;
  expect(
    Object.fromEntries(progress.map((row) => [`${nameOf(row.email)} ${row.mission_name}`, row.completions])),
  ).toEqual(model.completions());
  // As GET /v1/missions counts them: from the activities, not from the ledger.
  const counted = await w.sql`
    select c.name, m.name as mission, count(*)::integer as n
    from activities a
    join mission_codes mc on mc.tenant_id = a.tenant_id and mc.code = a.activity_code
    join missions m on m.tenant_id = mc.tenant_id and m.id = mc.mission_id
    join collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id
    where a.tenant_id = ${w.id} and a.voided_at is null group by 1, 2`;
  expect(Object.fromEntries(counted.map(({ name, mission, n }) => [`${name} ${mission}`, n]))).toEqual(
    model.completions(),
  );
}

test('after any history', async () => {
  const reached = { points: 0, negative: 0, gold: 0, rewards: 0, progress: 0, optedOut: 0, void: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 80, size: 'max' }), async (history) => {
      await inTransaction(sql, async (tx) => {
        const begun = await beginHistory(await createWorkspace(tx, USERS));
        for (const { run } of history) await run(begun);
        await compare(begun);
        const { model, w } = begun;
        reached.points += [...model.points.values()].some((points) => points > 0) ? 1 : 0;
        reached.negative += [...model.points.values()].some((points) => points < 0) ? 1 : 0;
        reached.gold += USERS.some((name) => model.tier(name) === 'Gold') ? 1 : 0;
        reached.rewards += (await w.entries()).some(({ reason }) => reason === 'challenge_completed') ? 1 : 0;
        reached.optedOut += model.optedOut.size > 0 ? 1 : 0;
        reached.void += model.activities.some((activity) => activity.void) ? 1 : 0;
        reached.progress += Object.keys(model.completions()).length > 0 ? 1 : 0;
      });
    }),
    { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
  );
  // The histories cover everything that is compared.
  expect(Object.entries(reached).filter(([, times]) => times === 0)).toEqual([]);
});
