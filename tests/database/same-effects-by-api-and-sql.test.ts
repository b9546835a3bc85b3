// The same changes through the API, by SQL in Studio, and by a supabase-js client of the tenant: the same points, events
// and automation runs. There is no PostgREST here: the third way is a session as PostgREST opens it for such a client, a
// transaction with `set local role service_role` and `request.jwt.claims`.
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, type Queries, type Workspace } from '../support/gamification/gamification.ts';
import { createToken, records } from '../support/records/records.ts';

const sql = connectDatabase();

type Fields = Record<string, postgres.JSONValue>;

/** A way to change records. */
interface Way {
  create(table: 'leads' | 'deals' | 'users', fields: Fields): Promise<string>;
  change(table: 'leads' | 'deals' | 'users', id: string, fields: Fields): Promise<void>;
  remove(table: 'leads' | 'deals', id: string): Promise<void>;
  move(dealId: string, stageId: string, note: string): Promise<void>;
  win(dealId: string, value: number): Promise<void>;
  lose(dealId: string, reason: string): Promise<void>;
  convert(leadId: string, stageId: string): Promise<void>;
  log(dealId: string, fields: Fields): Promise<void>;
}

async function apiDoor({ id }: Workspace): Promise<Way> {
  const { token } = await createToken(sql, id);
  const send = async (method: string, path: string, body?: Fields) => {
    const reply = await records(token, method, path, body);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body?.data;
  };
  return {
    create: async (table, fields) => {
      // The API sets the status at creation itself.
      const { status: _, ...given } = fields;
      return (await send('POST', `/${table}`, given)).id;
    },
    change: async (table, recordId, fields) =>
      fields.status === 'deactivated'
        ? await send('DELETE', `/${table}/${recordId}`)
        : await send('PATCH', `/${table}/${recordId}`, fields),
    remove: (table, recordId) => send('DELETE', `/${table}/${recordId}`),
    move: (dealId, stageId, note) => send('POST', `/deals/${dealId}/move`, { stage_id: stageId, note }),
    win: (dealId, value) => send('POST', `/deals/${dealId}/close`, { result: 'won', final_value: value }),
    lose: (dealId, reason) => send('POST', `/deals/${dealId}/close`, { result: 'lost', loss_reason: reason }),
    convert: (leadId, stageId) =>
      send('POST', `/leads/${leadId}/convert`, { deal_value: 70, stage_id: stageId }),
    log: (dealId, fields) => send('POST', `/deals/${dealId}/activities`, fields),
  };
}

/** With SQL, each change in a transaction that `open` begins. */
function sqlDoor({ id }: Workspace, open: <T>(run: (tx: Queries) => Promise<T>) => Promise<T>): Way {
  const values = (tx: Queries, fields: Fields) => tx(fields as Record<string, never>);
  const change: Way['change'] = (table, recordId, fields) =>
    open(async (tx) => {
      await tx`update ${tx(table)} set ${values(tx, fields)} where tenant_id = ${id} and id = ${recordId}`;
    });
  return {
    create: (table, fields) =>
      open(async (tx) => {
        const firstStage = table === 'deals' && !fields.stage_id;
        const [stage] = await tx`
          select id from pipeline_stages where tenant_id = ${id} order by position limit 1`;
        const row = { tenant_id: id, ...(firstStage && { stage_id: stage?.id }), ...fields };
        const [made] = await tx`insert into ${tx(table)} ${values(tx, row)} returning id`;
        return made?.id;
      }),
    change,
    remove: (table, recordId) =>
      open(
        async (tx) => void (await tx`delete from ${tx(table)} where tenant_id = ${id} and id = ${recordId}`),
      ),
    move: (dealId, stageId, note) =>
      open(async (tx) => {
        await tx`update deals set stage_id = ${stageId} where tenant_id = ${id} and id = ${dealId}`;
        await tx`
          insert into deal_activities (tenant_id, type, description, deal_id) values (${id}, 'note', ${note}, ${dealId})`;
      }),
    win: (dealId, value) => change('deals', dealId, { status: 'won', value }),
    lose: (dealId, reason) => change('deals', dealId, { status: 'lost', loss_reason: reason }),
    convert: (leadId, stageId) =>
      open(async (tx) => {
        await tx`update leads set status = 'converted' where tenant_id = ${id} and id = ${leadId}`;
        await tx`
          insert into deals (tenant_id, name, value, stage_id, contact_name, contact_email, company, owner_id, lead_id)
          select tenant_id, name, 70, ${stageId}, name, email, company, owner_id, id from leads
          where tenant_id = ${id} and id = ${leadId}`;
      }),
    log: (dealId, fields) =>
      open(async (tx) => {
        await tx`insert into deal_activities ${values(tx, { tenant_id: id, deal_id: dealId, ...fields })}`;
      }),
  };
}

/** A transaction as PostgREST begins it for a request with the service key. */
async function asService<T>(run: (tx: Queries) => Promise<T>): Promise<T> {
  const result = await sql.begin(async (tx) => {
    await tx`set local role service_role`;
    await tx`select set_config('request.jwt.claims', '{"role":"service_role","iss":"supabase"}', true)`;
    return { value: await run(tx) };
  });
  return result.value as T;
}

const ways: Record<string, (w: Workspace) => Promise<Way> | Way> = {
  'the API': apiDoor,
  'SQL in Studio': (w) => sqlDoor(w, (run) => run(sql)),
  'a supabase-js client': (w) => sqlDoor(w, asService),
};

/** The rules, awards and automations in this history. */
async function furnish(w: Workspace): Promise<void> {
  await w.rule('deal.stage_changed', 5);
  await w.rule('deal.stage_changed', 8, 'Proposal');
  await w.rule('deal.won', 100);
  await w.rule('lead.qualified', 20);
  await w.rule('activity.completed', 3);
  await w.badge('deals_won', 1, 'First win');
  await w.sql`select admin.create_tier(${w.id}, 'Bronze', 100)`;
  await w.sql`
    select admin.create_challenge(${w.id}, 'Two leads', 'leads_created', 2, '-infinity', 'infinity', 40)`;
  const call = { type: 'create_activity', activity_type: 'call', description: 'Say hello' };
  const stage = { type: 'move_stage', stage_id: await w.stageId('Negotiation') };
  await w.automation(
    'deal.created',
    [{ type: 'add_tag', tag: 'big' }, call],
    [{ field: 'value', op: 'gt', value: 500 }],
  );
  await w.automation('deal.updated', [stage], [{ field: 'tags', op: 'contains', value: 'big' }]);
  await w.automation('lead.status_changed', [stage, { type: 'award_points', points: 9 }], [], 'fails');
  await w.automation('lead.status_changed', [{ type: 'award_points', points: 2 }], [], 'works');
  await w.automation('user.created', [{ type: 'award_points', points: 1 }]);
}

/** Runs every waiting automation, even if a worker runs them as well. */
async function settle(w: Workspace): Promise<void> {
  const run = new Set<string>();
  for (;;) {
    const keys = (await w.jobs('run-automations')).map(({ key }) => key).filter((key) => !run.has(key));
    if (keys.length === 0) return;
    for (const key of keys) {
      run.add(key);
      await sql`select app.run_automations(${w.id}, ${key})`;
    }
  }
}

async function live(w: Workspace, way: Way): Promise<void> {
  const [ana, bia] = [await w.userId('ana'), await w.userId('bia')];
  const proposal = await w.stageId('Proposal');
  let deal = '';
  let lead = '';
  let user = '';
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      deal = await way.create('deals', { name: 'Fleet', value: 900, owner_id: ana });
    },
    () => way.move(deal, proposal, 'They want an offer.'),
    () => way.log(deal, { type: 'meeting', description: 'Lunch' }),
    () => way.change('deals', deal, { owner_id: bia, priority: 'high' }),
    () => way.win(deal, 950.5),
    async () => {
      lead = await way.create('leads', { name: 'Nina', email: 'nina@shop.example', owner_id: bia });
    },
    () => way.change('leads', lead, { status: 'qualified', company: 'Shop' }),
    () => way.change('leads', lead, { status: 'contacted' }),
    () => way.convert(lead, proposal),
    async () => {
      lead = await way.create('leads', { name: 'Rui', email: 'rui@shop.example', owner_id: bia });
      deal = await way.create('deals', { name: 'Small', value: 10, owner_id: ana, lead_id: lead });
    },
    () => way.lose(deal, 'price'),
    () => way.remove('leads', lead),
    () => way.remove('deals', deal),
    () => way.create('leads', { name: 'Zoe', email: 'zoe@shop.example', owner_id: bia }),
    async () => {
      const caio = { name: 'Caio', email: 'caio@example.com', role: 'sales_rep', status: 'invited' };
      user = await way.create('users', caio);
    },
    () => way.change('users', user, { phone: '5' }),
    () => way.change('users', user, { status: 'deactivated' }),
  ];
  for (const step of steps) {
    await step();
    await settle(w);
  }
  await w.recount();
  await w.recount();
}

/** The results, without ids and times. */
async function outcome(w: Workspace) {
  const known = new Map<string, string>();
  for (const name of ['ana', 'bia', 'caio']) known.set(await w.userId(name), name);
  for (const { id, name } of await sql`select id, name from pipeline_stages where tenant_id = ${w.id}`)
    known.set(id, name);
  const plain = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, (id) => known.get(id) ?? '<id>')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, '<time>'),
    );
  const events =
    await sql`select type, data, depth, origin from events where tenant_id = ${w.id} order by id`;
  // The number and position of these depend on when a worker counts.
  const later = /^(badge|challenge|ranking)\./;
  const awards = events.filter(({ type }) => later.test(type) && type !== 'ranking.changed');
  const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return plain({
    points: await w.points(),
    entries: (await w.entries()).sort(byText),
    events: events.filter(({ type }) => !later.test(type)),
    awards: awards
      .map(({ type, data }) => [type, data.email, data.badge?.name ?? data.challenge?.name])
      .sort(byText),
    runs: await w.runs(),
    standings: await sql`
      select name, points::integer, position::integer from admin.standings where tenant_id = ${w.id} order by 3, 1`,
    announced: await sql`
      select u.name, r.position::integer from rankings r join users u on u.player_id = r.player_id
      where r.tenant_id = ${w.id} order by 2, 1`,
    tiers:
      await sql`select app.user_record(u) -> 'ranking_tier' as tier from users u where tenant_id = ${w.id} order by name`,
  });
}

describe('the same history has the same effects', () => {
  let first: unknown;

  test.each(Object.keys(ways))('through %s', async (name) => {
    const w = await createWorkspace(sql);
    await furnish(w);
    const way = await ways[name]?.(w);
    if (!way) throw new Error('no such way');
    await live(w, way);
    const result = await outcome(w);
    first ??= result;
    expect(result).toEqual(first);

    expect(result.points).toEqual({
      // The automation's call and its move to Negotiation; the move to Proposal with its note; the meeting.
      ana: 3 + 5 + 8 + 3 + 3,
      // Being moved to Negotiation again, winning; qualifying, and both changes of status; the challenge.
      bia: 5 + 100 + 20 + 2 + 2 + 40,
      caio: 1,
    });
    expect(result.awards).toEqual([
      ['badge.earned', 'bia@example.com', 'First win'],
      ['challenge.completed', 'bia@example.com', 'Two leads'],
    ]);
    const outcomes = result.runs.map((run: Fields) => `${run.automation} ${run.outcome}`);
    expect(outcomes.filter((text: string) => text === 'fails failed')).toHaveLength(2);
    expect(outcomes.filter((text: string) => text === 'works done')).toHaveLength(2);
    expect(await sql`select * from admin.point_differences where tenant_id = ${w.id}`).toEqual([]);
  });
});

test.each([
  [
    "insert into point_entries (tenant_id, player_id, reason, points) select tenant_id, id, 'automation', 5 from players limit 1",
  ],
  ['update players set total_points = 5'],
  [
    "insert into events (tenant_id, interface, type, data) select id, 'records', 'deal.won', '{}' from tenants limit 1",
  ],
  ["select app.recount('00000000-0000-4000-8000-000000000001')"],
  [
    'insert into earned_badges (tenant_id, badge_id, player_id) select tenant_id, id, id from players limit 1',
  ],
])('a supabase-js client cannot award points itself: %s', async (statement) => {
  await expect(asService((tx) => tx.unsafe(statement))).rejects.toThrow('permission denied');
});
