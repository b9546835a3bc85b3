// Payouts at Wise, from the order to the money: funded from the balance or by people, sent, returned, canceled.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import {
  type ConnectedWise,
  connectedWise,
  entriesOf,
  expectReconciled,
  untilEvents,
  waitForNotifications,
  wiseSums,
} from '../../../support/payments/connected-wise-stripe.ts';
import { bodyOf, faultsOf, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay, transferPayout } from '../../../support/payments/payments.ts';
import {
  createWisePayout,
  dollarPayout,
  payoutIn,
  SENT,
  steps,
  transfersOf,
} from '../../../support/payments/wise-payouts.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });

const even = (wise: ConnectedWise) => expectReconciled(sql, wise, () => wiseSums(wise));
const toFund = (id: string) => sql`select * from admin.payouts_to_fund where payout_id = ${id}`;
const cancel = ({ apiKey }: ConnectedWise, id: string) => pay(apiKey, `/payouts/${id}/cancel`, {});

describe('funded from the balance', () => {
  test("in the balance's currency: amount and the quote's fee", async () => {
    const wise = await connectedWise(sql);
    const made = await createWisePayout(sql, wise);
    expect((await get(wise.apiKey, made.path)).status).toBe('processing');
    expect(await toFund(made.id)).toHaveLength(0);
    await steps(wise, made, ...SENT);
    const paid = await untilStatus(wise.apiKey, made.path, 'paid');
    const [transfer] = await transfersOf(wise);
    const fee = transfer?.payments[0]?.fee;
    expect(fee).toBeGreaterThan(0);
    expect(await entriesOf(sql, made.id)).toEqual([['payout', 'EUR', -5_000, fee]]);
    expect(paid.amount).toBe(5_000);
    await untilEvents(sql, wise.tenant, 'payout.paid');
    await even(wise);
  });

  test('in another one: fee 0, and the conversion in both currencies', async () => {
    const wise = await connectedWise(sql);
    const made = await createWisePayout(sql, wise, dollarPayout());
    await steps(wise, made, ...SENT);
    await untilStatus(wise.apiKey, made.path, 'paid');
    const [transfer] = await transfersOf(wise);
    expect(await entriesOf(sql, made.id)).toEqual([
      ['payout', 'USD', -7_000, 0],
      ['conversion', 'USD', 7_000, 0],
      ['conversion', 'EUR', -(transfer?.payments[0]?.amount ?? 0), 0],
    ]);
    await even(wise);
  });
});

describe('funded manually', () => {
  test.each([
    ['where Wise does not let us', { options: { funding: 'forbidden' } }],
    ['where a person has to confirm', { options: { sca: 'refuse' } }],
    ['where the balance is too small', { balances: { EUR: 10 } }],
    ['where that is said with 422', { balances: { EUR: 10 }, options: { rejectedStatus: 422 } }],
  ] as const)('%s', async (_, order) => {
    // The statement is not readable either, and is compared in another test.
    const wise = await connectedWise(sql, order);
    const made = await createWisePayout(sql, wise);
    expect((await get(wise.apiKey, made.path)).status).toBe('incoming_payment_waiting');
    const [row] = await toFund(made.id);
    expect(row).toMatchObject({
      payout_id: made.id,
      tenant_id: wise.tenant.id,
      amount: '5000',
      currency: 'EUR',
      source_currency: 'EUR',
      reference: String(made.transfer),
    });
    expect(Number(row?.source_amount)).toBeGreaterThan(5_000);
    expect(row?.fund_by.getTime()).toBeGreaterThan(Date.now() + 13 * 86_400_000);
    await steps(wise, made, { step: 'pay-in', method: 'BANK_TRANSFER' }, ...SENT);
    await untilStatus(wise.apiKey, made.path, 'paid');
    expect(await toFund(made.id)).toHaveLength(0);
    await untilEvents(sql, wise.tenant, 'payout.paid');
  });

  test('manually from the balance', async () => {
    const wise = await connectedWise(sql, { options: { funding: 'forbidden' } });
    const made = await createWisePayout(sql, wise, dollarPayout());
    await steps(wise, made, { step: 'pay-in', method: 'BALANCE' }, ...SENT);
    await untilStatus(wise.apiKey, made.path, 'paid');
    await even(wise);
  });

  test('by a bank transfer, which bypasses our balance', async () => {
    const wise = await connectedWise(sql, { balances: { EUR: 0 } });
    const made = await createWisePayout(sql, wise);
    await steps(wise, made, { step: 'pay-in', method: 'BANK_TRANSFER' }, ...SENT);
    await untilStatus(wise.apiKey, made.path, 'paid');
    await even(wise);
  });

  test('never funded: it ends canceled at Wise', async () => {
    const wise = await connectedWise(sql, { balances: { EUR: 0 } });
    const made = await createWisePayout(sql, wise);
    await steps(wise, made, { step: 'cancel' });
    await untilStatus(wise.apiKey, made.path, 'canceled');
    expect(await toFund(made.id)).toHaveLength(0);
    await untilEvents(sql, wise.tenant, 'payout.canceled');
    await even(wise);
  });
});

describe.each(['EUR', 'USD'])('failures in %s', (currency) => {
  const begun = async (options: object = {}) => {
    const wise = await connectedWise(sql, { options });
    return { wise, made: await createWisePayout(sql, wise, payoutIn(currency)) };
  };

  test('paid, bounced, returned: failed once, with the money', async () => {
    const { wise, made } = await begun();
    await steps(wise, made, ...SENT);
    await untilStatus(wise.apiKey, made.path, 'paid');
    await steps(wise, made, { step: 'bounce' });
    await waitForNotifications(sql, wise);
    expect((await get(wise.apiKey, made.path)).status).toBe('paid');
    await steps(wise, made, { step: 'refund' });
    const failed = await untilStatus(wise.apiKey, made.path, 'failed');
    expect(failed.failure_reason).toBeTruthy();
    await waitForNotifications(sql, wise);
    await untilEvents(sql, wise.tenant, 'payout.failed');
    const [transfer] = await transfersOf(wise);
    expect(await entriesOf(sql, made.id)).toContainEqual([
      'returned',
      'EUR',
      transfer?.payments[0]?.amount,
      0,
    ]);
    await even(wise);
  });

  test('bounced, and sent again', async () => {
    const { wise, made } = await begun();
    await steps(wise, made, ...SENT, { step: 'bounce' }, { step: 'state', state: 'outgoing_payment_sent' });
    await waitForNotifications(sql, wise);
    await untilStatus(wise.apiKey, made.path, 'paid');
    await untilEvents(sql, wise.tenant, 'payout.failed', 0);
    await even(wise);
  });

  test('banks kept a part of the returned money', async () => {
    const { wise, made } = await begun();
    await steps(wise, made, ...SENT);
    await untilStatus(wise.apiKey, made.path, 'paid');
    await steps(wise, made, { step: 'bounce' }, { step: 'refund', amount: 40 });
    await untilStatus(wise.apiKey, made.path, 'failed');
    await even(wise);
  });

  test('canceled by Wise after it was funded, and returned later', async () => {
    const { wise, made } = await begun();
    await steps(wise, made, { step: 'cancel' });
    await untilStatus(wise.apiKey, made.path, 'failed');
    await steps(wise, made, { step: 'refund' });
    await waitForNotifications(sql, wise);
    await untilEvents(sql, wise.tenant, 'payout.failed');
    await even(wise);
  });

  test('never sent, and only partly returned', async () => {
    const { wise, made } = await begun();
    await steps(wise, made, { step: 'cancel' }, { step: 'refund', amount: 40 });
    await untilStatus(wise.apiKey, made.path, 'failed');
    await waitForNotifications(sql, wise);
    await even(wise);
  });

  test('all of it between two lookups', async () => {
    const { wise, made } = await begun();
    await wise.control.webhookFault({ kind: 'lost', times: 1000, account: wise.account.id });
    await steps(wise, made, ...SENT, { step: 'bounce' }, { step: 'refund' });
    await even(wise);
    expect((await get(wise.apiKey, made.path)).status).toBe('failed');
    await untilEvents(sql, wise.tenant, 'payout.failed');
  });

  test('an unknown state changes nothing', async () => {
    const { wise, made } = await begun();
    await steps(wise, made, { step: 'state', state: 'under_the_sea' });
    await waitForNotifications(sql, wise);
    expect((await get(wise.apiKey, made.path)).status).toBe('processing');
    await steps(wise, made, { step: 'state', state: 'outgoing_payment_sent' });
    await untilStatus(wise.apiKey, made.path, 'paid');
    await steps(wise, made, { step: 'state', state: 'unknown_again' });
    await waitForNotifications(sql, wise);
    expect((await get(wise.apiKey, made.path)).status).toBe('paid');
    await even(wise);
  });
});

test('its funding was withdrawn', async () => {
  const wise = await connectedWise(sql, { balances: { EUR: 0 } });
  const made = await createWisePayout(sql, wise);
  await steps(wise, made, { step: 'pay-in', method: 'BANK_TRANSFER' }, { step: 'chargeback' });
  await untilStatus(wise.apiKey, made.path, 'failed');
  await even(wise);
});

describe('canceling', () => {
  test('while it waits for funding', async () => {
    const wise = await connectedWise(sql, { balances: { EUR: 0 } });
    const made = await createWisePayout(sql, wise);
    expect(bodyOf(await cancel(wise, made.id), 200).status).toBe('canceled');
    expect((await transfersOf(wise))[0]?.states.at(-1)).toBe('cancelled');
    await waitForNotifications(sql, wise);
    await untilEvents(sql, wise.tenant, 'payout.canceled');
    await even(wise);
  });

  test('is too late once it is funded, and once Wise rejects it', async () => {
    const wise = await connectedWise(sql);
    const made = await createWisePayout(sql, wise);
    faultsOf(await cancel(wise, made.id), 409, 'payout_not_cancelable');

    const poor = await connectedWise(sql, { balances: { EUR: 0 } });
    const waiting = await createWisePayout(sql, poor);
    await poor.control.webhookFault({ kind: 'lost', times: 1000, account: poor.account.id });
    await steps(poor, waiting, { step: 'pay-in', method: 'BANK_TRANSFER' }, ...SENT);
    faultsOf(await cancel(poor, waiting.id), 409, 'payout_not_cancelable');
    await even(poor);
    expect((await get(poor.apiKey, waiting.path)).status).toBe('paid');
  });

  test('funded, but not yet seen by us: Wise returns it', async () => {
    const wise = await connectedWise(sql, { options: { funding: 'forbidden' } });
    const made = await createWisePayout(sql, wise);
    await waitForNotifications(sql, wise);
    await wise.control.webhookFault({ kind: 'lost', times: 1000, account: wise.account.id });
    await steps(wise, made, { step: 'pay-in', method: 'BALANCE' });
    const reply = await cancel(wise, made.id);
    expect(reply.status).toBe(200);
    await steps(wise, made, { step: 'refund' });
    await even(wise);
  });
});

describe('incomplete recipient forms', () => {
  const left = (wise: ConnectedWise) => sql`select id from payouts where tenant_id = ${wise.tenant.id}`;

  test('missing fields are named as in the request, and nothing is left behind', async () => {
    const wise = await connectedWise(sql);
    const { beneficiary, ...rest } = dollarPayout();
    const { address: _, ...without } = beneficiary as Record<string, unknown>;
    const reply = await pay(wise.apiKey, '/payouts', { ...rest, beneficiary: without });
    const fields = faultsOf(reply, 422, 'validation_error');
    expect(fields).toEqual(
      expect.arrayContaining([
        'beneficiary.address.line1',
        'beneficiary.address.city',
        'beneficiary.address.postal_code',
      ]),
    );
    expect(fields.every((field) => field.startsWith('beneficiary.'))).toBe(true);
    expect(await left(wise)).toHaveLength(0);
    expect(await transfersOf(wise)).toHaveLength(0);
  });

  test('invalid bank details', async () => {
    const wise = await connectedWise(sql);
    const { beneficiary, ...rest } = dollarPayout();
    const bank_account = {
      type: 'bank_transfer',
      country: 'US',
      routing_number: '123456789',
      account_number: '12345678',
    };
    const reply = await pay(wise.apiKey, '/payouts', {
      ...rest,
      beneficiary: { ...(beneficiary as object), bank_account },
    });
    expect(faultsOf(reply, 422, 'validation_error')).toEqual(['beneficiary.bank_account.routing_number']);
    expect(await left(wise)).toHaveLength(0);
  });

  test('a currency that Wise does not support', async () => {
    const wise = await connectedWise(sql);
    const reply = await pay(wise.apiKey, '/payouts', transferPayout({ currency: 'HUF' }));
    expect(faultsOf(reply, 422, 'validation_error')).toEqual(['currency']);
    expect(await left(wise)).toHaveLength(0);
  });
});

describe('approved by an admin', () => {
  const waiting = async (order: Parameters<typeof connectedWise>[1] = {}) => {
    const wise = await connectedWise(sql, order);
    await sql`select admin.require_payout_approval(${wise.tenant.id}, 4_999, 'EUR')`;
    const { id, status } = bodyOf(await pay(wise.apiKey, '/payouts', transferPayout()), 201);
    expect([status, await transfersOf(wise)]).toEqual(['created', []]);
    const transferOf = async () =>
      Number((await sql`select provider_reference from payouts where id = ${id}`)[0]?.provider_reference);
    return { wise, id, path: `/payouts/${id}`, transferOf };
  };

  test('is sent and paid', async () => {
    const { wise, id, path, transferOf } = await waiting();
    await sql`select admin.approve_payout(${id})`;
    await untilStatus(wise.apiKey, path, 'processing');
    await steps(wise, { id, path, transfer: await transferOf() }, ...SENT);
    await untilStatus(wise.apiKey, path, 'paid');
    expect(await transfersOf(wise)).toHaveLength(1);
    await expect(sql`select admin.approve_payout(${id})`).rejects.toThrow(/approved/);
    await even(wise);
  });

  test('approved, and Wise rejects it: failed with its reason', async () => {
    const { wise, id, path } = await waiting({ options: { paymentApprovals: true } });
    await sql`select admin.approve_payout(${id})`;
    const failed = await untilStatus(wise.apiKey, path, 'failed');
    expect(failed.failure_reason).toBeTruthy();
    await untilEvents(sql, wise.tenant, 'payout.failed');
  });

  test('approved, and the response is lost: one transfer', async () => {
    const { wise, id, path } = await waiting();
    await wise.control.fault({
      kind: 'cut_after',
      method: 'POST',
      path: '/*/transfers',
      account: wise.account.id,
    });
    await sql`select admin.approve_payout(${id})`;
    await waitFor(async () => (await transfersOf(wise)).length === 1);
    await waitFor(async () => {
      await sql`update jobs set due_at = now() where name = 'order-payout' and key = ${id} and finished_at is null and locked_until is null`;
      await sweepNow();
      return (await get(wise.apiKey, path)).status === 'processing';
    });
    expect(await transfersOf(wise)).toHaveLength(1);
  });

  test('rejected: failed with the reason, and never sent to Wise', async () => {
    const { wise, id, path } = await waiting();
    await sql`select admin.reject_payout(${id}, 'Not this month')`;
    expect(await get(wise.apiKey, path)).toMatchObject({
      status: 'failed',
      failure_reason: 'Not this month',
    });
    await untilEvents(sql, wise.tenant, 'payout.failed');
    expect(await transfersOf(wise)).toEqual([]);
  });

  test('canceled while it waits', async () => {
    const { wise, id } = await waiting();
    expect(bodyOf(await cancel(wise, id), 200).status).toBe('canceled');
    await expect(sql`select admin.approve_payout(${id})`).rejects.toThrow(/canceled/);
  });
});
