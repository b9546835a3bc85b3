// What HubSpot documents, at its fake over HTTP.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Hubspot, startHubspot } from '../../../local/crms/hubspot/index.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';
import { clientOf, receiverFor } from './support.ts';

let hubspot: Hubspot;
let account: { id: string; token: string; clientSecret: string | null };
const call = clientOf(
  () => hubspot.url,
  () => ({ authorization: `Bearer ${account.token}` }),
);
beforeAll(async () => {
  hubspot = await startHubspot();
});
beforeEach(async () => {
  account = await hubspot.control.createAccount({ options: { per10Seconds: 1000, searchesPerSecond: 1000 } });
});
afterAll(() => hubspot.stop());

const OBJECTS = '/crm/objects/2026-09';
const contact = (email: string) => hubspot.control.add(account.id, 'contacts', { firstname: 'Ana', email });
const stages = async () => {
  const [pipeline] = (await hubspot.control.account(account.id, 'pipelines')).pipelines;
  const closed = (probability: string) =>
    pipeline?.stages.find(
      ({ metadata }) => metadata.isClosed === 'true' && metadata.probability === probability,
    )?.id;
  return { pipeline: pipeline?.id, open: pipeline?.stages[1]?.id, won: closed('1.0'), lost: closed('0.0') };
};
const meta = (url: string, ...types: string[]) => ({
  ...{ uid: 'placar', type: 'webhooks' },
  config: {
    settings: { targetUrl: url, maxConcurrentRequests: 10 },
    subscriptions: {
      crmObjects: types.map((type) => {
        const [objectType = '', verb = '', propertyName] = type.split('.');
        return {
          subscriptionType: `object.${verb}`,
          objectType,
          ...(propertyName && { propertyName }),
          active: true,
        };
      }),
      legacyCrmObjects: [],
      hubEvents: [],
    },
  },
});

test('another token and another version are refused, and the details name the portal', async () => {
  const response = await fetch(`${hubspot.url}/account-info/2026-09/details`, {
    headers: { authorization: 'Bearer x' },
  });
  expect([response.status, await response.json()]).toMatchObject([
    401,
    { category: 'INVALID_AUTHENTICATION' },
  ]);
  expect((await call('GET', '/account-info/2026-03/details')).status).toBe(404);
  expect((await call('GET', '/account-info/2026-09/details')).body.portalId).toBe(Number(account.id));
});

const batch = (kind: string, ids: string[], more: object = { properties: [], propertiesWithHistory: [] }) =>
  call('POST', `${OBJECTS}/${kind}/batch/read`, { inputs: ids.map((id) => ({ id })), ...more });

describe('reading', () => {
  test('a batch has at most 100 ids, leaves out archived objects, and tells what is missing', async () => {
    const { id } = await contact('ana@x.example');
    const properties = { properties: ['email', 'no_such'] };
    expect((await batch('contacts', [id], properties)).body).toMatchObject({
      status: 'COMPLETE',
      results: [{ id, properties: { email: 'ana@x.example' } }],
    });
    const some = await batch('contacts', [id, '999999']);
    expect([some.status, some.body.errors[0].context.ids]).toEqual([207, ['999999']]);
    const many = Array.from({ length: 101 }, (_, index) => String(index + 1));
    expect((await batch('contacts', many)).status).toBe(400);
    expect((await call('DELETE', `${OBJECTS}/contacts/${id}`)).status).toBe(204);
    expect((await batch('contacts', [id])).body.results).toEqual([]);
    await hubspot.control.restore(account.id, 'contacts', id);
    expect((await batch('contacts', [id])).status).toBe(200);
  });

  test('owners, pipelines with closed stages, and properties', async () => {
    const owners = await call('GET', '/crm/owners/2026-09?limit=100');
    expect(owners.body.results).toMatchObject([{ email: 'admin@crm.example', archived: false }]);
    expect((await call('GET', '/crm/owners/2026-09?page=2')).status).toBe(400);
    const pipelines = await call('GET', '/crm/pipelines/2026-09/deals');
    const closed = pipelines.body.results[0].stages.filter(
      ({ metadata }: Json) => metadata.isClosed === 'true',
    );
    expect(closed.map(({ metadata }: Json) => metadata.probability)).toEqual(['1.0', '0.0']);
    await hubspot.control.addProperty(account.id, 'deals', { name: 'seats', type: 'number' });
    const properties = await call('GET', '/crm/properties/2026-09/deals');
    expect(properties.body.results.at(-1)).toMatchObject({ name: 'seats', type: 'number' });
  });

  test('the contacts of deals are read in batches, without archived ones', async () => {
    const [{ id: person }, { id: deal }, { id: other }] = [
      await contact('ana@x.example'),
      await hubspot.control.add(account.id, 'deals', { dealname: 'A' }),
      await hubspot.control.add(account.id, 'deals', { dealname: 'B' }),
    ];
    const linked = await call('PUT', `${OBJECTS}/deals/${deal}/associations/default/contacts/${person}`);
    expect(linked.status).toBe(200);
    const read = () =>
      call('POST', '/crm/associations/2026-09/deals/contacts/batch/read', {
        inputs: [{ id: deal }, { id: other }],
      });
    const { status, body } = await read();
    expect(status).toBe(207);
    expect(body.results).toMatchObject([{ from: { id: deal }, to: [{ toObjectId: Number(person) }] }]);
    await hubspot.control.remove(account.id, 'contacts', person);
    expect((await read()).body.results).toEqual([]);
  });
});

describe('search', () => {
  const search = (body: object) => call('POST', `${OBJECTS}/contacts/search`, { limit: 10, ...body });
  test('finds by e-mail, and what changed since', async () => {
    const first = await contact('ana@x.example');
    await hubspot.control.advance({ minutes: 1 });
    const since = await hubspot.control.now();
    const second = await contact('bia@x.example');
    const byEmail = { filters: [{ propertyName: 'email', operator: 'EQ', value: 'ANA@x.example' }] };
    expect((await search({ filterGroups: [byEmail] })).body).toMatchObject({
      total: 1,
      results: [{ id: first.id }],
    });
    const changed = {
      filters: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: String(Date.parse(since)) }],
    };
    const sorts = [{ propertyName: 'lastmodifieddate', direction: 'ASCENDING' }];
    expect((await search({ filterGroups: [changed], sorts, limit: 200 })).body).toMatchObject({
      results: [{ id: second.id }],
    });
  });

  test.each([
    [{ limit: 201 }],
    [{ after: '200' }],
    [{ filterGroups: [{ filters: [{ propertyName: 'no_such', operator: 'EQ', value: '1' }] }] }],
    [{ filterGroups: [{ filters: [{ propertyName: 'email', operator: 'LIKE', value: '1' }] }] }],
    [{ filterGroups: [{ filters: [] }] }],
    [{ page: 2 }],
  ])('refuses %j', async (body) => {
    expect((await search(body)).status).toBe(400);
  });

  test('may not see a new object at once', async () => {
    await hubspot.control.setOptions(account.id, { searchLagMs: 5000 });
    await contact('ana@x.example');
    expect((await search({})).body.total).toBe(0);
    await hubspot.control.advance({ seconds: 6 });
    expect((await search({})).body.total).toBe(1);
  });
});

describe('writing', () => {
  test('a deal with its contact, and a stage that closes it', async () => {
    const { pipeline, open, won } = await stages();
    const { id: person } = await contact('ana@x.example');
    const associations = [
      { to: { id: person }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 3 }] },
    ];
    const properties = { dealname: 'A', amount: '10.5', pipeline, dealstage: open };
    const made = await call('POST', `${OBJECTS}/deals`, { properties, associations });
    expect([made.status, made.body.properties.amount]).toEqual([201, '10.5']);
    await call('PATCH', `${OBJECTS}/deals/${made.body.id}`, { properties: { dealstage: won } });
    const { properties: closed } = await hubspot.control.record(account.id, 'deals', made.body.id);
    expect(closed).toMatchObject({
      hs_is_closed_won: 'true',
      dealstage: won,
      closedate: expect.any(String),
    });
    const links = await call('POST', '/crm/associations/2026-09/deals/contacts/batch/read', {
      inputs: [{ id: made.body.id }],
    });
    expect(links.body.results).toHaveLength(1);
  });

  test.each([
    [{ no_such: '1' }, 'PROPERTY_DOESNT_EXIST'],
    [{ amount: 'ten' }, 'INVALID_VALUE'],
    [{ closedate: 'tomorrow' }, 'INVALID_VALUE'],
    [{ dealstage: 'closed' }, 'INVALID_VALUE'],
    [{ hubspot_owner_id: '999999' }, 'INVALID_VALUE'],
    [{ hs_object_id: '1' }, 'READ_ONLY_VALUE'],
    [{ amount: 10 }, 'properties.amount'],
  ])('%j is refused and changes nothing', async (properties, code) => {
    const { id } = await hubspot.control.add(account.id, 'deals', { dealname: 'A' });
    const { status, body } = await call('PATCH', `${OBJECTS}/deals/${id}`, {
      properties: { dealname: 'B', ...properties },
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining(code)]);
    expect((await hubspot.control.record(account.id, 'deals', id)).properties.dealname).toBe('A');
  });

  test('an e-mail is unique, and an empty text clears', async () => {
    const { id } = await contact('ana@x.example');
    const second = await call('POST', `${OBJECTS}/contacts`, { properties: { email: 'Ana@x.example' } });
    expect([second.status, second.body.message]).toEqual([409, `Contact already exists. Existing ID: ${id}`]);
    await call('PATCH', `${OBJECTS}/contacts/${id}`, { properties: { firstname: '' } });
    expect((await hubspot.control.record(account.id, 'contacts', id)).properties.firstname).toBeNull();
  });

  test('a task is done and undone', async () => {
    const { id } = await hubspot.control.add(account.id, 'tasks', {
      hs_task_subject: 'Ligar',
      hs_task_status: 'NOT_STARTED',
    });
    const read = async () => (await hubspot.control.record(account.id, 'tasks', id)).properties;
    await hubspot.control.setDone(account.id, id, true);
    expect(await read()).toMatchObject({
      hs_task_status: 'COMPLETED',
      hs_task_completion_date: expect.any(String),
    });
    await hubspot.control.setDone(account.id, id, false);
    expect(await read()).toMatchObject({ hs_task_status: 'NOT_STARTED', hs_task_completion_date: null });
  });
});

describe('limits', () => {
  test('requests in 10 s, searches a second, requests a day', async () => {
    await hubspot.control.setFrozen(true);
    onTestFinished(() => hubspot.control.setFrozen(false));
    await hubspot.control.setOptions(account.id, { per10Seconds: 6, searchesPerSecond: 4, daily: 9 });
    const search = async () =>
      (await call('POST', `${OBJECTS}/contacts/search`, { limit: 1 })).body.policyName ?? 'none';
    const list = async () => (await call('GET', '/crm/owners/2026-09')).body.policyName ?? 'none';
    const policies = [];
    for (let index = 0; index < 5; index++) policies.push(await search());
    for (let index = 0; index < 3; index++) policies.push(await list());
    expect(policies).toEqual([...Array(4).fill('none'), 'SECONDLY', 'none', 'none', 'TEN_SECONDLY_ROLLING']);
    const refused = await call('GET', '/crm/owners/2026-09');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    await hubspot.control.advance({ seconds: 10 });
    expect([await list(), await list(), await list(), await list()]).toEqual([
      'none',
      'none',
      'none',
      'DAILY',
    ]);
    await hubspot.control.advance({ days: 1 });
    expect(await list()).toBe('none');
  });
});

describe('webhooks', () => {
  test('are signed over the decoded address, and sent in batches of up to 100', async () => {
    const receiver = await receiverFor(onTestFinished);
    const url = `${receiver.url}/callbacks/crm%3A1?a=b%40c`;
    await hubspot.control.configureWebhooks(
      account.id,
      meta(url, 'contact.creation', 'contact.propertyChange.email'),
    );
    await hubspot.control.setFrozen(true);
    onTestFinished(() => hubspot.control.setFrozen(false));
    for (let index = 0; index < 60; index++) await contact(`c${index}@x.example`);
    await hubspot.control.advance({ seconds: 1 });
    expect(receiver.received.map(({ body }) => body.length).sort()).toEqual([100, 20]);
    const first = receiver.received.find(({ body }) => body.length === 100);
    const body = first?.body;
    const timestamp = first?.headers['x-hubspot-request-timestamp'];
    const text = `POST${receiver.url}/callbacks/crm:1?a=b@c${first?.raw}${timestamp}`;
    const signature = createHmac('sha256', account.clientSecret ?? '')
      .update(text)
      .digest('base64');
    expect(first?.headers['x-hubspot-signature-v3']).toBe(signature);
    expect(body[0]).toMatchObject({
      portalId: Number(account.id),
      subscriptionType: 'object.creation',
      objectTypeId: '0-1',
    });
    expect(body[1]).toMatchObject({ subscriptionType: 'object.propertyChange', propertyName: 'email' });
  });

  test.each([false, true])('a merge names both, with a new object: %s', async (isNew) => {
    const receiver = await receiverFor(onTestFinished);
    const [primary, merged] = [await contact('ana@x.example'), await contact('bia@x.example')];
    await hubspot.control.configureWebhooks(
      account.id,
      meta(receiver.url, 'contact.merge', 'contact.deletion'),
    );
    const winner = await hubspot.control.merge(account.id, 'contacts', primary.id, merged.id, isNew);
    await hubspot.control.advance({ seconds: 1 });
    const [event, ...others] = receiver.received.flatMap(({ body }) => body);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      primaryObjectId: Number(primary.id),
      mergedObjectIds: [Number(merged.id)],
    });
    expect(event.newObjectId).toBe(isNew ? Number(winner.id) : undefined);
    expect((await batch('contacts', [merged.id])).body.results).toMatchObject([{ id: winner.id }]);
  });

  test('are retried ten times', async () => {
    const receiver = await receiverFor(onTestFinished);
    receiver.answer = () => ({ status: 500 });
    await hubspot.control.configureWebhooks(account.id, meta(receiver.url, 'deal.creation'));
    await hubspot.control.add(account.id, 'deals', { dealname: 'A' });
    await hubspot.control.advance({ days: 2 });
    expect(receiver.received).toHaveLength(11);
  });

  test('are configured by a person only, not with a service key, and can vanish', async () => {
    const receiver = await receiverFor(onTestFinished);
    await hubspot.control.configureWebhooks(account.id, meta(receiver.url, 'contact.creation'));
    await hubspot.control.dropWebhooks(account.id);
    await contact('ana@x.example');
    await hubspot.control.advance({ seconds: 1 });
    expect(receiver.received).toEqual([]);
    const other = await hubspot.control.createAccount({ isServiceKey: true });
    await expect(
      hubspot.control.configureWebhooks(other.id, meta(receiver.url, 'contact.creation')),
    ).rejects.toThrow('service key');
    expect((await call('POST', '/webhooks/v3/1/subscriptions', {})).status).toBe(404);
  });
});
