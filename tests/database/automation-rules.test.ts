// Saving automations: valid conditions, and the messages for invalid ones.
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../shared/records/events/event-types.ts';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction } from '../support/gamification/gamification.ts';

const sql = connectDatabase();

describe('conditions', () => {
  const data = {
    value: 1500.5,
    name: 'Fleet of Ten',
    status: 'open',
    vip: true,
    owner_id: null,
    tags: ['big', 'hot'],
    numbers: [1, 2],
    expected_close_date: '2026-03-15',
    stage: { name: 'Proposal', probability: 50 },
    custom_fields: { region: 'South', size: { staff: 12 } },
    products: [{ sku: 'A1', quantity: 2 }],
  };
  const holds: [field: string, op: string, value: postgres.JSONValue, held: boolean][] = [
    ['value', 'eq', 1500.5, true],
    ['value', 'eq', '1500.5', false],
    ['stage.probability', 'eq', 50.0, true],
    ['status', 'eq', 'open', true],
    ['status', 'eq', 'Open', false],
    ['vip', 'eq', true, true],
    ['vip', 'eq', 'true', false],
    ['owner_id', 'eq', null, true],
    ['missing', 'eq', null, true],
    ['missing.deeper', 'eq', null, true],
    ['missing', 'eq', '', false],
    ['tags', 'eq', ['big', 'hot'], true],
    ['tags', 'eq', ['hot', 'big'], false],
    ['custom_fields.size.staff', 'eq', 12, true],
    ['products.0.sku', 'eq', 'A1', true],

    ['status', 'ne', 'won', true],
    ['status', 'ne', 'open', false],
    ['vip', 'ne', false, true],
    ['owner_id', 'ne', null, false],
    ['missing', 'ne', 'x', true],
    ['missing', 'ne', null, false],

    ['value', 'gt', 1500, true],
    ['value', 'gt', 1500.5, false],
    ['value', 'gt', '1000', false],
    ['value', 'gt', 9, true],
    ['expected_close_date', 'gt', '2026-03-14', true],
    ['expected_close_date', 'gt', '2026-03-15', false],
    ['expected_close_date', 'gt', 5, false],
    ['owner_id', 'gt', 0, false],
    ['missing', 'gt', 0, false],
    ['tags', 'gt', 0, false],
    ['vip', 'gt', 0, false],

    ['value', 'lt', 1500.51, true],
    ['value', 'lt', 1500.5, false],
    ['value', 'lt', 10000, true],
    ['expected_close_date', 'lt', '2026-04', true],
    ['missing', 'lt', 1, false],
    ['owner_id', 'lt', 'z', false],

    ['status', 'in', ['won', 'open'], true],
    ['status', 'in', ['won'], false],
    ['status', 'in', [], false],
    ['value', 'in', [1, 1500.5], true],
    ['value', 'in', ['1500.5'], false],
    ['vip', 'in', [true], true],
    ['owner_id', 'in', [null], true],
    ['missing', 'in', [null, 'x'], true],
    ['missing', 'in', ['x'], false],
    ['tags', 'in', [['big', 'hot']], true],
    ['tags', 'in', [['big', 'hot', 'new']], false],
    ['stage', 'in', [{ name: 'Proposal', probability: 50, id: 1 }], false],

    ['tags', 'contains', 'big', true],
    ['tags', 'contains', 'bi', false],
    ['tags', 'contains', 'Big', false],
    ['numbers', 'contains', 2, true],
    ['numbers', 'contains', '2', false],
    ['name', 'contains', 'fleet', true],
    ['name', 'contains', 'TEN', true],
    ['name', 'contains', 'truck', false],
    ['custom_fields.region', 'contains', 'out', true],
    ['products', 'contains', { sku: 'A1' }, true],
    ['products', 'contains', { sku: 'A2' }, false],
    ['value', 'contains', 1, false],
    ['missing', 'contains', 'x', false],
    ['owner_id', 'contains', null, false],
  ];
  test.each(holds)('%s %s %j: %s', async (field, op, value, held) => {
    const [row] = await sql`
      select private.condition_holds(${sql.json({ field, op, value })}, ${sql.json(data)}) as held`;
    expect(row?.held).toBe(held);
  });

  test.each([
    [[], true],
    [[{ field: 'value', op: 'gt', value: 50 }], true],
    [
      [
        { field: 'value', op: 'gt', value: 50 },
        { field: 'name', op: 'eq', value: 'Other' },
      ],
      false,
    ],
  ])('all conditions must match: %j', async (conditions, matched) => {
    await inTransaction(sql, async (tx) => {
      const w = await createWorkspace(tx);
      await w.automation('deal.created', [{ type: 'add_tag', tag: 'seen' }], conditions);
      await w.deal('ana');
      await w.runAutomations();
      const [run, ...others] = await w.runs();
      expect(others).toEqual([]);
      const error = matched ? null : 'conditions[1]: name eq "Other" is not met by "Deal"';
      expect(run).toMatchObject({ matched, outcome: matched ? 'done' : 'not_matched', error });
      expect(run?.actions).toEqual(matched ? [{ type: 'add_tag', tag: 'seen' }] : []);
      const [deal] = await tx`select tags from deals where tenant_id = ${w.id}`;
      expect(deal?.tags).toEqual(matched ? ['seen'] : []);
    });
  });
});

test('read large custom fields like small ones', async () => {
  await inTransaction(sql, async (tx) => {
    const w = await createWorkspace(tx);
    const conditions = [{ field: 'custom_fields.text', op: 'contains', value: 'the end' }];
    await w.automation('deal.updated', [{ type: 'create_activity', activity_type: 'call' }], conditions);
    await w.change('deals', await w.deal('ana'), { custom_fields: { text: `${'x'.repeat(5000)} the end` } });
    await w.runAutomations();
    expect(await w.runs()).toMatchObject([{ matched: true, outcome: 'done' }]);
  });
});

test('can name every member of the data of an event', async () => {
  await inTransaction(sql, async (tx) => {
    const w = await createWorkspace(tx);
    await w.deal('ana');
    await tx`insert into leads (tenant_id, name, email) values (${w.id}, 'Lead', 'lead@example.com')`;
    const rows = await tx`
      select split_part(e.type, '.', 1) as kind, array_agg(distinct member) filter (where member <> all (private.event_members(e.type))) as unknown
      from events e, jsonb_object_keys(app.event_data(e)) as member where e.tenant_id = ${w.id} group by 1 order by 1`;
    expect([...rows]).toEqual(['deal', 'lead', 'user'].map((kind) => ({ kind, unknown: null })));
  });
});

describe('rejected when saved', () => {
  const TAG = [{ type: 'add_tag', tag: 'x' }];
  const NOBODY = '00000000-0000-4000-8000-00000000dead';
  const EVENTS = eventTypes.join(', ');
  const OPS = 'must be one of eq, ne, gt, lt, in, contains';
  const condition = (more: object) => [{ field: 'value', op: 'eq', value: 1, ...more }];
  const second = (fault: postgres.JSONValue) => [{ type: 'add_tag', tag: 'x' }, fault];
  const faults: [event: string, conditions: unknown, actions: unknown, message: string][] = [
    ['deal.moved', [], TAG, `event: "deal.moved" is unknown; allowed: ${EVENTS}`],
    ['', [], TAG, `event: "" is unknown; allowed: ${EVENTS}`],
    ['deal.won', {}, TAG, 'conditions: must be an array'],
    ['deal.won', null, TAG, 'conditions: must be an array'],
    ['deal.won', ['value > 5'], TAG, 'conditions[0]: must be an object'],
    [
      'deal.won',
      [{ op: 'eq', value: 1 }],
      TAG,
      'conditions[0].field: must be a dotted path, such as stage.name',
    ],
    [
      'deal.won',
      condition({ field: 5 }),
      TAG,
      'conditions[0].field: must be a dotted path, such as stage.name',
    ],
    [
      'deal.won',
      condition({ field: 'a..b' }),
      TAG,
      'conditions[0].field: must be a dotted path, such as stage.name',
    ],
    [
      'deal.won',
      condition({ field: '' }),
      TAG,
      'conditions[0].field: must be a dotted path, such as stage.name',
    ],
    [
      'badge.earned',
      condition({ field: 'valor.x' }),
      TAG,
      'conditions[0].field: "valor.x" is not in the data of badge.earned; allowed: badge, user_id, email, earned_at',
    ],
    ['deal.won', condition({ op: '>' }), TAG, `conditions[0].op: ${OPS}`],
    ['deal.won', [...condition({}), { field: 'a', value: 1 }], TAG, `conditions[1].op: ${OPS}`],
    ['deal.won', [{ field: 'a', op: 'eq' }], TAG, 'conditions[0].value: is required'],
    ['deal.won', condition({ op: 'in' }), TAG, 'conditions[0].value: must be an array for in'],
    [
      'deal.won',
      condition({ op: 'gt', value: true }),
      TAG,
      'conditions[0].value: must be a number or a string for gt',
    ],
    [
      'deal.won',
      condition({ op: 'lt', value: null }),
      TAG,
      'conditions[0].value: must be a number or a string for lt',
    ],
    ['deal.won', [], [], 'actions: must be an array with at least one action'],
    ['deal.won', [], { type: 'add_tag', tag: 'x' }, 'actions: must be an array with at least one action'],
    ['deal.won', [], ['add_tag'], 'actions[0]: must be an object'],
    ...[{ type: 'send_mail' }, {}, { type: null }].map((action): [string, unknown, unknown, string] => [
      ...(['deal.won', [], second(action)] as [string, unknown, unknown]),
      'actions[1].type: must be one of add_tag, assign_owner, move_stage, create_activity, award_points',
    ]),
    ['deal.won', [], second({ type: 'add_tag' }), 'actions[1].tag: must be a non-empty string'],
    ['deal.won', [], second({ type: 'add_tag', tag: ' ' }), 'actions[1].tag: must be a non-empty string'],
    ['deal.won', [], second({ type: 'add_tag', tag: 5 }), 'actions[1].tag: must be a non-empty string'],
    ['deal.won', [], [{ type: 'assign_owner' }], 'actions[0].user_id: no such user in the tenant'],
    [
      ...(['deal.won', [], [{ type: 'assign_owner', user_id: NOBODY }]] as [string, unknown, unknown]),
      'actions[0].user_id: no such user in the tenant',
    ],
    [
      ...(['deal.won', [], [{ type: 'move_stage', stage_id: 'Proposal' }]] as [string, unknown, unknown]),
      'actions[0].stage_id: no such stage in the tenant',
    ],
    [
      ...(['deal.won', [], [{ type: 'create_activity', activity_type: 'fax' }]] as [
        string,
        unknown,
        unknown,
      ]),
      'actions[0].activity_type: must be one of note, call, email, meeting, task',
    ],
    [
      'deal.won',
      [],
      [{ type: 'create_activity', activity_type: 'call', description: 5 }],
      'actions[0].description: must be a string',
    ],
    ...[1.5, '10', null, 10_000_000_000].map((points): [string, unknown, unknown, string] => [
      ...(['deal.won', [], [{ type: 'award_points', points }]] as [string, unknown, unknown]),
      'actions[0].points: must be an integer',
    ]),
  ];

  test.each(faults)('%s %j %j', async (event, conditions, actions, message) => {
    await inTransaction(sql, async (tx) => {
      const w = await createWorkspace(tx, []);
      const saved = w.automation(event, actions as postgres.JSONValue, conditions as postgres.JSONValue);
      const reason = await saved.then(
        () => 'saved',
        (error: Error) => error.message,
      );
      expect(reason).toBe(message);
    });
  });

  test('users and stages of another tenant do not exist', async () => {
    const [mine, other] = [await createWorkspace(sql), await createWorkspace(sql)];
    const assign = [{ type: 'assign_owner', user_id: await other.userId('ana') }];
    await expect(mine.automation('deal.won', assign)).rejects.toThrow('no such user in the tenant');
    const move = [{ type: 'move_stage', stage_id: await other.stageId('Proposal') }];
    await expect(mine.automation('deal.won', move)).rejects.toThrow('no such stage in the tenant');
    expect(await sql`select from automations where tenant_id = ${mine.id}`).toHaveLength(0);
  });

  test('changes of a saved automation are checked too; an automation that has become invalid can be stopped', async () => {
    await inTransaction(sql, async (tx) => {
      const w = await createWorkspace(tx);
      const id = await w.automation('deal.won', [{ type: 'assign_owner', user_id: await w.userId('bia') }]);
      await tx`delete from users where tenant_id = ${w.id} and email = 'bia@example.com'`;
      await tx`select admin.set_automation_active(${id}, false)`;
      const [row] = await tx`select active from admin.automations where tenant_id = ${w.id}`;
      expect(row?.active).toBe(false);
      await expect(tx`update automations set event = 'deal.gone' where id = ${id}`).rejects.toThrow(
        'is unknown',
      );
    });
    await expect(sql`select admin.set_automation_active(gen_random_uuid(), true)`).rejects.toThrow(
      /^id: automation \S+ does not exist/,
    );
  });

  test('keep the tags of a value unchanged', async () => {
    await inTransaction(sql, async (tx) => {
      const w = await createWorkspace(tx, []);
      await w.automation('lead.created', TAG, [
        { field: 'custom_fields.região', op: 'in', value: ['São Paulo', 5, null] },
      ]);
      const [row] = await tx`select name, conditions from admin.automations where tenant_id = ${w.id}`;
      expect(row?.conditions).toEqual([
        { field: 'custom_fields.região', op: 'in', value: ['São Paulo', 5, null] },
      ]);
    });
  });
});
