// Webhooks of HubSpot: their setup, their proof, and what they say.
import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delivery, Hint } from '../../../../shared/connectors/crms/crm.ts';
import { hubspotCrm } from '../../../../shared/connectors/crms/hubspot/adapter.ts';
import { webhookSetup } from '../../../../shared/connectors/crms/hubspot/webhook-setup.ts';
import { parseJson } from '../../../../shared/platform/vendor-json.ts';
import { startReceiver } from '../../../support/payments/vendor-receiver.ts';
import { createAccount, fakeOfThisFile } from './hubspot-account.ts';

fakeOfThisFile();

const hintsOf = (events: unknown): Hint[] => hubspotCrm.readHints(events);

test('the file of webhooks makes HubSpot send signed events of everything that is read', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const url = `${receiver.url}/callbacks/crm/hubspot/crm_1?a=%3Ab%20c`;
  const file = webhookSetup(url);
  await fake.control.configureWebhooks(id, file);

  const [primary, merged] = [
    await fake.control.add(id, 'contacts', { email: 'ana@acme.example' }),
    await fake.control.add(id, 'contacts', {}),
  ];
  const deal = await fake.control.add(id, 'deals', {});
  await fake.control.associate(id, 'deals', deal.id, 'contacts', primary.id);
  const winner = await fake.control.merge(id, 'contacts', primary.id, merged.id, true);
  const meeting = await fake.control.add(id, 'meetings', {});
  await fake.control.remove(id, 'deals', deal.id);
  await fake.control.restore(id, 'deals', deal.id);
  await fake.control.advance({ seconds: 1 });
  await fake.control.settle();

  const credentials = { access_token: account.token, client_secret: account.clientSecret ?? '' };
  const nowMs = Date.parse(await fake.control.now());
  const received = receiver.received.map(({ headers, raw }) => ({
    headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: new TextEncoder().encode(raw),
  }));
  for (const delivery of received)
    expect(await hubspotCrm.isGenuine({ ...delivery, url, secret: '', credentials, nowMs })).toBe(true);
  const hints = received.flatMap(({ body }) =>
    hubspotCrm.readHints(parseJson(new TextDecoder().decode(body))),
  );
  expect(new Set(hints.map(({ eventId }) => eventId)).size).toBe(hints.length);
  const lead = (contact: string) => ({ kind: 'lead', id: contact });
  const about = (type: string) => hints.filter((hint) => hint.type === type).map((hint) => hint.about);
  const ofDeal = { kind: 'deal', id: deal.id };
  expect(about('object.creation')).toEqual([
    ...[
      lead(primary.id),
      lead(merged.id),
      ofDeal,
      { kind: 'activity', id: `meetings:${meeting.id}`, activityType: 'meetings' },
    ],
  ]);
  expect(about('object.propertyChange')).toContainEqual(lead(primary.id));
  expect(about('object.associationChange')).toEqual([ofDeal]);
  expect(about('object.deletion')).toEqual([ofDeal]);
  expect(about('object.restore')).toEqual([ofDeal]);
  expect(about('object.merge')).toEqual([
    { ...lead(winner.id), merged: { losers: [merged.id], formerId: primary.id } },
  ]);
});

test('the file has every property once, mapped ones too', () => {
  const keys = { lead: ['tier', 'email'], deal: ['margin'] };
  const file = JSON.parse(webhookSetup('https://placar.example/callbacks/crm/hubspot/crm_1', keys));
  expect(file).toMatchObject({
    uid: 'webhooks',
    type: 'webhooks',
    config: {
      settings: {
        targetUrl: 'https://placar.example/callbacks/crm/hubspot/crm_1',
        maxConcurrentRequests: 10,
      },
    },
  });
  const { crmObjects } = file.config.subscriptions;
  for (const [objectType, propertyName] of [
    ['contact', 'jobtitle'],
    ['contact', 'tier'],
    ['deal', 'margin'],
    ['deal', 'dealstage'],
    ['deal', 'closed_lost_reason'],
    ['task', 'hs_task_status'],
    ['email', 'hs_timestamp'],
  ]) {
    const found = crmObjects.filter(
      (one: Record<string, unknown>) => one.objectType === objectType && one.propertyName === propertyName,
    );
    const subscriptionType = 'object.propertyChange';
    expect(found).toEqual([{ subscriptionType, objectType, propertyName, active: true }]);
  }
  const texts = crmObjects.map((one: unknown) => JSON.stringify(one));
  expect(new Set(texts).size).toBe(texts.length);
});

test('webhooks are set up by a person, or impossible with a service key', async () => {
  const order = { url: 'https://placar.example/', secret: 'secret', reference: null };
  const app = await (await createAccount()).connect();
  expect(await app.ensureWebhooks(order)).toMatchObject({ state: 'by_hand', reference: null });
  expect(await app.removeWebhooks(order)).toBeUndefined();
  const service = await (await createAccount({ isServiceKey: true })).connect();
  expect(await service.ensureWebhooks(order)).toEqual({ state: 'polling', reference: null });
});

describe('proof', () => {
  const url = 'https://placar.example/callbacks/crm/hubspot/crm_1?a=%28b%29%20%C3%A9';
  const decoded = 'https://placar.example/callbacks/crm/hubspot/crm_1?a=(b)%20%C3%A9';
  const body = '[{"subscriptionType":"contact.creation","é":1}]';
  const nowMs = Date.parse('2026-11-20T10:00:00Z');

  function deliveryOf({ secret = 'client-secret', atMs = nowMs, signed = body } = {}): Delivery {
    const text = `POST${decoded}${signed}${atMs}`;
    return {
      headers: new Headers({
        'x-hubspot-signature-v3': createHmac('sha256', secret).update(text).digest('base64'),
        'x-hubspot-request-timestamp': String(atMs),
      }),
      ...{ body: new TextEncoder().encode(body), url, secret: '', nowMs },
      credentials: { access_token: 'token', client_secret: 'client-secret' },
    };
  }

  test.each([0, -4.9, 4.9])('is valid %d minutes off', async (minutes) => {
    expect(await hubspotCrm.isGenuine(deliveryOf({ atMs: nowMs + minutes * 60_000 }))).toBe(true);
  });

  test.each([
    ['of another app', deliveryOf({ secret: 'other-secret' })],
    ['of another body', deliveryOf({ signed: '[]' })],
    ['6 minutes old', deliveryOf({ atMs: nowMs - 6 * 60_000 })],
    ['6 minutes ahead', deliveryOf({ atMs: nowMs + 6 * 60_000 })],
    ['of another address', { ...deliveryOf(), url: `${url}x` }],
    ['without headers', { ...deliveryOf(), headers: new Headers() }],
    ['to an account with a service key', { ...deliveryOf(), credentials: { service_key: 'key' } }],
  ])('is invalid %s', async (_, delivery) => {
    expect(await hubspotCrm.isGenuine(delivery)).toBe(false);
  });

  test('is invalid with a time that is no number, or another signature', async () => {
    for (const [name, value] of [
      ['x-hubspot-request-timestamp', `${nowMs}.0`],
      ['x-hubspot-request-timestamp', new Date(nowMs).toISOString()],
      ['x-hubspot-signature-v3', 'AAAA'],
    ] as const) {
      const delivery = deliveryOf();
      delivery.headers.set(name, value);
      expect(await hubspotCrm.isGenuine(delivery)).toBe(false);
    }
  });
});

describe('hints', () => {
  const event = { eventId: 1, subscriptionId: 2, occurredAt: 3, objectId: 4, portalId: 5 };

  test.each([
    ['contact.creation', {}, { kind: 'lead', id: '4' }],
    ['contact.privacyDeletion', {}, { kind: 'lead', id: '4' }],
    ['deal.propertyChange', {}, { kind: 'deal', id: '4' }],
    ['object.deletion', { objectTypeId: '0-48' }, { kind: 'activity', id: 'calls:4', activityType: 'calls' }],
    ['object.restore', { objectTypeId: '0-27' }, { kind: 'activity', id: 'tasks:4', activityType: 'tasks' }],
    [
      'object.creation',
      { objectTypeId: '0-47' },
      { kind: 'activity', id: 'meetings:4', activityType: 'meetings' },
    ],
    [
      'object.creation',
      { objectTypeId: '0-49' },
      { kind: 'activity', id: 'emails:4', activityType: 'emails' },
    ],
    ['object.creation', { objectTypeId: '0-2' }, undefined],
    ['object.creation', {}, undefined],
    ['company.creation', {}, undefined],
    ['contact.unknown', {}, undefined],
    ['conversation.newMessage', {}, undefined],
    ['deal.associationChange', { fromObjectId: 6, toObjectId: 7 }, { kind: 'deal', id: '6' }],
    [
      'contact.associationChange',
      { fromObjectId: 6, toObjectId: 7, associationType: 'CONTACT_TO_DEAL' },
      { kind: 'deal', id: '7' },
    ],
    [
      'object.associationChange',
      { fromObjectId: 6, fromObjectTypeId: '0-1', toObjectId: 7, toObjectTypeId: '0-3' },
      { kind: 'deal', id: '7' },
    ],
    [
      'contact.associationChange',
      { fromObjectId: 6, toObjectId: 7, associationType: 'CONTACT_TO_COMPANY' },
      undefined,
    ],
  ])('of %s %j', (subscriptionType, members, about) => {
    const hint = { eventId: '1:2:3:4', type: subscriptionType, about };
    expect(hintsOf([{ ...event, ...members, subscriptionType }])).toEqual([hint]);
  });

  test.each([
    [
      { primaryObjectId: 10, mergedObjectIds: [11, 12] },
      { id: '10', merged: { losers: ['11', '12'] } },
    ],
    [
      { primaryObjectId: 10, mergedObjectIds: [11, 10], newObjectId: 13 },
      { id: '13', merged: { losers: ['11'], formerId: '10' } },
    ],
    [
      { primaryObjectId: 10, mergedObjectIds: [11], newObjectId: 10 },
      { id: '10', merged: { losers: ['11'] } },
    ],
  ])('of a merge %j', (members, about) => {
    for (const [kind, type] of [
      ['lead', { subscriptionType: 'contact.merge' }],
      ['lead', { subscriptionType: 'object.merge', objectTypeId: '0-1' }],
      ['deal', { subscriptionType: 'deal.merge' }],
    ] as const)
      expect(hintsOf([{ ...event, ...type, ...members }])[0]?.about).toEqual({ kind, ...about });
  });

  test('keep the digits of large ids', () => {
    const text =
      '[{"subscriptionType":"contact.creation","eventId":12345678901234567890,"objectId":9007199254740993}]';
    const [hint] = hubspotCrm.readHints(parseJson(text));
    expect(hint).toMatchObject({ about: { id: '9007199254740993' } });
    expect(hint?.eventId).toBe('12345678901234567890:::9007199254740993');
  });

  test('of malformed events are kept without a record', () => {
    const unknown = { type: 'unknown' };
    expect(hintsOf([1, null, {}, { subscriptionType: 5 }])).toEqual([unknown, unknown, unknown, unknown]);
    expect(hintsOf('text')).toEqual([unknown]);
    expect(hintsOf([])).toEqual([]);
    const withoutId = { subscriptionType: 'contact.creation', objectId: {} };
    expect(hintsOf([withoutId])).toEqual([{ ...unknown, type: 'contact.creation' }]);
  });
});
