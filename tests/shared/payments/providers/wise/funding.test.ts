// Funding transfers: from the balance if the account may do so, otherwise by people.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountOrder } from '../../../../../local/providers/wise/index.ts';
import { startWise, type Wise } from '../../../../../local/providers/wise/index.ts';
import { payoutsOf } from '../../../../../shared/payments/providers/provider.ts';
import { PATIENT, payoutOrder, wiseAdapter } from '../../../../support/payments/wise-adapter.ts';

let wise: Wise;
beforeAll(async () => {
  wise = await startWise();
  await wise.control.setFrozen(true);
});
afterAll(() => wise.stop());

const GBP = {
  currency: 'GBP',
  account: { country: 'GB', account_number: '28821822', routing_number: '231470' },
};

test.each<[string, AccountOrder]>([
  ['Wise forbids it to this account', { options: { funding: 'forbidden' } }],
  ['a person must approve it', { options: { sca: 'refuse' } }],
  ['the balance is too small, told with 201', { balances: { EUR: 5 } }],
  ['the balance is too small, told with 422', { balances: { EUR: 5 }, options: { rejectedStatus: 422 } }],
  [
    'the balance is too small, told by another code',
    { balances: { EUR: 5 }, options: { insufficientFunds: 'balance.payment-option-unavailable' } },
  ],
  ['there is no balance', { balances: {} }],
])('it waits for manual funding if %s', async (_, account) => {
  const adapter = await wiseAdapter(wise, account);
  const order = payoutOrder(GBP);
  const report = await payoutsOf(adapter.provider).create(order, PATIENT);
  const { transfers, quotes } = await wise.control.account(adapter.account.id);
  expect(transfers).toHaveLength(1);
  const created = transfers[0]?.createdAtMs ?? 0;
  expect(report.state).toMatchObject({ status: 'incoming_payment_waiting', feeMinor: undefined });
  expect(report.adjustments).toBeUndefined();
  expect(report.funding).toEqual({
    sourceAmountMinor: expect.any(Number),
    sourceCurrency: 'EUR',
    reference: String(transfers[0]?.id),
    fundBy: new Date(Math.floor(created / 1000) * 1000 + 14 * 86_400_000),
  });
  expect(quotes).toHaveLength(1);
  // A repeated request has the same result.
  expect((await payoutsOf(adapter.provider).find(order, PATIENT))?.funding).toEqual(report.funding);
  expect(JSON.stringify(adapter.logged)).not.toContain(adapter.account.token);
});

test.each(['BALANCE', 'BANK_TRANSFER'] as const)(
  'manual funding by %s costs what that method costs',
  async (method) => {
    const adapter = await wiseAdapter(wise, { options: { funding: 'forbidden', transfers: 'held' } });
    const order = payoutOrder(GBP);
    const { funding, ...report } = await payoutsOf(adapter.provider).create(order, PATIENT);
    const id = Number(report.providerReference);
    const { account } = adapter;
    await wise.control.transfer(account.id, id, { step: 'pay-in', method });
    await wise.control.transfer(account.id, id, { step: 'next' });
    await wise.control.transfer(account.id, id, { step: 'next' });
    const paid = await payoutsOf(adapter.provider).find(order, PATIENT);
    const { transfers } = await wise.control.account(account.id);
    expect(paid?.state.status).toBe('paid');
    expect(paid?.adjustments).toContainEqual({
      reason: 'conversion',
      currency: 'EUR',
      amountMinor: -(transfers[0]?.payments[0]?.amount ?? 0),
    });
    if (method === 'BANK_TRANSFER')
      expect(funding?.sourceAmountMinor).toBe(transfers[0]?.payments[0]?.amount);
  },
);

test('in one currency the fee depends on the funding method', async () => {
  const adapter = await wiseAdapter(wise, { options: { funding: 'forbidden', transfers: 'held' } });
  const order = payoutOrder();
  const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
  const { id } = adapter.account;
  await wise.control.transfer(id, Number(providerReference), { step: 'pay-in', method: 'BANK_TRANSFER' });
  await wise.control.transfer(id, Number(providerReference), {
    step: 'state',
    state: 'outgoing_payment_sent',
  });
  const paid = await payoutsOf(adapter.provider).find(order, PATIENT);
  const { transfers } = await wise.control.account(id);
  expect(paid?.state.feeMinor).toBe(transfers[0]?.payments[0]?.fee);
});

test('money in transit is not requested again', async () => {
  const adapter = await wiseAdapter(wise, { balances: {} });
  const order = payoutOrder();
  const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
  await wise.control.transfer(adapter.account.id, Number(providerReference), {
    step: 'state',
    state: 'incoming_payment_initiated',
  });
  const report = await payoutsOf(adapter.provider).find(order, PATIENT);
  expect(report).toMatchObject({ state: { status: 'incoming_payment_waiting' }, funding: undefined });
});

test('when it is ordered again with a sufficient balance, it is funded', async () => {
  const adapter = await wiseAdapter(wise, { balances: { EUR: 5 }, options: { transfers: 'held' } });
  const order = payoutOrder();
  await payoutsOf(adapter.provider).create(order, PATIENT);
  await wise.control.topUp(adapter.account.id, { currency: 'EUR', amount: 1000 });
  const report = await payoutsOf(adapter.provider).create(order, PATIENT);
  expect(report.state.status).toBe('processing');
});
