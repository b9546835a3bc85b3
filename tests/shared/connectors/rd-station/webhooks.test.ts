// Webhooks of RD Station CRM: registered, proved, and read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../../local/crms/rd-station/index.ts';
import type { Delivery } from '../../../../shared/connectors/crms/crm.ts';
import { rdStationCrm } from '../../../../shared/connectors/crms/rd-station/adapter.ts';
import { WEBHOOK_EVENTS } from '../../../../shared/connectors/crms/rd-station/facts.ts';
import { parseJson } from '../../../../shared/platform/vendor-json.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { connectAccount } from './account.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let rd: RdStation;
let receiver: Receiver;
beforeAll(async () => {
  [rd, receiver] = await Promise.all([startRdStation(), startReceiver()]);
});
afterAll(() => Promise.all([rd.stop(), receiver.close()]));

const SECRET = 'a'.repeat(43);
const orderFor = (url: string) => ({ url: `${url}/${SECRET}`, secret: SECRET, reference: null });
const encode = (text: string) => new TextEncoder().encode(text);

async function registered(account: string) {
  const webhooks = await rd.control.webhooks(account);
  return webhooks.map(({ id, order, status }) => ({ id, event: order.event_name, url: order.url, status }));
}

describe('webhooks', () => {
  test('are registered once for each event, with address and secret', async () => {
    const { id, connection } = await connectAccount(rd);
    const order = orderFor('https://placar.example/callbacks/1');
    const report = await connection.ensureWebhooks(order);
    expect(report.state).toBe('active');
    expect(report.reference?.length).toBeLessThanOrEqual(2000);
    const first = await rd.control.webhooks(id);
    expect(first.map(({ order: { event_name: name } }) => name).sort()).toEqual([...WEBHOOK_EVENTS].sort());
    expect(first[0]?.order).toMatchObject({
      ...{ url: order.url, http_method: 'POST', auth_header: 'x-placar-secret', auth_key: SECRET },
    });
    const again = await connection.ensureWebhooks({ ...order, reference: report.reference });
    expect(await rd.control.webhooks(id)).toEqual(first);
    expect(again.reference?.split(' ').sort()).toEqual(report.reference?.split(' ').sort());
  });

  test('that vanished or were suspended are registered again', async () => {
    const { id, connection } = await connectAccount(rd);
    const order = orderFor('https://placar.example/callbacks/2');
    const { reference } = await connection.ensureWebhooks(order);
    const [gone] = await registered(id);
    await rd.control.dropWebhooks(id, gone?.id);
    const report = await connection.ensureWebhooks({ ...order, reference });
    const webhooks = await registered(id);
    expect(webhooks).toHaveLength(WEBHOOK_EVENTS.length);
    expect(webhooks.map((webhook) => webhook.id).sort()).toEqual(report.reference?.split(' ').sort());
  });

  test('of others stay; ours with a former address and duplicates go', async () => {
    const { id, connection } = await connectAccount(rd);
    const former = orderFor('https://placar.example/callbacks/former');
    const { reference } = await connection.ensureWebhooks(former);
    const order = orderFor('https://placar.example/callbacks/3');
    await connection.ensureWebhooks({ ...order, reference: null });
    const other = await connection.ensureWebhooks(orderFor('https://other.example/hook'));
    // As after a lost response: a second webhook of the same event and address.
    const { grants } = await rd.control.account(id, 'grants');
    await fetch(`${rd.url}/crm/v2/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${grants.at(-1)?.access}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { event_name: WEBHOOK_EVENTS[0], url: order.url, http_method: 'POST' } }),
    });
    await connection.ensureWebhooks({ ...order, reference });
    const webhooks = await registered(id);
    expect(webhooks.filter(({ url }) => url === former.url)).toEqual([]);
    expect(webhooks.filter(({ url }) => url === order.url)).toHaveLength(WEBHOOK_EVENTS.length);
    expect(webhooks.filter((webhook) => other.reference?.includes(webhook.id))).toHaveLength(
      WEBHOOK_EVENTS.length,
    );
  });

  test('are removed; those that are gone are no error', async () => {
    const { id, connection } = await connectAccount(rd);
    const order = orderFor('https://placar.example/callbacks/4');
    const { reference } = await connection.ensureWebhooks(order);
    await rd.control.dropWebhooks(id, (await registered(id))[0]?.id);
    await connection.removeWebhooks({ ...order, reference });
    await connection.removeWebhooks({ ...order, reference });
    expect(await registered(id)).toEqual([]);
  });
});

describe.each(['document', 'data'] as const)('a webhook with `%s`', (webhookBody) => {
  test('is genuine and says what changed', async () => {
    const { id, connection } = await connectAccount(rd);
    await rd.control.setOptions(id, { webhookBody });
    const url = `${receiver.url}/${webhookBody}`;
    await connection.ensureWebhooks({ ...orderFor(url) });
    const contact = await rd.control.add(id, 'contacts', { name: 'A' });
    const deal = await rd.control.add(id, 'deals', { name: 'B' });
    const task = await rd.control.add(id, 'tasks', { name: 'C' });
    await rd.control.patch(id, 'deals', deal.id, { name: 'D' });
    await rd.control.remove(id, 'contacts', contact.id);
    const deliveries = await waitFor(() => {
      const received = receiver.received.filter((delivery) => delivery.path.startsWith(`/${webhookBody}/`));
      return received.length === 5 && received;
    });
    const hints = deliveries.flatMap(({ body }) =>
      rdStationCrm.readHints(parseJson(new TextDecoder().decode(body))),
    );
    expect(hints.map(({ type, about }) => [type, about?.kind, about?.id]).sort()).toEqual(
      [
        ['crm_contact_created', 'lead', contact.id],
        ['crm_contact_deleted', 'lead', contact.id],
        ['crm_deal_created', 'deal', deal.id],
        ['crm_deal_updated', 'deal', deal.id],
        ['crm_task_created', 'activity', task.id],
      ].sort(),
    );
    for (const { headers, body } of deliveries)
      expect(await rdStationCrm.isGenuine({ ...delivery, headers, body })).toBe(true);
  });
});

const delivery: Delivery = {
  ...{ headers: new Headers(), body: encode('{}'), url: 'https://placar.example', secret: SECRET },
  ...{ credentials: {}, nowMs: Date.now() },
};

test.each([
  ['without a secret', {}],
  ['with an empty one', { 'x-placar-secret': '' }],
  ['with that of another account', { 'x-placar-secret': 'b'.repeat(43) }],
  ['with a part of it', { 'x-placar-secret': SECRET.slice(1) }],
  ['with it in another header', { authorization: SECRET }],
])('a delivery %s is not genuine', async (_, headers) => {
  expect(await rdStationCrm.isGenuine({ ...delivery, headers: new Headers(headers) })).toBe(false);
});

describe('a body', () => {
  const read = (body: unknown) => rdStationCrm.readHints(body);

  test('may have names and ids in other forms', () => {
    const deal = { type: 'deal_updated', about: { kind: 'deal', id: 'd1' } };
    expect(read({ event_type: 'deal_updated', data: { _id: 'd1' } })).toEqual([deal]);
  });

  test('has no id of the event, which is known by its body', () => {
    const event = { event_name: 'crm_deal_updated', transaction_uuid: 'f111b90', document: { id: 'd1' } };
    expect(read(event)).toEqual([{ type: 'crm_deal_updated', about: { kind: 'deal', id: 'd1' } }]);
  });

  test.each([
    [{ event_name: 'crm_lead_created', document: { id: 'x' } }, 'crm_lead_created'],
    [{ event_name: 'crm_deal_paused', document: { id: 'x' } }, 'crm_deal_paused'],
    [{ event_name: 'crm_deal_updated' }, 'crm_deal_updated'],
    [{ event_name: 'crm_deal_updated', document: { id: null } }, 'crm_deal_updated'],
    [{ event_name: 'crm_deal_updated', document: 'text', data: ['list'] }, 'crm_deal_updated'],
    [{ event_name: 7 }, 'unknown'],
    [{}, 'unknown'],
    [[], 'unknown'],
    [null, 'unknown'],
    ['text', 'unknown'],
  ])('of another event or format is only kept: %j', (body, type) => {
    expect(read(body)).toEqual([{ type, about: undefined }]);
  });
});
