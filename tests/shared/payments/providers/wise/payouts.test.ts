// Payouts with Wise, from the order to the result of the bank.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWise, type Wise } from '../../../../../local/providers/wise/index.ts';
import type { PayoutOrder, PayoutReport } from '../../../../../shared/payments/providers/payout-port.ts';
import { payoutsOf } from '../../../../../shared/payments/providers/provider.ts';
import { transactionIdOf } from '../../../../../shared/payments/providers/wise/transfers.ts';
import {
  PATIENT,
  payoutOrder,
  type WiseAdapter,
  wiseAdapter,
} from '../../../../support/payments/wise-adapter.ts';

let wise: Wise;
beforeAll(async () => {
  wise = await startWise();
  await wise.control.setFrozen(true);
});
afterAll(() => wise.stop());

const GBP = {
  currency: 'GBP',
  account: { country: 'GB', account_number: '28821822', routing_number: '23-14-70' },
};
/** Transfers stay in the state that the test sets. */
const HELD = { transfers: 'held' } as const;

const minor = (units: number | undefined): number => Math.round((units ?? 0) * 100);
const idOf = (report: PayoutReport): number => Number(report.providerReference);

/** Our ledger entries in a currency when the payout has this state: its own entry, and those in the report. */
function booked(order: PayoutOrder, reports: PayoutReport[], currency: string): number {
  const paid = reports.find(({ state }) => state.status === 'paid');
  const entry = paid && order.currency === currency ? -order.amountMinor - (paid.state.feeMinor ?? 0) : 0;
  const totals = new Map<string, number>();
  for (const total of reports.flatMap(({ adjustments }) => adjustments ?? []))
    if (total.currency === currency) totals.set(total.reason, total.amountMinor);
  return [...totals.values()].reduce((sum, one) => sum + one, entry);
}

const look = (adapter: WiseAdapter, order: PayoutOrder): Promise<PayoutReport | undefined> =>
  payoutsOf(adapter.provider).find(order, PATIENT);

async function moved(
  adapter: WiseAdapter,
  order: PayoutOrder,
  id: number,
  state: string,
): Promise<PayoutReport> {
  await wise.control.transfer(adapter.account.id, id, { step: 'state', state });
  const report = await look(adapter, order);
  if (!report) throw new Error('the payout is gone');
  return report;
}

describe('a payout', () => {
  test('in one currency is paid from the balance, with the fee of the quote', async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder();
    const begun = await payoutsOf(adapter.provider).create(order, PATIENT);
    expect(begun.state.status).toBe('processing');
    expect(begun.funding).toBeUndefined();

    await wise.control.advance({ seconds: 10 });
    const paid = await look(adapter, { ...order, providerReference: begun.providerReference });
    expect(paid?.state.status).toBe('paid');
    expect(paid?.state.feeMinor).toBeGreaterThan(0);
    expect(paid?.adjustments).toEqual([]);
    expect(booked(order, paid ? [paid] : [], 'EUR')).toBe(minor(await adapter.balance('EUR')) - 10_000_00);
  });

  test('in another currency has no fee, and a conversion that adds up in both', async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder(GBP);
    await payoutsOf(adapter.provider).create(order, PATIENT);
    await wise.control.advance({ seconds: 10 });
    const paid = await look(adapter, order);
    expect(paid?.state).toMatchObject({ status: 'paid', feeMinor: 0 });
    expect(paid?.adjustments).toEqual([
      { reason: 'conversion', currency: 'GBP', amountMinor: 100_00 },
      { reason: 'conversion', currency: 'EUR', amountMinor: expect.any(Number) },
    ]);
    expect(booked(order, paid ? [paid] : [], 'GBP')).toBe(0);
    expect(booked(order, paid ? [paid] : [], 'EUR')).toBe(minor(await adapter.balance('EUR')) - 10_000_00);
  });

  test('is ordered in the format that Wise documents', async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder({ reference: 'po_01h455vb4pex5vsknk084sn02q', ...GBP });
    const { providerReference: id } = await payoutsOf(adapter.provider).create(order, PATIENT);
    const asked = await wise.control.requests({ account: adapter.account.id });
    expect(
      asked.map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}|\d{6,}/g, '*')}`),
    ).toEqual([
      'POST /2026Q3/profiles/*/quotes',
      'GET /2026Q3/quotes/*/account-requirements',
      'GET /2026Q3/accounts',
      'POST /2026Q3/accounts',
      'GET /2026Q3/accounts',
      'PATCH /2026Q3/profiles/*/quotes/*',
      'POST /2026Q3/transfer-requirements',
      'POST /2026Q3/transfers',
      'POST /2026Q3/profiles/*/transfers/*/payments',
      'GET /2026Q3/transfers/*',
    ]);
    const transfer = await adapter.ok('GET', `/transfers/${id}`);
    expect(transfer).toMatchObject({
      // By Python: uuid.uuid5(uuid.NAMESPACE_URL, 'https://placar.dev/payouts/po_01h455vb4pex5vsknk084sn02q')
      customerTransactionId: '040f1d77-63ff-5670-bb1f-1de31c4cb055',
      targetValue: 100,
      targetCurrency: 'GBP',
      sourceCurrency: 'EUR',
      details: { reference: 'Payout 12' },
    });
  });

  test('that is created twice under one id is one transfer, funded once', async () => {
    const adapter = await wiseAdapter(wise, { options: HELD });
    const order = payoutOrder();
    const first = await payoutsOf(adapter.provider).create(order, PATIENT);
    const second = await payoutsOf(adapter.provider).create(order, PATIENT);
    const known = await payoutsOf(adapter.provider).create(
      { ...order, providerReference: first.providerReference },
      PATIENT,
    );
    expect(second.providerReference).toBe(first.providerReference);
    expect(known.providerReference).toBe(first.providerReference);
    const { transfers } = await wise.control.account(adapter.account.id);
    expect(transfers).toHaveLength(1);
    expect(transfers[0]?.payments).toHaveLength(1);
  });

  test('to a PIX key is rejected', async () => {
    const adapter = await wiseAdapter(wise);
    const order = payoutOrder({ kind: 'pix' });
    order.beneficiary.bank_account = { type: 'pix', key_type: 'email', key: 'ann@example.com' };
    await expect(payoutsOf(adapter.provider).create(order, PATIENT)).rejects.toMatchObject({
      name: 'ProviderRejected',
      message: expect.stringContaining('PIX'),
    });
  });

  test('that was never created is not found', async () => {
    const adapter = await wiseAdapter(wise);
    expect(await look(adapter, payoutOrder())).toBeUndefined();
    expect(await look(adapter, payoutOrder({ providerReference: '99' }))).toBeUndefined();
  });

  test('is found by our id behind more than a page of others', async () => {
    const adapter = await wiseAdapter(wise, {
      options: HELD,
    });
    const order = payoutOrder();
    const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
    for (let other = 0; other < 100; other++) await adapter.transfer();
    expect((await look(adapter, order))?.providerReference).toBe(providerReference);
    const pages = await wise.control.requests({
      account: adapter.account.id,
      method: 'GET',
      path: '/2026Q3/transfers',
    });
    expect(pages).toHaveLength(2);
  });
});

test("transaction ids are version 5 UUIDs of the payout's URL", async () => {
  expect(await transactionIdOf('po_01h455vb4pex5vsknk084sn02q')).toBe('040f1d77-63ff-5670-bb1f-1de31c4cb055');
});

describe('the state of a transfer', () => {
  test.each([
    ['incoming_payment_waiting', 'incoming_payment_waiting'],
    ['incoming_payment_initiated', 'incoming_payment_waiting'],
    ['processing', 'processing'],
    ['funds_converted', 'processing'],
    ['outgoing_payment_sent', 'paid'],
    ['bounced_back', 'paid'],
    ['charged_back', 'failed'],
    ['funds_refunded', 'failed'],
    ['cancelled', 'failed'],
  ])('%s after funding means %s', async (state, status) => {
    const adapter = await wiseAdapter(wise, { options: HELD });
    const order = payoutOrder();
    const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
    const report = await moved(adapter, order, Number(providerReference), state);
    expect(report.state.status).toBe(status);
    expect(report.funding).toBeUndefined();
    if (status === 'failed') expect(report.state.reason).toMatch(/\.$/);
    else expect(report.state.reason).toBeUndefined();
  });

  test('canceled before funding means canceled', async () => {
    const adapter = await wiseAdapter(wise, { balances: { EUR: 0 } });
    const order = payoutOrder();
    const report = await payoutsOf(adapter.provider).create(order, PATIENT);
    await wise.control.transfer(adapter.account.id, idOf(report), { step: 'cancel' });
    expect((await look(adapter, order))?.state).toMatchObject({ status: 'canceled', reason: undefined });
  });

  test.each(['waiting_recipient_input_to_proceed', 'unknown', 'a_state_of_tomorrow'])(
    '%s changes nothing, and the log names it',
    async (state) => {
      const adapter = await wiseAdapter(wise, { options: HELD });
      const order = payoutOrder();
      const begun = await payoutsOf(adapter.provider).create(order, PATIENT);
      const report = await moved(adapter, order, idOf(begun), state);
      // The initial state: no other state leads to it.
      expect(report.state.status).toBe('created');
      expect(report.adjustments).toBeUndefined();
      expect(
        adapter.logged.filter(({ level }) => level === 'warn').map(({ fields }) => fields.state),
      ).toEqual([state]);
    },
  );
});

describe('returned money', () => {
  async function paidOut(adapter: WiseAdapter, order: PayoutOrder): Promise<PayoutReport> {
    const begun = await payoutsOf(adapter.provider).create(order, PATIENT);
    for (const step of ['next', 'next'] as const)
      await wise.control.transfer(adapter.account.id, idOf(begun), { step });
    const paid = await look(adapter, order);
    if (paid?.state.status !== 'paid') throw new Error('the payout is not paid');
    return paid;
  }

  test.each([
    ['in one currency', {}],
    ['in another currency', GBP],
  ])(
    'of a transfer that bounced, %s: it fails, and every currency adds up to the statement',
    async (_, change) => {
      const adapter = await wiseAdapter(wise, { options: HELD });
      const order = payoutOrder(change);
      const paid = await paidOut(adapter, order);
      const { id } = adapter.account;
      await wise.control.transfer(id, idOf(paid), { step: 'bounce' });
      const bounced = await look(adapter, order);
      expect(bounced?.state.status).toBe('paid');
      await wise.control.transfer(id, idOf(paid), { step: 'refund', amount: 91.5 });
      const failed = await look(adapter, order);
      expect(failed?.state.status).toBe('failed');
      expect(failed?.state.reason).toContain('refunded it');
      expect(failed?.adjustments).toEqual([{ reason: 'returned', currency: 'EUR', amountMinor: 91_50 }]);
      const reports = [paid, ...(failed ? [failed] : [])];
      expect(booked(order, reports, 'EUR')).toBe(minor(await adapter.balance('EUR')) - 10_000_00);
      if (order.currency !== 'EUR') expect(booked(order, reports, order.currency)).toBe(0);
    },
  );

  test('is assumed to be all that was paid if the account may not read statements', async () => {
    const adapter = await wiseAdapter(wise, { options: { ...HELD, statements: 'forbidden' } });
    const order = payoutOrder();
    const paid = await paidOut(adapter, order);
    await wise.control.transfer(adapter.account.id, idOf(paid), { step: 'bounce' });
    await wise.control.transfer(adapter.account.id, idOf(paid), { step: 'refund' });
    const failed = await look(adapter, order);
    expect(failed?.adjustments).toEqual([
      { reason: 'returned', currency: 'EUR', amountMinor: 100_00 + (paid.state.feeMinor ?? 0) },
    ]);
    expect(adapter.logged.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('a full refund is assumed'),
    );
  });

  test('weeks later is on the statement as well', async () => {
    const late = await startWise();
    try {
      await late.control.setFrozen(true);
      const adapter = await wiseAdapter(late, {
        options: { transfers: 'bounced', bounceMs: 30 * 86_400_000 },
      });
      const order = payoutOrder();
      await payoutsOf(adapter.provider).create(order, PATIENT);
      await late.control.advance({ days: 35 });
      const failed = await payoutsOf(adapter.provider).find(order, PATIENT);
      expect(failed?.state.status).toBe('failed');
      expect(failed?.adjustments).toHaveLength(1);
    } finally {
      await late.stop();
    }
  });
});

describe('canceling', () => {
  test('works while the transfer waits, repeatedly', async () => {
    const adapter = await wiseAdapter(wise, { balances: { EUR: 0 } });
    const order = payoutOrder();
    const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
    expect(await payoutsOf(adapter.provider).cancel({ ...order, providerReference }, PATIENT)).toBe(true);
    expect(await payoutsOf(adapter.provider).cancel(order, PATIENT)).toBe(true);
    expect(await adapter.state(Number(providerReference))).toBe('cancelled');
  });

  test('is too late once the money is converted', async () => {
    const adapter = await wiseAdapter(wise, { options: HELD });
    const order = payoutOrder();
    const begun = await payoutsOf(adapter.provider).create(order, PATIENT);
    await moved(adapter, order, idOf(begun), 'funds_converted');
    expect(await payoutsOf(adapter.provider).cancel(order, PATIENT)).toBe(false);
  });

  test('succeeds for a transfer that does not exist', async () => {
    const adapter = await wiseAdapter(wise);
    expect(await payoutsOf(adapter.provider).cancel(payoutOrder(), PATIENT)).toBe(true);
  });
});
