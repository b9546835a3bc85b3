// Webhooks at Pipedrive: registration, proof, and what they say.
import { describe, expect, test } from 'vitest';
import { CrmRejected } from '../../../../shared/connectors/crms/errors.ts';
import { pipedriveCrm } from '../../../../shared/connectors/crms/pipedrive/adapter.ts';
import { parseJson } from '../../../../shared/platform/vendor-json.ts';
import { connect, failure, type Row, startVendor, type Vendor } from './vendor.ts';

const URL_OF_OURS = 'https://placar.example/functions/v1/callbacks/crm/pipedrive/crm_1';
const SECRET = 'S'.repeat(43);
const order = (reference: string | null = null, url = URL_OF_OURS) => ({ url, secret: SECRET, reference });

/** A Pipedrive that keeps webhooks. */
async function startWithWebhooks(hooks: Row[] = []): Promise<{ vendor: Vendor; hooks: Row[] }> {
  let nextId = 100;
  const vendor = await startVendor({
    'GET /api/v1/webhooks': () => ({ body: { status: 'ok', success: true, data: hooks } }),
    'POST /api/v1/webhooks': ({ body }) => {
      const id = nextId++;
      hooks.push({ id, is_active: 1, remove_time: null, ...body });
      vendor.routes[`DELETE /api/v1/webhooks/${id}`] = () => remove(id);
      return { status: 201, body: { status: 'ok', success: true, data: { id } } };
    },
  });
  function remove(id: unknown) {
    const at = hooks.findIndex((hook) => hook.id === id);
    if (at < 0) return failure(404, 'Webhook not found');
    hooks.splice(at, 1);
    return { body: { status: 'ok', success: true } };
  }
  for (const { id } of hooks) vendor.routes[`DELETE /api/v1/webhooks/${id}`] = () => remove(id);
  return { vendor, hooks };
}

const hook = (id: number, event_object: string, values: Row = {}): Row => ({
  id,
  subscription_url: URL_OF_OURS,
  event_action: '*',
  event_object,
  version: '2.0',
  is_active: 1,
  remove_time: null,
  http_auth_user: 'placar',
  http_auth_password: SECRET,
  ...values,
});

describe('registration', () => {
  test('one per object, with Basic auth', async () => {
    const { vendor, hooks } = await startWithWebhooks([
      hook(1, 'deal', { subscription_url: 'https://other.example' }),
    ]);
    const report = await (await connect(vendor)).ensureWebhooks(order());
    expect(report).toEqual({ state: 'active', reference: '100 101 102' });
    expect(hooks.slice(1).map(({ event_object: object }) => object)).toEqual(['person', 'deal', 'activity']);
    expect(hooks[1]).toMatchObject({
      name: 'Placar person',
      subscription_url: URL_OF_OURS,
      event_action: '*',
      version: '2.0',
      http_auth_user: 'placar',
      http_auth_password: SECRET,
    });
  });

  test('those that exist stay; one that vanished is made again', async () => {
    const { vendor, hooks } = await startWithWebhooks([hook(1, 'person'), hook(2, 'deal')]);
    const crm = await connect(vendor);
    expect(await crm.ensureWebhooks(order('1 2 3'))).toEqual({
      state: 'active',
      reference: '1 2 100',
    });
    expect(await crm.ensureWebhooks(order('1 2 100'))).toEqual({
      state: 'active',
      reference: '1 2 100',
    });
    expect(hooks).toHaveLength(3);
  });

  test.each<[string, Row]>([
    ['of another address', { subscription_url: 'https://old.example/callbacks/crm/pipedrive/crm_1' }],
    ['with another secret', { http_auth_password: 'T'.repeat(43) }],
    ['in another version', { version: '1.0' }],
    ['that is not active', { is_active: 0 }],
    ['for one action', { event_action: 'create' }],
  ])('one %s is replaced', async (_, values) => {
    const { vendor, hooks } = await startWithWebhooks([
      hook(1, 'person', values),
      hook(2, 'deal'),
      hook(3, 'activity'),
    ]);
    const report = await (await connect(vendor)).ensureWebhooks(order('1 2 3'));
    expect(hooks.map(({ id }) => id)).toEqual([2, 3, 100]);
    expect(report.reference?.split(' ').toSorted()).toEqual(['100', '2', '3']);
  });

  test('surplus ones are removed; those of others stay', async () => {
    const other = hook(4, 'person', { subscription_url: 'https://other.example' });
    const { vendor, hooks } = await startWithWebhooks([
      ...[hook(1, 'person'), hook(2, 'person'), hook(3, 'organization'), other],
      ...[hook(5, 'deal'), hook(6, 'activity')],
    ]);
    await (await connect(vendor)).ensureWebhooks(order());
    expect(hooks.map(({ id }) => id)).toEqual([1, 4, 5, 6]);
  });

  test('if passwords are not shown, known ones are kept and others replaced', async () => {
    const hidden = ['person', 'deal', 'activity'].map((object, at) =>
      hook(at + 1, object, { http_auth_password: at ? null : '****' }),
    );
    const { vendor, hooks } = await startWithWebhooks(hidden);
    const crm = await connect(vendor);
    expect((await crm.ensureWebhooks(order('1 2 3'))).reference).toBe('1 2 3');
    expect((await crm.ensureWebhooks(order('1 2'))).reference).toBe('1 2 100');
    expect(hooks.map(({ id }) => id)).toEqual([1, 2, 100]);
  });

  test('a surplus one that the user may not remove stays', async () => {
    const { vendor, hooks } = await startWithWebhooks([hook(1, 'person'), hook(2, 'person')]);
    vendor.routes['DELETE /api/v1/webhooks/2'] = () => failure(403, 'Forbidden');
    expect(await (await connect(vendor)).ensureWebhooks(order())).toMatchObject({ state: 'active' });
    expect(hooks).toHaveLength(4);
  });

  test.each<[Row, string]>([
    [{ error: 'The maximum number of webhooks is 40' }, 'The maximum number of webhooks is 40'],
    [{ message: 'Forbidden' }, 'Forbidden'],
    [
      { errors: { subscription_url: ['invalid or non-reachable URL'], name: 'too long' } },
      'subscription_url: invalid or non-reachable URL; name: too long',
    ],
    [{ errors: [] }, 'status 400'],
  ])("Pipedrive's message if it makes none: %j", async (body, words) => {
    const { vendor } = await startWithWebhooks();
    vendor.routes['POST /api/v1/webhooks'] = () => ({ status: 400, body: { success: false, ...body } });
    const ensured = (await connect(vendor)).ensureWebhooks(order());
    await expect(ensured).rejects.toThrow(new CrmRejected(words));
  });

  test('removal, also of those that are gone', async () => {
    const { vendor, hooks } = await startWithWebhooks([
      hook(1, 'person'),
      hook(3, 'activity', { subscription_url: 'https://placar.example/former' }),
      hook(4, 'deal'),
      hook(9, 'deal', { subscription_url: 'https://other.example/' }),
    ]);
    // The response to the registration of 4 was lost.
    await (await connect(vendor)).removeWebhooks(order('1 2 3'));
    expect(hooks.map(({ id }) => id)).toEqual([9]);
  });
});

const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;

test.each<[boolean, string | undefined]>([
  [true, basic('placar', SECRET)],
  [true, basic('placar', SECRET).replace('Basic', 'basic')],
  [false, basic('placar', 'T'.repeat(43))],
  [false, basic('other', SECRET)],
  [false, basic('placar', '')],
  [false, `Bearer ${SECRET}`],
  [false, SECRET],
  [false, 'Basic'],
  [false, undefined],
])('genuine: %s for %s', async (isGenuine, authorization) => {
  const headers = new Headers(authorization === undefined ? {} : { authorization });
  const delivery = {
    headers,
    body: new Uint8Array(),
    url: URL_OF_OURS,
    secret: SECRET,
    credentials: {},
    nowMs: 0,
  };
  expect(await pipedriveCrm.isGenuine(delivery)).toBe(isGenuine);
  expect(await pipedriveCrm.isGenuine({ ...delivery, secret: '' })).toBe(false);
});

describe('hints', () => {
  const hintsOf = (body: unknown) =>
    pipedriveCrm.readHints(parseJson(typeof body === 'string' ? body : JSON.stringify(body)));
  const event = (meta: Row): Row => ({
    meta: {
      id: 'e-1',
      action: 'change',
      entity: 'deal',
      entity_id: '17',
      version: '2.0',
      attempt: 1,
      ...meta,
    },
    data: {},
    previous: {},
  });

  test.each<[string, Row, unknown]>([
    [
      'deal',
      { action: 'create' },
      { eventId: 'e-1', type: 'create.deal', about: { kind: 'deal', id: '17' } },
    ],
    [
      'person',
      { entity: 'person', entity_id: 5 },
      { eventId: 'e-1', type: 'change.person', about: { kind: 'lead', id: '5' } },
    ],
    [
      'activity',
      { entity: 'activity', action: 'delete' },
      { eventId: 'e-1', type: 'delete.activity', about: { kind: 'activity', id: '17' } },
    ],
    [
      'other object',
      { entity: 'organization' },
      { eventId: 'e-1', type: 'change.organization', about: undefined },
    ],
    [
      'no name of a member of objects',
      { entity: 'constructor' },
      { eventId: 'e-1', type: 'change.constructor', about: undefined },
    ],
    [
      'without an id',
      { entity_id: null, id: null },
      { eventId: undefined, type: 'change.deal', about: undefined },
    ],
    [
      'merge, of the record that is gone',
      { action: 'delete', entity: 'person', merged_to_id: '9' },
      { eventId: 'e-1', type: 'delete.person', about: { kind: 'lead', id: '9', merged: { losers: ['17'] } } },
    ],
    [
      'merge, of the record that stays',
      { entity: 'person', entity_id: 9, merged_from_id: 17 },
      { eventId: 'e-1', type: 'change.person', about: { kind: 'lead', id: '9', merged: { losers: ['17'] } } },
    ],
  ])('%s', (_, meta, hint) => {
    expect(hintsOf(event(meta))).toEqual([hint]);
  });

  test('ids with more digits than numbers have keep them', () => {
    const [hint] = hintsOf(
      '{"meta":{"id":"e","action":"change","entity":"deal","entity_id":9007199254740993}}',
    );
    expect(hint?.about?.id).toBe('9007199254740993');
  });

  test.each(['{}', '[]', 'null', '"text"', '{"meta":{"action":1}}'])('unknown: %s', (body) => {
    expect(hintsOf(body)).toEqual([{ type: 'unknown' }]);
  });
});
