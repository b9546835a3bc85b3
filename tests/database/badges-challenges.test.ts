// Badges, challenges and rankings: which changes count, within which limits, and that each award happens once.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import {
  createWorkspace,
  inTransaction,
  type Workspace,
  workspaceOf,
} from '../support/gamification/gamification.ts';

const sql = connectDatabase();

function withWorkspace(name: string, run: (w: Workspace) => Promise<void>): void {
  test(name, () => inTransaction(sql, async (tx) => await run(await createWorkspace(tx))));
}

const earned = async (w: Workspace) => {
  const rows =
    await w.sql`select badge, email from admin.earned_badges where tenant_id = ${w.id} order by badge, email`;
  return rows.map(({ badge, email }) => `${badge}: ${email.split('@')[0]}`);
};

const challenge = async (
  w: Workspace,
  metric: string,
  target: number,
  from: string,
  to: string,
  reward = 0,
) => {
  const [row] = await w.sql`
    select admin.create_challenge(tenant_id => ${w.id}, name => ${metric}, metric => ${metric}, target => ${target},
      starts_at => ${from}::timestamptz, ends_at => ${to}::timestamptz, reward_points => ${reward}) as id`;
  return row?.id as string;
};

const DAY_MS = 24 * 3600 * 1000;
const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString();

/** One step of each metric for an owner, and the value of the metric after two steps. */
const metrics: Record<string, { step(w: Workspace): Promise<unknown>; afterTwo: number }> = {
  points: { step: (w) => w.deal('ana', { status: 'won' }), afterTwo: 20 },
  missions_completed: {
    step: (w) => w.sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      select ${w.id}, gen_random_uuid()::text, '001', c.id from collaborators c
      where c.tenant_id = ${w.id} and c.email = 'ana@example.com'`,
    afterTwo: 2,
  },
  deals_created: { step: (w) => w.deal('ana'), afterTwo: 2 },
  deals_won: {
    step: async (w) => w.change('deals', await w.deal('ana'), { status: 'won' }),
    afterTwo: 2,
  },
  revenue_closed: { step: (w) => w.deal('ana', { status: 'won', value: 0.1 }), afterTwo: 0.2 },
  leads_created: { step: (w) => w.lead('ana'), afterTwo: 2 },
  leads_qualified: {
    step: async (w) => w.change('leads', await w.lead('ana'), { status: 'qualified' }),
    afterTwo: 2,
  },
  activities_logged: { step: async (w) => w.log(await w.deal('ana')), afterTwo: 2 },
};

/** Adds to no metric except deals_created, leads_created and activities_logged of bia. */
async function noise(w: Workspace): Promise<void> {
  await w.deal(null, { status: 'won' });
  await w.deal('bia', { status: 'lost' });
  await w.lead('bia');
  await w.log(await w.deal('bia'));
}

async function withRules(w: Workspace): Promise<void> {
  await w.addCollaborator('ana');
  const [mission] = await w.sql`select admin.create_mission(${w.id}, 'Calls', 1) as id`;
  await w.sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
  await w.rule('deal.won', 10);
}

describe.each(Object.entries(metrics))('metric %s', (metric, { step, afterTwo }) => {
  withWorkspace('a badge is earned once, at its threshold', async (w) => {
    await withRules(w);
    await w.badge(metric, afterTwo, 'reached');
    await w.badge(metric, afterTwo + 0.01, 'missed');
    await step(w);
    await w.recount();
    expect(await earned(w)).toEqual([]);
    await step(w);
    await w.recount();
    expect(await earned(w)).toEqual(['reached: ana']);
    await w.recount();
    await step(w);
    await w.recount();
    expect(await earned(w)).toEqual(['missed: ana', 'reached: ana']);
    expect(await w.events('badge.earned')).toHaveLength(2);
  });

  withWorkspace('a challenge also counts changes before its creation, only for their owner', async (w) => {
    await withRules(w);
    await step(w);
    await step(w);
    await noise(w);
    await challenge(w, metric, afterTwo, day(-1), day(1));
    await w.recount();
    const rows = await w.sql`
      select email, value::float8, completed_at is not null as completed from admin.challenge_progress
      where tenant_id = ${w.id} and email = 'ana@example.com'`;
    expect(rows).toEqual([{ email: 'ana@example.com', value: afterTwo, completed: true }]);
    const events = await w.events('challenge.completed');
    expect(events.filter(({ email }) => email === 'ana@example.com')).toHaveLength(1);
  });
});

describe('the period of a challenge', () => {
  const [START, END] = ['2026-03-01T00:00:00.000000Z', '2026-04-01T00:00:00.000000Z'];
  // The timestamp of a row that counts, for metrics that use timestamps of rows.
  const dated: Record<string, (w: Workspace, at: string) => Promise<unknown>> = {
    deals_created: (w, at) => w.deal('ana', { created_at: at }),
    deals_won: (w, at) => w.deal('ana', { status: 'won', closed_at: at, created_at: '2020-01-01' }),
    revenue_closed: (w, at) => w.deal('ana', { status: 'won', value: 1, closed_at: at }),
    leads_created: (w, at) => w.lead('ana', { created_at: at }),
    leads_qualified: (w, at) => w.lead('ana', { status: 'qualified', qualified_at: at }),
    activities_logged: async (w, at) => w.log(await w.deal('ana'), { created_at: at }),
    points: (w, at) => w.sql`
      insert into point_entries (tenant_id, player_id, reason, points, created_at)
      select ${w.id}, id, 'automation', 1, ${at} from players where tenant_id = ${w.id} and email like 'ana@%'`,
    missions_completed: (w, at) => w.sql`
      insert into point_entries (tenant_id, player_id, reason, points, completions, created_at)
      select ${w.id}, id, 'mission_completed', 0, 1, ${at} from players where tenant_id = ${w.id} and email like 'ana@%'`,
  };
  test.each(Object.keys(metrics))('%s: its first moment counts, its last one does not', async (metric) => {
    const counts = async (at: string) => {
      let completed = 0;
      await inTransaction(sql, async (tx) => {
        const w = await createWorkspace(tx);
        await challenge(w, metric, 1, START, END);
        await dated[metric]?.(w, at);
        await w.recount();
        completed = (await w.events('challenge.completed')).length;
      });
      return completed;
    };
    expect(await counts('2026-02-28T23:59:59.999999Z')).toBe(0);
    expect(await counts(START)).toBe(1);
    expect(await counts('2026-03-31T23:59:59.999999Z')).toBe(1);
    expect(await counts(END)).toBe(0);
  });
});

describe('awards', () => {
  withWorkspace('a reward counts for badges immediately, and is in the ledger once', async (w) => {
    await w.badge('points', 50);
    const id = await challenge(w, 'deals_created', 1, day(-1), day(1), 50);
    await w.deal('ana');
    await w.recount();
    expect(await earned(w)).toEqual(['points: ana']);
    for (let i = 0; i < 3; i++) await w.recount();
    expect(await w.entries()).toEqual([{ name: 'ana', points: 50, reason: 'challenge_completed' }]);
    expect(await w.points()).toEqual({ ana: 50, bia: 0 });
    const [event] = await w.events('challenge.completed');
    expect(event).toEqual({
      user_id: await w.userId('ana'),
      email: 'ana@example.com',
      challenge: {
        ...{ id, name: 'deals_created', metric: 'deals_created', target: 1, reward_points: 50 },
        ...{ starts_at: expect.any(String), ends_at: expect.any(String) },
      },
      completed_at: expect.any(String),
    });
  });

  withWorkspace(
    'a badge stays when the metric decreases, and a lower threshold awards it to more players',
    async (w) => {
      const badge = await w.badge('deals_won', 2);
      await w.deal('ana', { status: 'won' });
      await w.recount();
      expect(await earned(w)).toEqual([]);
      await w.sql`update badges set threshold = 1 where id = ${badge}`;
      await w.recount();
      expect(await earned(w)).toEqual(['deals_won: ana']);
      await w.sql`delete from deals where tenant_id = ${w.id}`;
      await w.recount();
      expect(await earned(w)).toEqual(['deals_won: ana']);
      const [event] = await w.events('badge.earned');
      expect(event).toEqual({
        user_id: await w.userId('ana'),
        email: 'ana@example.com',
        badge: { id: badge, name: 'deals_won', metric: 'deals_won', threshold: 1 },
        earned_at: expect.any(String),
      });
      const [row] = await w.sql`
      select app.user_statistics(${w.id}, ${await w.userId('ana')}, 'today', null, null) ->> 'badges_earned' as today`;
      expect(row).toEqual({ today: '1' });
    },
  );

  withWorkspace('a collaborator without a user earns awards; a removed user earns none', async (w) => {
    await withRules(w);
    await w.addCollaborator('caio');
    await w.sql`
      insert into activities (tenant_id, external_id, activity_code, collaborator_id)
      select ${w.id}, c.name, '001', c.id from collaborators c where c.tenant_id = ${w.id}`;
    await w.deal('bia', { status: 'won' });
    await w.sql`delete from users where tenant_id = ${w.id} and email = 'bia@example.com'`;
    await w.badge('points', 1);
    await w.recount();
    expect(await earned(w)).toEqual(['points: ana', 'points: caio']);
    expect((await w.events('badge.earned')).map(({ user_id }) => user_id !== null).sort()).toEqual([
      false,
      true,
    ]);
  });

  withWorkspace('a new owner, email or author causes a recount', async (w) => {
    await w.badge('deals_created', 1);
    await w.badge('activities_logged', 1);
    const deal = await w.deal('ana');
    const activity = await w.log(deal);
    await w.recount();
    await w.change('deals', deal, { owner_id: await w.userId('bia') });
    await w.recount();
    await w.sql`update deal_activities set owner_id = ${await w.userId('bia')} where id = ${activity}`;
    await w.recount();
    expect(await earned(w)).toEqual([
      'activities_logged: ana',
      'activities_logged: bia',
      'deals_created: ana',
      'deals_created: bia',
    ]);
    // Bia becomes the player of the collaborator with that email address, and keeps the deal.
    await w.addCollaborator('dora');
    await w.recount();
    await w.change('users', await w.userId('bia'), { email: 'dora@example.com' });
    await w.recount();
    expect(await earned(w)).toContain('deals_created: dora');
  });

  test.each([
    [
      'badge',
      'metric',
      "admin.create_badge($1, 'B', 'calls', 1)",
      'metric: "calls" is unknown; allowed: points, ',
    ],
    ['badge', 'threshold', "admin.create_badge($1, 'B', 'points', 0)", 'threshold: must be'],
    ['badge', 'name', "admin.create_badge($1, ' ', 'points', 1)", 'name: is required'],
    [
      'challenge',
      'metric',
      "admin.create_challenge($1, 'C', 'calls', 1, now(), 'infinity')",
      'metric: "calls" is unknown; allowed: points, ',
    ],
    [
      'challenge',
      'target',
      "admin.create_challenge($1, 'C', 'points', 0, now(), 'infinity')",
      'target: must be',
    ],
    [
      'challenge',
      'time',
      "admin.create_challenge($1, 'C', 'points', 1, now(), now())",
      'ends_at: must be later than starts_at',
    ],
    [
      ...['challenge', 'reward', "admin.create_challenge($1, 'C', 'points', 1, now(), 'infinity', -1)"],
      'reward_points: -1 is out of range; allowed: 0 or more',
    ] as [string, string, string, string],
  ])('rejects a %s with an invalid %s', async (_, __, call, message) => {
    const { id } = await createWorkspace(sql, []);
    await expect(sql.unsafe(`select ${call}`, [id])).rejects.toThrow(message);
  });
});

describe('concurrency', () => {
  test('eight concurrent recounts award once', async () => {
    const w = await createWorkspace(sql);
    for (let threshold = 1; threshold <= 5; threshold++)
      await w.badge('deals_created', threshold, `Deals ${threshold}`);
    await challenge(w, 'deals_created', 3, day(-1), day(1), 7);
    for (let i = 0; i < 5; i++) await w.deal('ana');
    await Promise.all(Array.from({ length: 8 }, () => w.recount()));
    await w.deal('ana');
    await Promise.all(Array.from({ length: 8 }, () => w.recount()));
    expect(await earned(w)).toEqual([1, 2, 3, 4, 5].map((threshold) => `Deals ${threshold}: ana`));
    expect(await w.events('badge.earned')).toHaveLength(5);
    expect(await w.events('challenge.completed')).toHaveLength(1);
    expect(await w.points()).toEqual({ ana: 7, bia: 0 });
  });

  test('a change that commits during a recount is not lost', async () => {
    const w = await createWorkspace(sql);
    await w.badge('deals_created', 1);
    await w.recount();
    await sql.begin(async (tx) => {
      await workspaceOf(tx, w.id).deal('ana');
      await w.recount();
      expect(await earned(w)).toEqual([]);
    });
    await w.recount();
    expect(await earned(w)).toEqual(['deals_created: ana']);
  });

  test('a recount that is rolled back keeps its marks', async () => {
    const w = await createWorkspace(sql);
    await w.badge('deals_created', 1);
    await w.deal('ana');
    await inTransaction(sql, async (tx) => {
      await workspaceOf(tx, w.id).recount();
      expect(await earned(workspaceOf(tx, w.id))).toHaveLength(1);
    });
    await w.recount();
    expect(await earned(w)).toEqual(['deals_created: ana']);
  });
});
