// Webhooks of the Wise emulator: registration, signatures, and retries.
import { createVerify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../support/payments/vendor-receiver.ts';
import { startWiseForTest, type WiseClient, wiseClient } from '../../support/payments/wise.ts';

let client: WiseClient;
let receiver: Receiver;
beforeAll(async () => {
  client = await startWiseForTest();
});
beforeEach(async () => {
  receiver = await startReceiver();
  Object.assign(client, await wiseClient(client.wise, { balances: { EUR: 1000 } }));
});
afterEach(async () => {
  await client.wise.control.clearWebhookFaults();
  receiver.close();
});
afterAll(() => client.wise.stop());

/** Longer than deliveries are stored: nothing else happens to the transfer in the meantime. */
const YEAR_MS = 365 * 24 * 60 * 60_000;

const pathOf = () => `/profiles/${client.account.profile}/subscriptions`;
const order = (trigger: string, version = '4.0.0', url = `${receiver.url}/hook`) => ({
  name: 'Placar',
  trigger_on: trigger,
  delivery: { version, url },
});
async function subscribe(trigger: string, version?: string) {
  const made = await client.ok('POST', pathOf(), order(trigger, version));
  receiver.received.length = 0;
  return made;
}
const settle = () => client.wise.control.settle();
const isProved = ({ raw, headers }: Receiver['received'][number]): boolean =>
  createVerify('RSA-SHA256')
    .update(raw)
    .verify(client.wise.publicKey, String(headers['x-signature-sha256']), 'base64');

test('accepts https with a host name, without port or query, and loopback URLs', async () => {
  await client.wise.control.options(client.account.id, { testNotification: false });
  const status = async (url: string) =>
    (await client.call('POST', pathOf(), order('transfers#refund', '4.0.0', url))).status;
  expect(await status('https://placar.example/hook')).toBe(200);
  expect(await status(`${receiver.url}/hook`)).toBe(200);
  const refused = [
    'http://placar.example/hook',
    'https://placar.example/hook?region=eu',
    'https://placar.example/hook?',
    'https://placar.example:8443/hook',
    'https://93.184.216.34/hook',
    'https://[2001:db8::1]/hook',
    `${receiver.url}/hook?region=eu`,
    'placar.example',
  ];
  for (const url of refused) {
    const answer = await client.call('POST', pathOf(), order('transfers#refund', '4.0.0', url));
    expect([url, answer.status, answer.body.errors[0].code]).toEqual([url, 400, 'INVALID_CALLBACK_URL']);
  }
  expect((await client.call('POST', pathOf(), order('cards#transaction-state-change'))).status).toBe(400);
  expect((await client.call('POST', pathOf(), order('transfers#refund', '9.0.0'))).status).toBe(400);
});

test('verifies a URL with a signed test notification before it registers it', async () => {
  receiver.answer = () => ({ status: 500 });
  const refused = await client.call('POST', pathOf(), order('transfers#state-change'));
  expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'INVALID_CALLBACK_URL']);
  expect(await client.ok('GET', pathOf())).toEqual([]);
  receiver.answer = () => ({ status: 204 });
  const { id } = await client.ok('POST', pathOf(), order('transfers#state-change'));
  const [, tried] = receiver.received;
  expect(tried?.headers['x-test-notification']).toBe('true');
  expect(tried && isProved(tried)).toBe(true);
  expect(tried?.body.data.resource.id).toBe(0);
  expect(tried?.body.subscription_id).not.toBe(id);
});

test('shows, lists and deletes a subscription', async () => {
  const made = await subscribe('transfers#state-change');
  expect(made).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    trigger_on: 'transfers#state-change',
    delivery: { version: '4.0.0', url: `${receiver.url}/hook` },
    scope: { domain: 'profile', id: String(client.account.profile) },
    created_by: { type: 'user' },
  });
  expect(await client.ok('GET', `${pathOf()}/${made.id}`)).toEqual(made);
  expect(await client.ok('GET', pathOf())).toEqual([made]);
  expect((await client.call('DELETE', `${pathOf()}/${made.id}`)).status).toBe(204);
  expect((await client.call('GET', `${pathOf()}/${made.id}`)).status).toBe(404);
  await client.transfer();
  await settle();
  expect(receiver.received).toEqual([]);
});

test('reports each state, signed over the raw body', async () => {
  const { id: subscription } = await subscribe('transfers#state-change');
  const { id, targetAccount } = await client.transfer();
  await client.fund(id);
  await client.wise.control.advance({ seconds: 4 });
  expect(receiver.received.map(({ body: { data } }) => [data.previous_state, data.current_state])).toEqual([
    [null, 'incoming_payment_waiting'],
    ['incoming_payment_waiting', 'processing'],
    ['processing', 'funds_converted'],
    ['funds_converted', 'outgoing_payment_sent'],
  ]);
  const [event] = receiver.received;
  expect(event?.body).toEqual({
    data: {
      resource: {
        type: 'transfer',
        id,
        profile_id: client.account.profile,
        account_id: targetAccount,
      },
      current_state: 'incoming_payment_waiting',
      previous_state: null,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
    subscription_id: subscription,
    event_type: 'transfers#state-change',
    schema_version: '4.0.0',
    sent_at: expect.stringMatching(/\.\d{3}Z$/),
  });
  expect(receiver.received.every(isProved)).toBe(true);
  expect(event?.headers).not.toHaveProperty('x-test-notification');
  const changed = { ...event, raw: `${event?.raw} ` } as Receiver['received'][number];
  expect(isProved(changed)).toBe(false);
  const ids = receiver.received.map(({ headers }) => headers['x-delivery-id']);
  expect(new Set(ids).size).toBe(4);
});

test('sends older versions of an event in their format', async () => {
  await subscribe('transfers#state-change', '2.0.0');
  await client.transfer();
  await settle();
  const [{ body } = { body: undefined }] = receiver.received;
  expect(body.schema_version).toBe('2.0.0');
  expect(body.data.occurred_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('reports failures, refunds, cases and balances to subscribers', async () => {
  const events = [
    'transfers#payout-failure',
    'transfers#refund',
    'transfers#active-cases',
    'balances#update',
    'balances#credit',
  ];
  for (const trigger of events) await subscribe(trigger);
  const { account, wise } = client;
  const { id, targetAccount } = await client.transfer();
  await client.fund(id);
  await wise.control.advance({ seconds: 4 });
  await wise.control.transfer(account.id, id, { step: 'active-cases', cases: ['deposit_proof_needed'] });
  await wise.control.transfer(account.id, id, { step: 'payout-failure', reason: 'MANDATE_NOT_FILLED_IN' });
  expect(await client.state(id)).toBe('outgoing_payment_sent');
  await wise.control.transfer(account.id, id, { step: 'bounce', reason: 'WRONG_NAME' });
  await wise.control.advance({ days: 1 });
  const dataOf = (trigger: string) =>
    receiver.received.filter(({ body }) => body.event_type === trigger).map(({ body }) => body.data);
  const paid = (await client.ok('GET', `/v1/transfers/${id}/payments`))[0].amount;
  expect(dataOf('transfers#payout-failure')).toMatchObject([
    {
      transfer_id: id,
      profile_id: account.profile,
      failure_reason_code: 'MANDATE_NOT_FILLED_IN',
      failure_description: expect.any(String),
    },
    { transfer_id: id, failure_reason_code: 'WRONG_NAME' },
  ]);
  expect(dataOf('transfers#refund')).toEqual([
    {
      resource: {
        type: 'transfer',
        id,
        profile_id: account.profile,
        account_id: targetAccount,
        refund_amount: paid,
        refund_currency: 'EUR',
      },
      occurred_at: expect.any(String),
    },
  ]);
  expect(dataOf('transfers#active-cases')).toMatchObject([{ active_cases: ['deposit_proof_needed'] }]);
  expect(dataOf('balances#update')).toMatchObject([
    {
      transaction_type: 'debit',
      amount: paid,
      currency: 'EUR',
      post_transaction_balance_amount: 1000 - paid,
      transfer_reference: String(id),
      channel_name: 'TRANSFER',
    },
    { transaction_type: 'credit', amount: paid, post_transaction_balance_amount: 1000 },
  ]);
  expect(dataOf('balances#credit')).toMatchObject([{ transaction_type: 'credit', amount: paid }]);
});

test('delivers to each of two subscriptions, and only events of the profile', async () => {
  await subscribe('transfers#state-change');
  await subscribe('transfers#state-change');
  const personal = `/profiles/${client.account.personalProfile}/subscriptions`;
  await client.ok('POST', personal, order('transfers#state-change'));
  receiver.received.length = 0;
  await client.transfer();
  await settle();
  expect(receiver.received).toHaveLength(2);
  expect(new Set(receiver.received.map(({ body }) => body.subscription_id)).size).toBe(2);
});

test('retries after 1, 2, 4... minutes, 25 times within two weeks', async () => {
  await subscribe('transfers#state-change');
  await client.wise.control.options(client.account.id, { fundWithinMs: YEAR_MS });
  receiver.answer = () => ({ status: 503 });
  await client.transfer();
  await settle();
  let minutes = 0;
  for (let number = 0; number < 24; number++) {
    const wait = Math.min(2 ** number, 23 * 60);
    expect(receiver.received).toHaveLength(number + 1);
    await client.wise.control.advance({ minutes: wait - 1 });
    await client.wise.control.advance({ seconds: 59 });
    expect(receiver.received).toHaveLength(number + 1);
    await client.wise.control.advance({ seconds: 1 });
    minutes += wait;
  }
  expect(receiver.received).toHaveLength(25);
  expect(minutes).toBeLessThan(14 * 24 * 60);
  await client.wise.control.advance({ days: 30 });
  expect(receiver.received).toHaveLength(25);
  const ids = new Set(receiver.received.map(({ headers }) => headers['x-delivery-id']));
  expect(ids.size).toBe(1);
});

test('retries 25 times even if the receiver requests short waits', async () => {
  await subscribe('transfers#state-change');
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '1' } });
  await client.transfer();
  await client.wise.control.advance({ hours: 1 });
  expect(receiver.received).toHaveLength(25);
});

test('gives up after the third 4xx', async () => {
  await subscribe('transfers#state-change');
  await client.wise.control.options(client.account.id, { fundWithinMs: YEAR_MS });
  receiver.answer = () => ({ status: 401 });
  await client.transfer();
  await client.wise.control.advance({ days: 15 });
  expect(receiver.received).toHaveLength(3);
});

test('waits as long as the receiver requests, in seconds or until a date', async () => {
  await subscribe('transfers#state-change');
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '1800' } });
  await client.transfer();
  await settle();
  await client.wise.control.advance({ minutes: 29 });
  expect(receiver.received).toHaveLength(1);
  const date = new Date((await client.wise.control.now()).getTime() + 7_200_000).toUTCString();
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': date } });
  await client.wise.control.advance({ minutes: 1 });
  expect(receiver.received).toHaveLength(2);
  receiver.answer = () => ({ status: 200 });
  await client.wise.control.advance({ minutes: 118 });
  expect(receiver.received).toHaveLength(2);
  await client.wise.control.advance({ minutes: 1 });
  expect(receiver.received).toHaveLength(3);
});

test('counts attempts instead of deliveries on request', async () => {
  await client.wise.control.options(client.account.id, { deliveryIds: 'attempt' });
  await subscribe('transfers#state-change');
  receiver.answer = () => ({ status: receiver.received.length > 1 ? 200 : 500 });
  await client.transfer();
  await settle();
  await client.wise.control.advance({ minutes: 1 });
  const ids = receiver.received.map(({ headers }) => headers['x-delivery-id']);
  expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
  expect(receiver.received.every(isProved)).toBe(true);
});

test('loses, duplicates and reorders events on request', async () => {
  await subscribe('transfers#state-change');
  await client.wise.control.options(client.account.id, { transfers: 'held' });
  await client.wise.control.webhookFault({ kind: 'lost' });
  await client.wise.control.webhookFault({ kind: 'duplicated' });
  const { id } = await client.transfer();
  await client.fund(id);
  await settle();
  expect(receiver.received.map(({ body }) => body.data.current_state)).toEqual(['processing', 'processing']);
  receiver.received.length = 0;
  await client.wise.control.webhookFault({ kind: 'reordered', times: 2 });
  await client.wise.control.transfer(client.account.id, id, { step: 'next' });
  await client.wise.control.transfer(client.account.id, id, { step: 'next' });
  await settle();
  expect(receiver.received.map(({ body }) => body.data.current_state)).toEqual([
    'outgoing_payment_sent',
    'funds_converted',
  ]);
});
