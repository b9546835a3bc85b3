// Silent imports have no consequences, neither immediately nor when the records are changed later.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction, type Workspace } from '../support/gamification/gamification.ts';

const sql = connectDatabase();

function withWorkspace(name: string, run: (w: Workspace) => Promise<void>): void {
  test(name, () => inTransaction(sql, async (tx) => await run(await createWorkspace(tx))));
}

/** As a request with X-Silent does. */
async function inSilence<T>(w: Workspace, work: () => Promise<T>): Promise<T> {
  await w.sql`select set_config('app.silent', 'on', true)`;
  const done = await work();
  await w.sql`select set_config('app.silent', '', true)`;
  return done;
}

const metrics = [
  'deals_created',
  'deals_won',
  'revenue_closed',
  'leads_created',
  'leads_qualified',
  'activities_logged',
];

/** Every metric of badges and challenges earns both at 2, and a challenge gives points. */
async function everythingCounts(w: Workspace): Promise<void> {
  for (const metric of metrics) {
    await w.badge(metric, 2);
    await w.sql`
      select admin.create_challenge(tenant_id => ${w.id}, name => ${metric}, metric => ${metric}, target => 2,
        starts_at => now() - interval '1 day', ends_at => now() + interval '1 day', reward_points => 5)`;
  }
  await w.recount();
}

/** All notifications and awards, after all counts have been updated. */
async function followed(w: Workspace) {
  await w.sql`select app.queue_recount_of_everybody(${w.id})`;
  await w.recount();
  const [row] = await w.sql`
    select (select count(*)::integer from events where tenant_id = ${w.id} and not silent) as events,
           (select count(*)::integer from point_entries where tenant_id = ${w.id}) as points,
           (select count(*)::integer from earned_badges where tenant_id = ${w.id}) as badges,
           (select count(*)::integer from completed_challenges where tenant_id = ${w.id}) as challenges`;
  return row;
}

const counted = async (w: Workspace, metric: string, name = 'ana') => {
  const [row] = await w.sql`
    select value::float8 from admin.challenge_progress where tenant_id = ${w.id} and challenge = ${metric}
      and email = ${`${name}@example.com`}`;
  return row?.value;
};

/** Two of each by ana. */
const steps: Record<string, (w: Workspace) => Promise<unknown>> = {
  deals_created: (w) => w.deal('ana'),
  deals_won: async (w) => w.change('deals', await w.deal('ana'), { status: 'won' }),
  revenue_closed: (w) => w.deal('ana', { status: 'won', value: 1 }),
  leads_created: (w) => w.lead('ana'),
  leads_qualified: async (w) => w.change('leads', await w.lead('ana'), { status: 'qualified' }),
  activities_logged: async (w) => w.log(await w.deal('ana')),
};

test.each(metrics)('%s: silent changes do not count for badges and challenges, other changes do', (metric) =>
  inTransaction(sql, async (tx) => {
    const w = await createWorkspace(tx);
    await everythingCounts(w);
    const before = await followed(w);
    const step = steps[metric] ?? (async () => {});
    await inSilence(w, async () => {
      await step(w);
      await step(w);
    });
    expect(await w.sql`select from private.pending_recounts where tenant_id = ${w.id}`).toEqual([]);
    expect(await followed(w)).toEqual(before);
    // Statistics include it.
    const [stats] =
      await w.sql`select app.user_statistics(${w.id}, ${await w.userId('ana')}, 'all_time', null, null) as s`;
    expect(Number(stats?.s[metric])).toBe(2);
    // One that is not silent counts as one, not as the third.
    await step(w);
    expect(await counted(w, metric)).toBe(1);
    await step(w);
    await followed(w);
    expect(
      await w.sql`select badge from admin.earned_badges where tenant_id = ${w.id} and badge = ${metric}`,
    ).toHaveLength(1);
  }),
);

withWorkspace(
  'a later change aloud of the same records brings nothing of it, but what it does itself',
  async (w) => {
    await everythingCounts(w);
    const [lead, deal] = await inSilence(w, async () => [
      await w.lead('ana', { status: 'qualified' }),
      await w.deal('ana', { status: 'won', value: 50 }),
    ]);
    await w.change('leads', lead, { company: 'Acme', owner_id: await w.userId('bia') });
    await w.change('deals', deal, { company: 'Acme', owner_id: await w.userId('bia') });
    for (const metric of metrics) expect([metric, await counted(w, metric, 'bia')]).toEqual([metric, 0]);
    // Lost and won again, not silently.
    await w.change('deals', deal, { status: 'open' });
    await w.change('deals', deal, { status: 'won', value: 60 });
    expect([await counted(w, 'deals_won', 'bia'), await counted(w, 'revenue_closed', 'bia')]).toEqual([
      1, 60,
    ]);
    expect(await counted(w, 'deals_created', 'bia')).toBe(0);
  },
);

withWorkspace(
  'what a silent change gives someone, or raises, does not count; what was there before does',
  async (w) => {
    await everythingCounts(w);
    const [lead, other] = [await w.lead('ana', { status: 'qualified' }), await w.lead('ana')];
    const [deal, moved] = [
      await w.deal('ana', { status: 'won', value: 7 }),
      await w.deal('ana', { status: 'won' }),
    ];
    await inSilence(w, async () => {
      const owner_id = await w.userId('bia');
      await w.change('leads', lead, { owner_id });
      await w.change('deals', moved, { owner_id });
      await w.change('leads', other, { status: 'qualified' });
      await w.change('deals', deal, { value: 1000 });
      await w.change('deals', deal, { value: 1_000_000, tags: ['x'] });
    });
    for (const metric of metrics) expect([metric, await counted(w, metric, 'bia')]).toEqual([metric, 0]);
    const own = Object.fromEntries(
      await Promise.all(metrics.map(async (metric) => [metric, await counted(w, metric)] as const)),
    );
    expect(own).toEqual({
      ...{
        deals_created: 1,
        deals_won: 1,
        revenue_closed: 7,
        leads_created: 1,
        leads_qualified: 0,
        activities_logged: 0,
      },
    });
    await w.change('deals', deal, { value: 9 });
    expect(await counted(w, 'revenue_closed')).toBe(9);
  },
);

withWorkspace('a merge adds nothing from a silently imported lead', async (w) => {
  await everythingCounts(w);
  const merge = (winner: string, loser: string) =>
    w.sql`select admin.merge_leads(${w.id}, ${winner}, ${loser})`;
  const imported = () => inSilence(w, () => w.lead('ana', { status: 'qualified' }));
  await merge(await w.lead(null), await imported());
  await merge(await w.lead(null, { status: 'qualified' }), await imported());
  expect([await counted(w, 'leads_created'), await counted(w, 'leads_qualified')]).toEqual([0, 0]);
  const own = await w.lead('ana');
  await merge(own, await imported());
  expect([await counted(w, 'leads_created'), await counted(w, 'leads_qualified')]).toEqual([1, 0]);
  // A lead that was not created silently counts for its new owner, unless the merge itself is silent.
  await merge(await w.lead(null), await w.lead('ana', { status: 'qualified' }));
  expect([await counted(w, 'leads_created'), await counted(w, 'leads_qualified')]).toEqual([2, 1]);
  const [winner, loser] = [await w.lead(null), await w.lead('bia')];
  await inSilence(w, () => merge(winner, loser).then(() => undefined));
  expect(await counted(w, 'leads_created', 'bia')).toBe(0);
});

withWorkspace(
  'users who come and go in silence have places, and nobody hears that others moved',
  async (w) => {
    const award = (name: string, points: number) => w.sql`
    insert into point_entries (tenant_id, player_id, reason, points)
    select tenant_id, player_id, 'automation', ${points} from users where tenant_id = ${w.id} and name = ${name}`;
    await award('ana', 10);
    await award('bia', -5);
    await w.recount();
    const changes = async () => (await w.events('ranking.changed')).length;
    const before = await changes();
    const places = async () => {
      const rows = await w.sql`
      select p.email, r.position::integer as place from rankings r join players p on p.tenant_id = r.tenant_id and p.id = r.player_id
      where r.tenant_id = ${w.id} order by 2, 1`;
      return rows.map(({ email, place }) => `${place} ${email.split('@')[0]}`);
    };
    await inSilence(w, async () => {
      await w.addUser('caio');
      await w.addUser('duda');
    });
    expect(await places()).toEqual(['1 ana', '2 caio', '2 duda', '4 bia']);
    await followed(w);
    expect(await changes()).toBe(before);
    await inSilence(
      w,
      async () => void (await w.sql`delete from users where tenant_id = ${w.id} and name = 'ana'`),
    );
    expect(await places()).toEqual(['1 caio', '1 duda', '3 bia']);
    await followed(w);
    expect(await changes()).toBe(before);
    // Other changes are announced as usual.
    await w.addUser('eva');
    await w.recount();
    expect(await changes()).toBe(before + 1);
  },
);

withWorkspace('deleting records also deletes their silent exclusions', async (w) => {
  await inSilence(w, async () => {
    await w.lead('ana', { status: 'qualified' });
    await w.log(await w.deal('ana', { status: 'won' }));
  });
  const left = async () => (await w.sql`select from private.uncounted where tenant_id = ${w.id}`).length;
  expect(await left()).toBe(5);
  await w.sql`delete from leads where tenant_id = ${w.id}`;
  await w.sql`delete from deals where tenant_id = ${w.id}`;
  expect(await left()).toBe(0);
});
