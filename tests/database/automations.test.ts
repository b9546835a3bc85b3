// Automations as they run: each action on each event, once, each for itself, and no deeper than three.
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../shared/records/events/event-types.ts';
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

const TAG = { type: 'add_tag', tag: 'seen' };
const CALL = { type: 'create_activity', activity_type: 'call', description: 'Say hello' };
const POINTS = { type: 'award_points', points: 5 };
const assignBia = async (w: Workspace) => ({ type: 'assign_owner', user_id: await w.userId('bia') });
const toProposal = async (w: Workspace) => ({ type: 'move_stage', stage_id: await w.stageId('Proposal') });

const dealThen = (change: object) => async (w: Workspace) => w.change('deals', await w.deal('ana'), change);
const leadThen = (change: object) => async (w: Workspace) => w.change('leads', await w.lead('ana'), change);

/** How to cause each event for a record of ana. */
const events: Record<string, (w: Workspace) => Promise<unknown>> = {
  'deal.created': (w) => w.deal('ana'),
  'deal.updated': dealThen({ company: 'Acme' }),
  'deal.stage_changed': async (w) => w.move(await w.deal('ana'), 'Negotiation'),
  'deal.won': dealThen({ status: 'won' }),
  'deal.lost': dealThen({ status: 'lost' }),
  'deal.deleted': async (w) => w.sql`delete from deals where id = ${await w.deal('ana')}`,
  'lead.created': (w) => w.lead('ana'),
  'lead.updated': leadThen({ company: 'Acme' }),
  'lead.status_changed': leadThen({ status: 'contacted' }),
  'lead.converted': leadThen({ status: 'converted' }),
  'lead.merged': async (w) =>
    w.sql`select admin.merge_leads(${w.id}, ${await w.lead('ana')}, ${await w.lead('ana')})`,
  'lead.deleted': async (w) => w.sql`delete from leads where id = ${await w.lead('ana')}`,
  'user.created': (w) => w.addUser('caio'),
  'user.activated': async (w) =>
    w
      .change('users', await w.addUser('caio'), { status: 'invited' })
      .then(() => w.sql`update users set status = 'active' where tenant_id = ${w.id} and name = 'caio'`),
  'user.updated': async (w) => w.change('users', await w.userId('ana'), { phone: '1' }),
  'user.deactivated': async (w) => w.change('users', await w.userId('ana'), { status: 'deactivated' }),
  'badge.earned': async (w) => {
    await w.badge('deals_created', 1);
    await w.deal('ana');
    await w.recount();
  },
  'challenge.completed': async (w) => {
    await w.sql`select admin.create_challenge(${w.id}, 'C', 'deals_created', 1, '-infinity', 'infinity')`;
    await w.deal('ana');
    await w.recount();
  },
  'ranking.changed': (w) => w.recount(),
};

const actions: Record<string, (w: Workspace) => Promise<postgres.JSONValue> | postgres.JSONValue> = {
  add_tag: () => TAG,
  assign_owner: assignBia,
  move_stage: toProposal,
  create_activity: () => CALL,
  award_points: () => POINTS,
};

/** Why an action fails on an event; undefined when it is done. */
function failure(event: string, action: string): string | undefined {
  const kind = event.split('.')[0] ?? '';
  if (event === 'ranking.changed' && action === 'award_points') return 'no user to award points to';
  if (action === 'award_points') return undefined;
  if (kind !== 'deal' && (kind !== 'lead' || action === 'move_stage'))
    return `${action} is not available for the event ${event}`;
  if (action === 'move_stage') {
    return /won|lost|deleted/.test(event) ? 'the deal is no longer open' : undefined;
  }
  return event.endsWith('.deleted') ? `the ${kind} no longer exists` : undefined;
}

/** The effects of each action. */
const effects: Record<string, (w: Workspace, kind: string) => Promise<unknown>> = {
  add_tag: async (w, kind) =>
    (await w.sql`select tags from ${w.sql(`${kind}s`)} where tenant_id = ${w.id}`)[0]?.tags[0],
  assign_owner: async (w, kind) =>
    (
      await w.sql`
      select name from users where tenant_id = ${w.id}
        and id = (select owner_id from ${w.sql(`${kind}s`)} where tenant_id = ${w.id})`
    )[0]?.name,
  move_stage: async (w) =>
    (
      await w.sql`select s.name from deals d join pipeline_stages s on s.id = d.stage_id where d.tenant_id = ${w.id}`
    )[0]?.name,
  create_activity: async (w, kind) =>
    (
      await w.sql`
      select description from deal_activities
      where tenant_id = ${w.id} and type = 'call' and ${w.sql(`${kind}_id`)} is not null
        and owner_id = ${await w.userId('ana')}`
    )[0]?.description,
  award_points: async (w) =>
    (await w.entries()).filter(({ reason }) => reason === 'automation').map((e) => e.points)[0],
};
const left: Record<string, unknown> = {
  add_tag: 'seen',
  assign_owner: 'bia',
  move_stage: 'Proposal',
  create_activity: 'Say hello',
  award_points: 5,
};

test('this file triggers every type of event', () => {
  expect(Object.keys(events).toSorted()).toEqual(eventTypes.toSorted());
});

describe.each(Object.keys(events))('%s', (event) => {
  test.each(Object.keys(actions))('%s', async (action) => {
    await inTransaction(sql, async (tx) => {
      const w = await createWorkspace(tx);
      const written = (await actions[action]?.(w)) ?? null;
      await w.automation(event, [written]);
      await events[event]?.(w);
      await w.runAutomations();
      const [run] = await w.runs();
      const error = failure(event, action) ?? null;
      const outcome = error === null ? 'done' : 'failed';
      expect(run).toMatchObject({ automation: event, event, depth: 0, matched: true, outcome, error });
      expect(run?.actions).toEqual(error === null ? [written] : []);
      if (error !== null) return;
      expect(await effects[action]?.(w, event.split('.')[0] ?? '')).toEqual(left[action]);
    });
  });
});

describe('actions of automations', () => {
  withWorkspace(
    'have a depth and an origin, and their events run automations up to depth three',
    async (w) => {
      for (let n = 1; n <= 6; n++) {
        const tags = Array.from({ length: n }, (_, i) => `t${i}`);
        await w.automation(
          'deal.updated',
          [{ type: 'add_tag', tag: `t${n}` }],
          [{ field: 'tags', op: 'eq', value: tags }],
          `Tag ${n}`,
        );
      }
      await w.change('deals', await w.deal('ana'), { tags: ['t0'] });
      await w.runAutomations();
      const [deal] = await w.sql`select tags from deals where tenant_id = ${w.id}`;
      expect(deal?.tags).toEqual(['t0', 't1', 't2', 't3']);
      const rows = await w.sql`
      select depth, origin from events where tenant_id = ${w.id} and type = 'deal.updated' order by id`;
      expect(rows).toEqual([
        { depth: 0, origin: null },
        ...[1, 2, 3].map((depth) => ({ depth, origin: 'automation' })),
      ]);
      expect((await w.runs()).filter(({ matched }) => matched).map(({ depth }) => depth)).toEqual([0, 1, 2]);
      // Later changes in the same transaction are a person's again.
      await w.deal('ana');
      const [last] =
        await w.sql`select depth, origin from events where tenant_id = ${w.id} order by id desc limit 1`;
      expect(last).toEqual({ depth: 0, origin: null });
    },
  );

  withWorkspace('automations that undo each other stop', async (w) => {
    const [ana, bia] = [await w.userId('ana'), await w.userId('bia')];
    for (const [from, to] of [
      [ana, bia],
      [bia, ana],
    ]) {
      const condition = [{ field: 'owner_id', op: 'eq', value: from ?? null }];
      await w.automation(
        'deal.updated',
        [{ type: 'assign_owner', user_id: to ?? null }],
        condition,
        `From ${from}`,
      );
    }
    await w.change('deals', await w.deal('ana'), { company: 'Acme' });
    await w.runAutomations();
    expect(await w.events('deal.updated')).toHaveLength(4);
    const [deal] = await w.sql`select owner_id from deals where tenant_id = ${w.id}`;
    expect(deal?.owner_id).toBe(bia);
  });

  withWorkspace('award the points of rules to the current owner', async (w) => {
    await w.rule('deal.stage_changed', 10);
    await w.automation('deal.created', [await assignBia(w), await toProposal(w), POINTS]);
    await w.deal('ana');
    await w.runAutomations();
    expect(await w.points()).toEqual({ ana: 0, bia: 15 });
    expect((await w.entries()).map(({ reason }) => reason)).toEqual(['deal_stage_changed', 'automation']);
  });

  withWorkspace(
    'an existing tag, the current owner or the current stage: done without an event',
    async (w) => {
      await w.automation('deal.updated', [TAG, await assignBia(w), await toProposal(w)]);
      await w.change('deals', await w.deal('bia', { stage: 'Proposal', tags: ['seen'] }), {
        company: 'Acme',
      });
      await w.runAutomations();
      expect((await w.runs()).map(({ outcome }) => outcome)).toEqual(['done']);
      expect((await w.events()).filter((type) => type.startsWith('deal.'))).toEqual([
        'deal.created',
        'deal.updated',
      ]);
    },
  );
});

describe('effects of one event', () => {
  withWorkspace('do not multiply: only the last event of each type in a run runs automations', async (w) => {
    const owners = [await w.userId('ana'), await w.userId('bia')];
    const turns = Array.from({ length: 20 }, (_, n) => ({
      type: 'assign_owner',
      user_id: owners[n % 2] ?? '',
    }));
    await w.automation('lead.updated', turns, [], 'one');
    await w.automation('lead.updated', turns, [], 'two');
    await w.change('leads', await w.lead('bia'), { company: 'Acme' });
    await w.runAutomations();
    expect((await w.runs()).map(({ depth }) => depth)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(await w.events('lead.updated')).toHaveLength(1 + 3 * 40);
    // The run saw the last state.
    const [last] = await w.sql`
      select e.data ->> 'owner_id' as owner from automation_runs r join events e on e.tenant_id = r.tenant_id and e.id = r.event_id
      where r.tenant_id = ${w.id} order by r.id desc limit 1`;
    expect(last?.owner).toBe(owners[1]);
  });

  withWorkspace('are at most 200 actions', async (w) => {
    const calls = Array.from({ length: 20 }, () => CALL);
    for (let n = 1; n <= 11; n++) await w.automation('lead.created', calls, [], `a${n}`);
    await w.lead('ana');
    await w.runAutomations();
    const runs = await w.runs();
    expect(runs.map(({ outcome }) => outcome)).toEqual([...Array(10).fill('done'), 'failed']);
    expect(runs.at(-1)?.error).toBe('the automations of an event run at most 200 actions');
    expect(await w.sql`select from deal_activities where tenant_id = ${w.id}`).toHaveLength(200);
  });
});

describe('a failing automation', () => {
  withWorkspace('is rolled back and does not stop later automations', async (w) => {
    await w.rule('activity.completed', 100);
    await w.automation('lead.created', [TAG], [], 'first');
    await w.automation(
      'lead.created',
      [{ ...TAG, tag: 'undone' }, POINTS, CALL, await toProposal(w)],
      [],
      'fails',
    );
    await w.automation('lead.created', [{ ...TAG, tag: 'last' }], [], 'last');
    await w.lead('ana');
    await w.runAutomations();
    expect((await w.runs()).map(({ automation, outcome }) => [automation, outcome])).toEqual([
      ['first', 'done'],
      ['fails', 'failed'],
      ['last', 'done'],
    ]);
    const [lead] = await w.sql`select tags from leads where tenant_id = ${w.id}`;
    expect(lead?.tags).toEqual(['seen', 'last']);
    expect(await w.points()).toEqual({ ana: 0, bia: 0 });
    expect(await w.sql`select from deal_activities where tenant_id = ${w.id}`).toHaveLength(0);
    expect(await w.events('lead.updated')).toHaveLength(2);
  });

  withWorkspace('reports a deleted user or record', async (w) => {
    await w.addUser('caio');
    await w.automation('deal.created', [{ type: 'assign_owner', user_id: await w.userId('caio') }]);
    await w.sql`delete from users where tenant_id = ${w.id} and name = 'caio'`;
    const deal = await w.deal('ana');
    await w.runAutomations();
    await w.deal('ana');
    await w.sql`delete from deals where tenant_id = ${w.id} and id <> ${deal}`;
    await w.runAutomations();
    const [gone, deleted] = await w.runs();
    expect(gone?.error).toMatch('foreign key');
    expect(deleted?.error).toBe('the deal no longer exists');
  });

  test('is retried if it hit a lock', async () => {
    const w = await createWorkspace(sql);
    await w.automation('deal.created', [TAG]);
    const deal = await w.deal('ana');
    const [job] = await w.jobs('run-automations');
    await sql.begin(async (tx) => {
      await tx`select from deals where id = ${deal} for update`;
      const run = sql.begin(async (other) => {
        await other`set local lock_timeout = '50ms'`;
        await other`select app.run_automations(${w.id}, ${job?.key})`;
      });
      await expect(run).rejects.toThrow('lock timeout');
      expect(await w.runs()).toEqual([]);
    });
    await sql`select app.run_automations(${w.id}, ${job?.key})`;
    expect((await w.runs()).map(({ outcome }) => outcome)).toEqual(['done']);
  });
});

describe('when they run', () => {
  test('once per event, even if several workers run it concurrently', async () => {
    const w = await createWorkspace(sql);
    await w.automation('deal.created', [POINTS], [], 'one');
    await w.automation('deal.created', [POINTS], [], 'two');
    await w.deal('ana');
    const [job] = await w.jobs('run-automations');
    for (let i = 0; i < 2; i++) {
      const run = () => sql`select app.run_automations(${w.id}, ${job?.key})`;
      await Promise.all(Array.from({ length: 8 }, run));
    }
    expect(await w.points()).toEqual({ ana: 10, bia: 0 });
    expect(await w.runs()).toHaveLength(2);
  });

  withWorkspace(
    'not while inactive, and a job is ordered only for events that someone waits for',
    async (w) => {
      const id = await w.automation('deal.won', [POINTS]);
      await w.deal('ana');
      expect(await w.jobs('run-automations')).toHaveLength(0);
      await w.deal('ana', { status: 'won' });
      const jobs = await w.jobs('run-automations');
      expect(jobs.map(({ payload }) => payload)).toEqual([{ event_id: jobs[0]?.key }]);
      await w.sql`select admin.set_automation_active(${id}, false)`;
      await w.runAutomations();
      await w.deal('ana', { status: 'won' });
      expect(await w.jobs('run-automations')).toHaveLength(1);
      expect(await w.runs()).toEqual([]);
      await w.sql`select admin.set_automation_active(${id}, true)`;
      await w.deal('ana', { status: 'won' });
      await w.runAutomations();
      expect(await w.points()).toEqual({ ana: 5, bia: 0 });
    },
  );

  withWorkspace('only for events of their own tenant', async (w) => {
    const other = workspaceOf(w.sql, (await createWorkspace(w.sql)).id);
    await w.automation('deal.created', [POINTS]);
    await other.deal('ana');
    expect(await other.jobs('run-automations')).toHaveLength(0);
    const [event] =
      await w.sql`select id from events where tenant_id = ${other.id} and type = 'deal.created'`;
    await w.sql`select app.run_automations(${w.id}, ${event?.id}), app.run_automations(${other.id}, ${event?.id})`;
    expect([await w.runs(), await other.runs()]).toEqual([[], []]);
    await w.sql`
      insert into events (tenant_id, interface, type, data) values (${w.id}, 'payments', 'deal.created', '{}')`;
    expect(await w.jobs('run-automations')).toHaveLength(0);
  });
});
