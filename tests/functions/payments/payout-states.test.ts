// The state transitions of a payout: paid, failed, canceled.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import {
  bodyOf,
  createPayout,
  createPayTenant,
  faultsOf,
  get,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();

const eventsOf = async (id: string): Promise<string[]> =>
  (await sql`select type from events where data ->> 'id' = ${id} order by id`).map(({ type }) => type);

describe('settling', () => {
  test.each([
    ['PIX', pixPayout()],
    ['a transfer', transferPayout()],
  ])('%s is paid automatically', async (_name, body) => {
    const { apiKey } = await createPayTenant(sql);
    const made = await createPayout(apiKey, body);
    const paid = await untilStatus(apiKey, `/payouts/${made.id}`, 'paid');
    expect(paid).toEqual({ ...made, status: 'paid' });
    expect(await eventsOf(made.id)).toEqual(['payout.paid']);
  });

  test.each([
    ['PIX', pixPayout({ amount: 1017 })],
    ['a transfer', transferPayout({ amount: 1017 })],
  ])('%s of an amount ending in 17 fails, without ledger entries', async (_name, body) => {
    const { apiKey } = await createPayTenant(sql);
    const made = await createPayout(apiKey, body);
    expect(['processing', 'created']).toContain(made.status);
    const failed = await untilStatus(apiKey, `/payouts/${made.id}`, 'failed');
    expect(failed).toEqual({ ...made, status: 'failed', failure_reason: 'Rejected by the sandbox.' });
    expect(await eventsOf(made.id)).toEqual(['payout.failed']);
    expect((await get(apiKey, '/balance-transactions')).data).toEqual([]);
    faultsOf(await pay(apiKey, `/payouts/${made.id}/cancel`, {}), 409, 'payout_not_cancelable');
  });
});

describe('canceling', () => {
  /** A function whose payouts take an hour to settle. */
  async function slowly() {
    const { baseUrl } = await startOwnFunction('payments', { SANDBOX_SETTLE_SECONDS: '3600' });
    const { apiKey } = await createPayTenant(sql);
    const send = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') =>
      pay(apiKey, path, body, { baseUrl, method });
    return { apiKey, send };
  }

  test('a transfer can be canceled until it is sent, with or without a body', async () => {
    const { apiKey, send } = await slowly();
    for (const body of [null, {}, { reason: 'wrong account' }]) {
      const made = bodyOf(await send('/payouts', transferPayout()), 201);
      expect(made.status).toBe('created');
      const waiting = await untilStatus(apiKey, `/payouts/${made.id}`, 'incoming_payment_waiting');
      expect(waiting).toEqual({ ...made, status: 'incoming_payment_waiting' });
      const canceled = bodyOf(await send(`/payouts/${made.id}/cancel`, body, 'POST'), 200);
      expect(canceled).toEqual({ ...made, status: 'canceled' });
      expect(await get(apiKey, `/payouts/${made.id}`)).toEqual(canceled);
      expect(await eventsOf(made.id)).toEqual(['payout.canceled']);
      faultsOf(await send(`/payouts/${made.id}/cancel`, {}), 409, 'payout_not_cancelable');
    }
    expect((await get(apiKey, '/balance-transactions')).data).toEqual([]);
  });

  test('a transfer can be canceled as soon as it is created', async () => {
    const { send } = await slowly();
    const { id } = bodyOf(await send('/payouts', transferPayout()), 201);
    expect(bodyOf(await send(`/payouts/${id}/cancel`, {}), 200).status).toBe('canceled');
  });

  test('PIX is final, processing or paid', async () => {
    const { apiKey, send } = await slowly();
    const { id } = bodyOf(await send('/payouts', pixPayout()), 201);
    faultsOf(await send(`/payouts/${id}/cancel`, {}), 409, 'payout_not_cancelable');
    expect((await get(apiKey, `/payouts/${id}`)).status).toBe('processing');
    const paid = await createPayout(apiKey);
    await untilStatus(apiKey, `/payouts/${paid.id}`, 'paid');
    faultsOf(await pay(apiKey, `/payouts/${paid.id}/cancel`, {}), 409, 'payout_not_cancelable');
  });

  test('a paid transfer has been sent', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createPayout(apiKey, transferPayout());
    await untilStatus(apiKey, `/payouts/${id}`, 'paid');
    faultsOf(await pay(apiKey, `/payouts/${id}/cancel`, {}), 409, 'payout_not_cancelable');
    expect((await get(apiKey, `/payouts/${id}`)).status).toBe('paid');
  });
});
