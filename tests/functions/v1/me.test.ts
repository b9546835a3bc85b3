// What persons read and change of themselves (/me): points with their causes, badges, challenges, missions, leads and deals, and nothing of
// other people.
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { workspaceOf } from '../../support/gamification/gamification.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { createPerson, exchange, type Person } from '../../support/persons.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';

const sql = connectDatabase();

/** The helper of the driver wants a type that objects do not have. */
const rowOf = (tenantId: string, row: object) =>
  ({ tenant_id: tenantId, ...row }) as object as Record<string, never>;

const PAGES = ['points', 'badges', 'challenges', 'missions', 'leads', 'deals', 'opportunities'] as const;

async function setUp() {
  const { id, token: admin } = await createRecordsTenant(sql);
  const [ana, bia] = await Promise.all([
    createPerson(sql, id, { name: 'Ana' }),
    createPerson(sql, id, { name: 'Bia' }),
  ]);
  return { id, admin, ana, bia, w: workspaceOf(sql, id) };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

const ask = async (person: Person, path: string, headers = {}) => {
  const { status, body } = await records(person.token, 'GET', path, undefined, { headers });
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
};

const insert = async (table: string, tenantId: string, row: object): Promise<string> => {
  const [made] = await sql`insert into ${sql(table)} ${sql(rowOf(tenantId, row))} returning id`;
  return made?.id;
};

const mailbox = () => `${crypto.randomUUID()}@leads.example`;

const insertDeal = async ({ id, w }: Setup, owner: Person, name: string) =>
  insert('deals', id, { name, value: 100, owner_id: owner.userId, stage_id: await w.stageId('Prospecting') });

/** One entry of each kind for this person, and the ids of what earned them. */
async function earn(setup: Setup, person: Person) {
  const { id, w } = setup;
  const mission = await insert('missions', id, { name: 'Visit', points: 25 });
  await sql`insert into mission_codes (tenant_id, code, mission_id) values (${id}, '002', ${mission})`;
  const collaborator = await insert('collaborators', id, {
    name: 'Ana',
    email: person.email,
    external_id: 'crm-1',
  });
  const activity = (externalId: string) =>
    insert('activities', id, {
      external_id: externalId,
      activity_code: '002',
      collaborator_id: collaborator,
      occurred_at: '2026-03-02T15:00:00Z',
    });
  await activity('visit-1');
  await activity('visit-2');
  await sql`select admin.void_activity(${id}, 'visit-2', 'entered twice')`;
  await w.rule('deal.won', 100);
  await w.rule('lead.qualified', 10);
  await w.rule('activity.completed', 3);
  await w.rule('deal.stage_changed', 5, 'Proposal');
  const deal = await insertDeal(setup, person, 'Acme');
  await w.move(deal, 'Proposal');
  await sql`update deals set status = 'won', closed_at = now() where tenant_id = ${id} and id = ${deal}`;
  const lead = await insert('leads', id, {
    name: 'Maria',
    email: mailbox(),
    owner_id: person.userId,
    status: 'qualified',
  });
  await insert('deal_activities', id, { type: 'call', deal_id: deal });
  await sql`select admin.create_challenge(${id}, 'Sprint', 'deals_won', 1, '2026-01-01'::timestamptz, '2999-01-01'::timestamptz, 200)`;
  await sql`select app.recount(${id})`;
  await sql`select admin.adjust_points(${id}, ${person.email}, -7, 'Late report.')`;
  return { mission, deal, lead };
}

describe('points', () => {
  let setup: Setup;
  let earned: Awaited<ReturnType<typeof earn>>;
  let entries: Json[];
  beforeAll(async () => {
    setup = await setUp();
    earned = await earn(setup, setup.ana);
    entries = (await ask(setup.ana, '/me/points?per_page=100')).data;
  });

  const textsOf = (kind: string) =>
    entries
      .filter(({ cause }) => cause.kind === kind)
      .map(({ text }) => text.replace(/ on \d.*?20\d\d/, ' on DAY'));

  test('say what happened, in words', () => {
    const mission = entries.find(({ cause }) => cause.kind === 'mission');
    expect(mission.text).toBe('Visit: activity 002 on 2 Mar 2026 (+25).');
    expect(textsOf('void')).toEqual(['Visit: activity 002 on DAY was voided: entered twice (-25).']);
    expect(textsOf('rule').toSorted()).toEqual([
      'Call logged: Acme on DAY (+3).',
      'Deal moved to Proposal: Acme on DAY (+5).',
      'Deal won: Acme on DAY (+100).',
      'Lead qualified: Maria on DAY (+10).',
    ]);
    expect(textsOf('challenge')).toEqual(['Challenge completed: Sprint on DAY (+200).']);
    expect(textsOf('adjustment')).toEqual(['Adjustment: Late report. on DAY (-7).']);
  });

  test('name what caused them, and null for what does not apply', () => {
    const nothing = { mission: null, activity: null, event: null, deal: null, lead: null, challenge: null };
    const causeOf = (text: string) => entries.find((entry) => entry.text.startsWith(text)).cause;
    expect(causeOf('Visit')).toEqual({
      ...nothing,
      kind: expect.stringMatching(/^(mission|void)$/),
      mission: { id: earned.mission, name: 'Visit' },
      activity: {
        code: '002',
        external_id: expect.stringMatching(/^visit-[12]$/),
        occurred_at: '2026-03-02T15:00:00.000000Z',
      },
    });
    const deal = { id: earned.deal, name: 'Acme' };
    expect(causeOf('Deal won')).toEqual({ ...nothing, kind: 'rule', event: 'deal.won', deal });
    expect(causeOf('Call')).toEqual({ ...nothing, kind: 'rule', event: 'activity.completed', deal });
    expect(causeOf('Lead')).toEqual({
      ...nothing,
      kind: 'rule',
      event: 'lead.qualified',
      lead: { id: earned.lead, name: 'Maria' },
    });
    expect(causeOf('Challenge')).toEqual({
      ...nothing,
      kind: 'challenge',
      challenge: { id: expect.any(String), name: 'Sprint' },
    });
    expect(causeOf('Adjustment')).toEqual({ ...nothing, kind: 'adjustment' });
  });

  test('add up to the total, in every variant', async () => {
    for (const variant of ['a', 'b', 'c']) {
      const headers = { 'X-Api-Variant': variant };
      const me = (await ask(setup.ana, '/me', headers)).data;
      const page = (await ask(setup.ana, '/me/points?per_page=100', headers)).data;
      expect(page.reduce((sum: number, { points }: Json) => sum + points, 0)).toBe(me.total_points);
      expect(me.total_points).toBe(336);
    }
  });

  test('do not show a record that belongs to someone else', async () => {
    const { id, ana, bia } = setup;
    const deal = await insertDeal(setup, ana, 'Secret Co');
    await sql`update deals set status = 'won', closed_at = now() where tenant_id = ${id} and id = ${deal}`;
    const before = JSON.stringify(await ask(ana, '/me/points?per_page=100'));
    expect(before).toContain('Secret Co');
    await sql`update deals set owner_id = ${bia.userId} where tenant_id = ${id} and id = ${deal}`;
    const after = await ask(ana, '/me/points?per_page=100');
    expect(JSON.stringify(after)).not.toContain('Secret Co');
    expect(JSON.stringify(after)).not.toContain(deal);
    expect(after.data[0]).toMatchObject({ subject: null, cause: { event: 'deal.won', deal: null } });
    expect(after.data[0].text).toMatch(/^Deal won on \d+ \w{3} \d{4} \(\+100\)\.$/);
  });
});

test('the person, with tier, position and access, in the names of each variant', async () => {
  const { id, ana, bia } = await setUp();
  const team = await insert('teams', id, { name: 'North' });
  await sql`update users set team_id = ${team} where tenant_id = ${id} and id = ${ana.userId}`;
  await sql`select admin.create_tier(${id}, 'Bronze', 10), admin.create_tier(${id}, 'Silver', 100)`;
  await sql`select admin.adjust_points(${id}, ${ana.email}, 20, 'start'), admin.adjust_points(${id}, ${bia.email}, 30, 'start')`;
  const [tenant] = await sql`select slug, name, time_zone from tenants where id = ${id}`;
  const me = (await ask(ana, '/me')).data;
  expect(me).toEqual({
    id: ana.userId,
    name: 'Ana',
    email: ana.email,
    phone: null,
    avatar_url: null,
    role: 'sales_rep',
    team: { id: team, name: 'North' },
    tenant: { id, ...tenant },
    access: 'seller',
    scopes: ['self', 'read:standings'],
    total_points: 20,
    ranking_tier: 'Bronze',
    next_tier: { name: 'Silver', min_points: 100 },
    position: 2,
    standings_opt_out: false,
  });
  const { team: _team, ...members } = me;
  expect((await ask(ana, '/me', { 'X-Api-Variant': 'b' })).data).toEqual({
    ...members,
    role: 'seller',
    team_id: team,
    team_name: 'North',
  });
  expect((await ask(ana, '/me', { 'X-Api-Variant': 'c' })).data).toEqual({ ...me, role: 'seller' });
});

describe('changing oneself', () => {
  test('sets phone and picture, and null clears them', async () => {
    const { ana } = await setUp();
    const change = { phone: '+55 11 5555-0100', avatar_url: 'https://img.example/a.png' };
    const { status, body } = await records(ana.token, 'PATCH', '/me', change);
    expect([status, body.data]).toEqual([200, expect.objectContaining(change)]);
    const cleared = await records(ana.token, 'PATCH', '/me', { avatar_url: null });
    expect(cleared.body.data).toMatchObject({ phone: change.phone, avatar_url: null });
  });

  test('names each member that is only shown, and changes nothing', async () => {
    const { ana } = await setUp();
    const sent = {
      phone: '1',
      name: 'X',
      role: 'admin',
      total_points: 9,
      position: null,
      avatar_url: 'http://x.example',
    };
    const { status, body } = await records(ana.token, 'PATCH', '/me', sent);
    expect(status).toBe(400);
    expect(body.error.details.map(({ field }: Json) => field).toSorted()).toEqual([
      'avatar_url',
      'name',
      'position',
      'role',
      'total_points',
    ]);
    const ofB = await records(
      ana.token,
      'PATCH',
      '/me',
      { team_id: null },
      { headers: { 'X-Api-Variant': 'b' } },
    );
    expect([ofB.status, ofB.body.error.details[0].field]).toEqual([400, 'team_id']);
    expect((await ask(ana, '/me')).data).toMatchObject({ phone: null, name: 'Ana' });
  });

  test('opting out is an act of the person, and hides position and name', async () => {
    const { id, ana, bia } = await setUp();
    const opted = await records(ana.token, 'PATCH', '/me', { standings_opt_out: true });
    expect(opted.body.data).toMatchObject({ standings_opt_out: true, position: null });
    expect(JSON.stringify(await ask(bia, '/standings'))).not.toContain('Ana');
    await records(ana.token, 'PATCH', '/me', { standings_opt_out: true });
    await records(ana.token, 'PATCH', '/me', { standings_opt_out: false });
    const acts = await sql`
      select act, actor_kind, actor_id, actor_name, via from admin_changes
      where tenant_id = ${id} and act like 'ranking.%' order by id`;
    const by = { actor_kind: 'person', actor_id: ana.userId, actor_name: 'Ana', via: 'api' };
    expect(acts.map((act) => ({ ...act }))).toEqual([
      { act: 'ranking.opted_out', ...by },
      { act: 'ranking.opted_in', ...by },
    ]);
    expect(JSON.stringify(await ask(bia, '/standings'))).toContain('Ana');
  });

  test('with If-Match, only the version that was read', async () => {
    const { ana } = await setUp();
    const etag = (await records(ana.token, 'GET', '/me')).headers.get('etag') ?? '';
    const again = await records(ana.token, 'GET', '/me', undefined, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    const patch = (body: object, tag: string) =>
      records(ana.token, 'PATCH', '/me', body, { headers: { 'If-Match': tag } });
    const first = await patch({ standings_opt_out: true }, etag);
    expect(first.status).toBe(200);
    const stale = await patch({ phone: '1' }, etag);
    expect([stale.status, stale.body.error.current]).toEqual([412, first.body.data]);
    expect((await patch({ phone: '1' }, first.headers.get('etag') ?? '')).status).toBe(200);
    expect((await patch({ phone: '2' }, '*')).status).toBe(200);
  });
});

test('badges: all of them with the value that was reached, earned ones first', async () => {
  const { id, ana, w } = await setUp();
  await w.badge('points', 1000, 'Far');
  await w.badge('points', 10, 'Near');
  await sql`select admin.adjust_points(${id}, ${ana.email}, 20, 'start')`;
  await sql`select app.recount(${id})`;
  const { data, meta } = await ask(ana, '/me/badges');
  expect(data).toEqual([
    {
      id: expect.any(String),
      name: 'Near',
      metric: 'points',
      threshold: 10,
      value: 20,
      earned_at: expect.any(String),
    },
    { id: expect.any(String), name: 'Far', metric: 'points', threshold: 1000, value: 20, earned_at: null },
  ]);
  expect(meta).toMatchObject({ page: 1, total: 2 });
  expect((await ask(ana, '/me/badges?per_page=1&page=2')).data).toEqual([data[1]]);
  expect((await ask(ana, '/me/badges', { 'X-Api-Variant': 'b' })).pagination).toMatchObject({ total: 2 });
  expect((await records(ana.token, 'GET', '/me/badges?page=0')).status).toBe(400);
});

test('challenges: running ones first, with progress of that person only', async () => {
  const { id, ana, bia } = await setUp();
  const challenge = (name: string, from: string, to: string) =>
    sql`select admin.create_challenge(${id}, ${name}, 'points', 10, ${from}::timestamptz, ${to}::timestamptz, 5)`;
  await challenge('Past', '2020-01-01', '2020-02-01');
  await challenge('Future', '2990-01-01', '2991-01-01');
  await challenge('Present', '2026-01-01', '2999-01-01');
  await sql`select admin.adjust_points(${id}, ${ana.email}, 4, 'start'), admin.adjust_points(${id}, ${bia.email}, 12, 'start')`;
  await sql`select app.recount(${id})`;
  const { data } = await ask(ana, '/me/challenges');
  expect(
    data.map(({ name, state, value, completed_at }: Json) => [name, state, value, completed_at]),
  ).toEqual([
    ['Present', 'running', 4, null],
    ['Future', 'upcoming', 0, null],
    ['Past', 'ended', 0, null],
  ]);
  expect(Object.keys(data[0]).toSorted()).toEqual([
    'completed_at',
    'ends_at',
    'id',
    'metric',
    'name',
    'reward_points',
    'starts_at',
    'state',
    'target',
    'value',
  ]);
  const [own] = (await ask(bia, '/me/challenges')).data;
  expect(own).toMatchObject({ value: expect.any(Number), completed_at: expect.any(String) });
});

test('missions: what earns points, with what was earned today', async () => {
  const setup = await setUp();
  const { id, ana, w } = setup;
  const mission = await insert('missions', id, { name: 'Visit', points: 25 });
  await insert('missions', id, { name: 'Without a code', points: 25 });
  await sql`insert into mission_codes (tenant_id, code, mission_id) values (${id}, '002', ${mission})`;
  await sql`select admin.set_point_rule(${id}, 'deal.won', 100, null, 3)`;
  await w.rule('lead.qualified', 0);
  await w.rule('deal.stage_changed', 5, 'Proposal');
  const deal = await insertDeal(setup, ana, 'Acme');
  await sql`update deals set status = 'won', closed_at = now() where tenant_id = ${id} and id = ${deal}`;
  expect((await ask(ana, '/me/missions')).data).toEqual([
    { kind: 'mission', id: mission, name: 'Visit', points: 25, codes: ['002'], completions: 0 },
    {
      kind: 'rule',
      event: 'deal.stage_changed',
      stage: { id: await w.stageId('Proposal'), name: 'Proposal' },
      points: 5,
      max_per_day: null,
      today: 0,
    },
    { kind: 'rule', event: 'deal.won', stage: null, points: 100, max_per_day: 3, today: 1 },
  ]);
});

describe('two sellers', () => {
  test('see their own leads and deals, whatever owner they filter by', async () => {
    const setup = await setUp();
    const { id, ana, bia } = setup;
    const own: Record<string, [lead: string, deal: string]> = {};
    for (const person of [ana, bia]) {
      const lead = await insert('leads', id, {
        name: `Lead of ${person.email}`,
        email: mailbox(),
        owner_id: person.userId,
      });
      own[person.userId] = [lead, await insertDeal(setup, person, `Deal of ${person.email}`)];
    }
    for (const [me, other] of [
      [ana, bia],
      [bia, ana],
    ] as const) {
      const [lead, deal] = own[me.userId] ?? [];
      const [otherLead, otherDeal] = own[other.userId] ?? [];
      const filters = `?owner_id=${other.userId}&assigned_to=${other.userId}`;
      const idsOf = async (path: string, variant = 'a') =>
        (await ask(me, path + filters, { 'X-Api-Variant': variant })).data.map((one: Json) => one.id);
      for (const variant of ['a', 'b', 'c']) {
        expect(await idsOf('/me/leads', variant)).toEqual([lead]);
        expect(await idsOf('/me/deals', variant)).toEqual([deal]);
        expect(await idsOf('/me/opportunities', variant)).toEqual([deal]);
      }
      expect((await ask(me, `/me/leads/${lead}`)).data).toMatchObject({
        id: lead,
        activities: [],
        external_id: null,
      });
      for (const path of ['/me/deals', '/me/opportunities'])
        expect((await ask(me, `${path}/${deal}`)).data.id).toBe(deal);
      const foreign = [`/me/leads/${otherLead}`, `/me/deals/${otherDeal}`, `/me/opportunities/${otherDeal}`];
      for (const path of foreign) {
        const { status, body } = await records(me.token, 'GET', path);
        expect([path, status]).toEqual([path, 404]);
        expect(JSON.stringify(body)).not.toContain(other.email);
      }
      for (const page of PAGES) {
        const text = JSON.stringify(await ask(me, `/me/${page}?per_page=100&user_id=${other.userId}`));
        for (const foreignId of [other.userId, other.email, otherLead, otherDeal])
          expect(text).not.toContain(foreignId);
      }
    }
  });

  test("do not see activities of each other's deals in the history of a lead", async () => {
    const setup = await setUp();
    const { id, ana, bia } = setup;
    const lead = await insert('leads', id, { name: 'Shared', email: mailbox(), owner_id: ana.userId });
    for (const [person, title] of [
      [ana, 'mine'],
      [bia, 'theirs'],
    ] as const) {
      const deal = await insertDeal(setup, person, title);
      await sql`update deals set lead_id = ${lead} where tenant_id = ${id} and id = ${deal}`;
      await insert('deal_activities', id, { type: 'call', title, deal_id: deal });
    }
    const { data } = await ask(ana, `/me/leads/${lead}`);
    expect(data.activities.map(({ title }: Json) => title)).toEqual(['mine']);
  });

  test('get 403 from every other path', async () => {
    const { ana, bia } = await setUp();
    const paths = [
      '/leads',
      '/deals',
      '/opportunities',
      '/users',
      `/users/${bia.userId}`,
      `/users/${bia.userId}/points`,
      `/users/${bia.userId}/badges`,
      `/users/${bia.userId}/stats`,
      '/missions',
      '/badges',
      '/challenges',
      '/teams',
      '/webhooks',
      '/events',
      '/activities',
      '/admin/settings',
    ];
    for (const path of paths)
      expect([path, (await records(ana.token, 'GET', path)).status]).toEqual([path, 403]);
    for (const path of ['/standings', '/seasons'])
      expect([path, (await records(ana.token, 'GET', path)).status]).toEqual([path, 200]);
  });
});

test('paths that only read answer 405 to other methods', async () => {
  const { ana } = await setUp();
  const id = crypto.randomUUID();
  const paths = [
    ...PAGES.map((page) => `/me/${page}`),
    `/me/leads/${id}`,
    `/me/deals/${id}`,
    `/me/opportunities/${id}`,
  ];
  for (const path of paths)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect([path, method, (await records(ana.token, method, path, {})).status]).toEqual([
        path,
        method,
        405,
      ]);
});

test('without a token, 401', async () => {
  for (const path of ['/me', ...PAGES.map((page) => `/me/${page}`)])
    expect([path, (await records(null, 'GET', path)).status]).toEqual([path, 401]);
});

test('a token without the scope self, and a client, get 403', async () => {
  const { id, admin, ana } = await setUp();
  const { body } = await exchange(ana.authToken, { tenant: id, scope: 'read:standings' });
  const { token } = await createToken(sql, id, { scopes: ['read:users', 'read:standings'] });
  for (const one of [body.access_token, admin, token])
    for (const path of ['/me', ...PAGES.map((page) => `/me/${page}`)])
      expect([path, (await records(one, 'GET', path)).status]).toEqual([path, 403]);
});
