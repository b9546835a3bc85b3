// States of transfers in the Wise emulator: sent, returned weeks later, refunded, rolled back, lost.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { RECIPIENTS, startWiseForTest, type WiseClient, wiseClient } from '../../support/payments/wise.ts';

let client: WiseClient;
beforeAll(async () => {
  client = await startWiseForTest();
});
beforeEach(async () => {
  Object.assign(client, await wiseClient(client.wise, { balances: { EUR: 1000 } }));
});
afterAll(() => client.wise.stop());

const step = (id: number, order: Parameters<WiseClient['wise']['control']['transfer']>[2]) =>
  client.wise.control.transfer(client.account.id, id, order);
const options = (change: Parameters<WiseClient['wise']['control']['options']>[1]) =>
  client.wise.control.options(client.account.id, change);

async function funded(details: Parameters<WiseClient['transfer']>[0] = {}): Promise<number> {
  const { id } = await client.transfer(details);
  const { body } = await client.fund(id);
  expect(body.status).toBe('COMPLETED');
  return id;
}

test('bounces weeks after it was sent, and the money returns a day later', async () => {
  await options({ transfers: 'bounced', bounceMs: 21 * 24 * 60 * 60_000 });
  const id = await funded();
  await client.wise.control.advance({ days: 20 });
  expect(await client.state(id)).toBe('outgoing_payment_sent');
  expect(await client.balance('EUR')).toBeLessThan(900);
  await client.wise.control.advance({ days: 1, minutes: 1 });
  expect(await client.state(id)).toBe('bounced_back');
  expect(await client.balance('EUR')).toBeLessThan(900);
  await client.wise.control.advance({ days: 1 });
  expect(await client.state(id)).toBe('funds_refunded');
  expect(await client.balance('EUR')).toBe(1000);
});

test('intermediary banks of a SWIFT payment keep a part of the returned money', async () => {
  await options({ transfers: 'bounced', swiftReturnPercent: 10 });
  const id = await funded({ quote: { targetCurrency: 'USD' }, recipient: RECIPIENTS.USD_SWIFT });
  const paid = 1000 - (await client.balance('EUR'));
  await client.wise.control.advance({ days: 5 });
  expect(await client.state(id)).toBe('funds_refunded');
  expect(await client.balance('EUR')).toBeCloseTo(1000 - paid * 0.1, 2);
});

test('rolls back by one state, and continues from there', async () => {
  const id = await funded();
  await client.wise.control.advance({ seconds: 2 });
  expect((await step(id, { step: 'rollback' })).status).toBe('processing');
  await client.wise.control.advance({ seconds: 4 });
  expect(await client.state(id)).toBe('outgoing_payment_sent');
});

test('never deducts the money twice, whichever state it was rolled back to', async () => {
  await options({ transfers: 'held' });
  const id = await funded();
  const balance = await client.balance('EUR');
  expect((await step(id, { step: 'rollback' })).status).toBe('incoming_payment_waiting');
  expect((await client.fund(id)).status).toBe(422);
  await expect(step(id, { step: 'pay-in' })).rejects.toThrow('422');
  expect(await client.balance('EUR')).toBe(balance);
});

test('enters states on request, including unknown ones', async () => {
  const id = await funded();
  for (const state of ['waiting_recipient_input_to_proceed', 'unknown', 'something_else']) {
    expect((await step(id, { step: 'state', state })).status).toBe(state);
  }
  expect((await step(id, { step: 'chargeback' })).status).toBe('charged_back');
  // Earlier planned changes are dropped.
  await client.wise.control.advance({ days: 30 });
  expect(await client.state(id)).toBe('charged_back');
});

test('returns active issues', async () => {
  const { id } = await client.transfer();
  const cases = ['deposit_amount_less_invoice'];
  expect((await step(id, { step: 'active-cases', cases })).hasActiveIssues).toBe(true);
  expect((await step(id, { step: 'active-cases', cases: [] })).hasActiveIssues).toBe(false);
});

test('cancels transfers that are not funded within two weeks', async () => {
  const { id } = await client.transfer();
  await client.wise.control.advance({ days: 13 });
  expect(await client.state(id)).toBe('incoming_payment_waiting');
  await client.wise.control.advance({ days: 1 });
  expect(await client.state(id)).toBe('cancelled');
});

test('stops and returns a payment to Brazil without its nature', async () => {
  const id = await funded({
    quote: { targetCurrency: 'BRL', targetAmount: 500 },
    recipient: RECIPIENTS.BRL,
  });
  await client.wise.control.advance({ seconds: 2 });
  expect(await client.state(id)).toBe('cancelled');
  await client.wise.control.advance({ days: 1 });
  expect(await client.state(id)).toBe('funds_refunded');
  expect(await client.balance('EUR')).toBe(1000);
});

test('holds transfers on request, and releases them one by one', async () => {
  await options({ transfers: 'held' });
  const id = await funded();
  await client.wise.control.advance({ days: 5 });
  expect(await client.state(id)).toBe('processing');
  expect((await step(id, { step: 'next' })).status).toBe('funds_converted');
  expect((await step(id, { step: 'next' })).status).toBe('outgoing_payment_sent');
  await expect(step(id, { step: 'next' })).rejects.toThrow('422');
  expect((await step(id, { step: 'bounce' })).status).toBe('bounced_back');
  expect((await step(id, { step: 'refund', amount: 40 })).status).toBe('funds_refunded');
  expect(await client.balance('EUR')).toBeLessThan(1000);
});

test('simulates state by state, in order, by GET and POST, once it is funded', async () => {
  await options({ transfers: 'held' });
  const { id } = await client.transfer();
  const simulate = (method: string, state: string) =>
    client.call(method, `/v1/simulation/transfers/${id}/${state}`);
  expect((await simulate('GET', 'processing')).status).toBe(422);
  await client.fund(id);
  expect((await simulate('GET', 'outgoing_payment_sent')).status).toBe(422);
  const states = ['processing', 'funds_converted', 'outgoing_payment_sent', 'bounced_back', 'funds_refunded'];
  for (const [index, state] of states.entries()) {
    const answer = await simulate(index % 2 === 0 ? 'GET' : 'POST', state);
    expect([answer.status, answer.body.status]).toEqual([200, state]);
    expect(await client.state(id)).toBe(state);
  }
  expect(await client.balance('EUR')).toBe(1000);
  expect((await simulate('GET', 'paid')).status).toBe(422);
});

test('simulated steps take their time, and a payout fails once it bounced', async () => {
  await options({ transfers: 'held', simulationMs: 5000 });
  const id = await funded();
  const simulate = (state: string) => client.call('POST', `/simulation/transfers/${id}/${state}`);
  for (const state of ['funds_converted', 'outgoing_payment_sent']) {
    expect((await simulate('payout-failure')).status).toBe(422);
    await simulate(state);
    expect(await client.state(id)).not.toBe(state);
    await client.wise.control.advance({ seconds: 5 });
    expect(await client.state(id)).toBe(state);
  }
  await step(id, { step: 'bounce' });
  const failed = await simulate('payout-failure');
  expect([failed.status, failed.body]).toEqual([200, { failure_reason_code: expect.any(String) }]);
});

test('tops up a balance', async () => {
  const { profile } = client.account;
  const [{ id }] = await client.ok('GET', `/profiles/${profile}/balances?types=STANDARD`);
  const order = { profileId: profile, balanceId: id, currency: 'EUR', amount: 12.34 };
  expect(await client.ok('POST', '/v1/simulation/balance/topup', order)).toMatchObject({
    state: 'COMPLETED',
    balancesAfter: [{ id, value: 1012.34, currency: 'EUR' }],
  });
  expect(await client.balance('EUR')).toBe(1012.34);
  const wrong = await client.call('POST', '/v1/simulation/balance/topup', { ...order, currency: 'USD' });
  expect(wrong.status).toBe(422);
});

test('has no simulation in production', async () => {
  const production = await startWiseForTest({ environment: 'production' }, { balances: { EUR: 1000 } });
  const { id } = await production.transfer();
  await production.fund(id);
  expect((await production.call('GET', `/v1/simulation/transfers/${id}/processing`)).status).toBe(404);
  await production.wise.stop();
});
