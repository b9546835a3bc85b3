import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Asaas, PaymentStep } from '../../../../../local/providers/asaas/index.ts';
import { chargeReport } from '../../../../../shared/payments/providers/asaas/charge-reports.ts';
import type { ChargeOrder } from '../../../../../shared/payments/providers/charge-port.ts';
import type { OrderReport } from '../../../../../shared/payments/providers/order-report.ts';
import { chargesOf } from '../../../../../shared/payments/providers/provider.ts';
import { startAsaasForTest } from '../../../../support/payments/asaas.ts';
import { adjusted, connectAsaas, patient } from '../../../../support/payments/asaas-provider.ts';

let asaas: Asaas;
beforeAll(async () => {
  asaas = (await startAsaasForTest()).asaas;
});
afterAll(() => asaas.stop());

/** A charge of R$ 100 whose states the test controls. */
async function charged(change: Partial<ChargeOrder> = {}, options = {}) {
  const connected = await connectAsaas(asaas, { account: { balance: 1000, options } });
  const { provider, chargeOrder, account } = connected;
  const order = await chargeOrder(change);
  const { providerReference } = await chargesOf(provider).create(order, patient);
  const known = { ...order, providerReference };
  const step = (name: PaymentStep, details: object = {}) =>
    asaas.control.payment(account.id, providerReference, name, details);
  const read = async (): Promise<OrderReport> => {
    const report = await chargesOf(provider).read(known, patient);
    if (!report) throw new Error('the charge is not there');
    return report;
  };
  /** Its amounts in the statement, in minor units. */
  const onStatement = async () => {
    const { items } = await provider.listStatement(order.createdAt, undefined, patient);
    const ours = items.filter((line) => line.order?.providerReference === providerReference);
    return ours.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  };
  return { ...connected, order: known, id: providerReference, step, read, onStatement };
}

/** Its amounts in the ledger: the charge, the fee, and other movements. */
function inLedger(report: OrderReport, amountMinor = 10_000): number {
  const { state } = report;
  const charge = state.status === 'paid' ? amountMinor - (state.feeMinor ?? 0) : 0;
  return Object.values(adjusted(report)).reduce((sum, change) => sum + change, charge);
}

describe('paid', () => {
  test('by PIX: immediately, with the fee that Asaas deducted', async () => {
    const { step, read, onStatement, day } = await charged();
    await step('pay');
    const report = await read();
    expect(report.state).toMatchObject({ status: 'paid', feeMinor: 199, availableOn: await day() });
    expect(adjusted(report)).toEqual({});
    expect(report.refunds).toEqual([]);
    expect(inLedger(report)).toBe(await onStatement());
  });

  test('by card: when confirmed, available when Asaas says', async () => {
    const { step, read, day } = await charged({ method: 'card' });
    await step('pay');
    const { state } = await read();
    expect(state).toMatchObject({ status: 'paid', feeMinor: 348 });
    expect(state.availableOn && state.availableOn > (await day(30))).toBe(true);
  });

  test('a boleto is paid when confirmed; its PIX code pays it, too', async () => {
    const boleto = await charged({ method: 'boleto' });
    await boleto.step('pay');
    expect((await boleto.read()).state).toMatchObject({ status: 'paid', feeMinor: 199 });
    const bolepix = await charged({ method: 'bolepix' });
    await bolepix.step('pay', { billingType: 'PIX' });
    expect((await bolepix.read()).state.status).toBe('paid');
  });

  test('in cash: the money never reached the account', async () => {
    const { step, read, onStatement } = await charged();
    await step('receive-in-cash');
    const report = await read();
    expect(report.state.status).toBe('paid');
    expect(adjusted(report)).toEqual({ received_outside: -10_000 });
    expect(inLedger(report)).toBe(0);
    expect(await onStatement()).toBe(0);
  });

  test('cash payment undone and paid afterwards: the amount received outside is reversed', async () => {
    const { step, read, ok, id } = await charged();
    await step('receive-in-cash');
    await ok('POST', `/payments/${id}/undoReceivedInCash`);
    const open = await read();
    expect(open.state.status).toBe('open');
    expect(open.adjustments?.map(({ reason }) => reason)).not.toContain('received_outside');
    await step('pay');
    expect(adjusted(await read())).toEqual({});
    expect((await read()).adjustments).toContainEqual({
      reason: 'received_outside',
      currency: 'BRL',
      amountMinor: 0,
    });
  });

  test('by a collection agency', async () => {
    const { step, read } = await charged({ method: 'boleto' });
    await step('overdue');
    await step('dunning', { step: 'request' });
    expect((await read()).state.status).toBe('open');
    await step('dunning', { step: 'receive' });
    expect((await read()).state.status).toBe('paid');
  });

  test('too much', async () => {
    const { step, read, onStatement } = await charged({ method: 'boleto' });
    await step('pay', { value: 105.5, billingType: 'PIX' });
    const report = await read();
    expect(report.state).toMatchObject({ status: 'paid', feeMinor: 199 });
    expect(adjusted(report)).toEqual({ overpaid: 550 });
    expect(inLedger(report)).toBe(await onStatement());
  });

  test('too little: what arrived is recorded, and the charge is not paid', async () => {
    const { step, read, onStatement, provider, order } = await charged();
    await step('pay', { value: 60 });
    const report = await read();
    expect(report.state).toMatchObject({ status: 'open', feeMinor: undefined });
    expect(adjusted(report)).toEqual({ partial_payment: 5_801 });
    expect(inLedger(report)).toBe(await onStatement());
    expect(await chargesOf(provider).cancel(order, patient)).toBe(false);
    const listed = await provider.listOrders('charge', order.createdAt, undefined, patient);
    expect(listed.items[0]?.report?.state.status).toBe('open');
  });

  test('twice: the other payment is an overpayment', async () => {
    const { step, read, provider, order } = await charged();
    await step('pay');
    await step('pay-again');
    const report = await read();
    expect(report.providerReference).toBe(order.providerReference);
    expect(report.state).toMatchObject({ status: 'paid', feeMinor: 398 });
    expect(adjusted(report)).toEqual({ overpaid: 10_000 });
    const { items } = await provider.listStatement(order.createdAt, undefined, patient);
    const came = items.filter((line) => line.order).reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    expect(inLedger(report)).toBe(came);
  });

  test('twice too little: together they cover it, and the rest is an overpayment', async () => {
    const { step, read, onStatement } = await charged();
    await step('pay', { value: 40 });
    await step('pay-again');
    const short = await read();
    expect(short.state.status).toBe('open');
    expect(adjusted(short)).toEqual({ partial_payment: 8000 - 2 * 199 });
    await step('pay-again');
    const covered = await read();
    expect(covered.state).toMatchObject({ status: 'paid', feeMinor: 3 * 199 });
    expect(adjusted(covered)).toEqual({ overpaid: 2000 });
    await step('refund', { value: 15 });
    expect(adjusted(await read())).toEqual({ overpaid: 2000, refund: -1500 });
    expect(await onStatement()).toBe(4000 - 199 - 1500);
  });

  test('after it was deleted', async () => {
    const { step, read } = await charged();
    await step('delete');
    expect((await read()).state.status).toBe('canceled');
    await step('pay');
    expect((await read()).state.status).toBe('paid');
  });
});

describe('not paid', () => {
  test('overdue, declined, under review, restored: open', async () => {
    const { step, read } = await charged({ method: 'card' });
    await step('refuse-card');
    expect((await read()).state.status).toBe('open');
    await step('risk', { step: 'analyse' });
    expect((await read()).state.status).toBe('open');
    await step('risk', { step: 'reprove' });
    expect((await read()).state.status).toBe('open');
    await step('overdue');
    expect((await read()).state).toMatchObject({
      status: 'open',
      feeMinor: undefined,
      availableOn: undefined,
    });
    await step('delete');
    await step('restore');
    expect((await read()).state.status).toBe('open');
  });
});

describe('refunded', () => {
  test('in parts and fully', async () => {
    const { step, read, onStatement } = await charged();
    await step('pay');
    await step('refund', { value: 30 });
    const part = await read();
    expect(part.state).toMatchObject({ status: 'paid', feeMinor: 199 });
    expect(adjusted(part)).toEqual({ refund: -3_000 });
    await step('refund');
    const whole = await read();
    expect(whole.state.status).toBe('paid');
    expect(adjusted(whole)).toEqual({ refund: -10_000 });
    expect(inLedger(whole)).toBe(await onStatement());
  });

  test('requested and denied: nothing', async () => {
    const { step, read } = await charged({}, { refundMs: 3_600_000 });
    await step('pay');
    await step('refund');
    expect((await read()).state.status).toBe('paid');
    expect(adjusted(await read())).toEqual({});
    await step('refund/denied');
    expect(adjusted(await read())).toEqual({});
    await step('refund', { value: 10 });
    await step('refund/done');
    expect(adjusted(await read())).toEqual({ refund: -1_000 });
  });

  test('disputed and won: returned when the statement shows it', async () => {
    const { step, read, onStatement } = await charged({ method: 'card' });
    await step('pay');
    await asaas.control.advance({ days: 40 });
    await step('chargeback', { step: 'request' });
    const taken = await read();
    expect(taken.state.status).toBe('paid');
    expect(adjusted(taken)).toEqual({ chargeback: -10_000 });
    expect(inLedger(taken)).toBe(await onStatement());
    await step('chargeback', { step: 'dispute' });
    await step('chargeback', { step: 'won' });
    expect(adjusted(await read())).toEqual({ chargeback: -10_000 });
    await step('chargeback', { step: 'reversed' });
    const won = await read();
    expect(adjusted(won)).toEqual({ chargeback: -10_000, chargeback_won: 10_000 });
    expect(inLedger(won)).toBe(await onStatement());
  });

  test('disputed again after it was won', async () => {
    const { step, read, onStatement } = await charged();
    await step('pay');
    for (const ends of ['reversed', undefined]) {
      await step('chargeback', { step: 'request' });
      expect(inLedger(await read())).toBe(await onStatement());
      if (ends) await step('chargeback', { step: ends });
      expect(inLedger(await read())).toBe(await onStatement());
    }
    await step('chargeback', { step: 'reversed' });
    const twice = await read();
    expect(adjusted(twice)).toEqual({ chargeback: -20_000, chargeback_won: 20_000 });
    expect(inLedger(twice)).toBe(await onStatement());
  });

  test('disputed and won, however long the statement has become', async () => {
    const { step, read, onStatement, account } = await charged();
    await step('pay');
    await step('chargeback', { step: 'request' });
    await step('chargeback', { step: 'reversed' });
    for (let line = 0; line < 350; line++)
      await asaas.control.statement(account.id, { type: 'PAYMENT_MESSAGING_NOTIFICATION_FEE', value: -0.01 });
    const won = await read();
    expect(adjusted(won)).toEqual({ chargeback: -10_000, chargeback_won: 10_000 });
    expect(inLedger(won)).toBe(10_000 - 199);
    expect(await onStatement()).toBe(10_000 - 199);
  });

  test('disputed before the credit, and won: it was never deducted', async () => {
    const { step, read, onStatement } = await charged({ method: 'card' });
    await step('pay');
    await step('chargeback', { step: 'request' });
    expect(adjusted(await read())).toEqual({ chargeback: -10_000 });
    await step('chargeback', { step: 'reversed' });
    expect(adjusted(await read())).toEqual({ chargeback: -10_000, chargeback_won: 10_000 });
    await asaas.control.advance({ days: 40 });
    expect(inLedger(await read())).toBe(await onStatement());
  });

  test.each(['once', 'twice'])(
    'while the statement cannot be read, won disputes are not reported: paid %s',
    async (paid) => {
      const { step, read, account } = await charged();
      await step('pay');
      if (paid === 'twice') {
        const { id } = await step('pay-again');
        await asaas.control.payment(account.id, id, 'refund');
      }
      await step('chargeback', { step: 'request' });
      await step('chargeback', { step: 'reversed' });
      await asaas.control.fault({
        kind: 'error_before',
        path: '/v3/financialTransactions',
        account: account.id,
      });
      expect((await read()).adjustments?.map(({ reason }) => reason)).not.toContain('chargeback_won');
    },
  );
});

test.each([
  ['PENDING', 'open'],
  ['OVERDUE', 'open'],
  ['AWAITING_RISK_ANALYSIS', 'open'],
  ['AUTHORIZED', 'open'],
  ['DUNNING_REQUESTED', 'open'],
  ['CONFIRMED', 'paid'],
  ['RECEIVED', 'paid'],
  ['RECEIVED_IN_CASH', 'paid'],
  ['DUNNING_RECEIVED', 'paid'],
  ['REFUND_REQUESTED', 'paid'],
  ['REFUND_IN_PROGRESS', 'paid'],
  ['REFUNDED', 'paid'],
  ['CHARGEBACK_REQUESTED', 'paid'],
  ['CHARGEBACK_DISPUTE', 'paid'],
  ['AWAITING_CHARGEBACK_REVERSAL', 'paid'],
])('%s is %s, regardless of the dates', (status, ours) => {
  const payment = { id: 'pay_1', value: 100, netValue: 98.01, status };
  expect(chargeReport(payment, { amountMinor: 10_000 }, undefined).state.status).toBe(ours);
  const dated = { ...payment, paymentDate: '2026-11-21' };
  expect(chargeReport(dated, { amountMinor: 10_000 }, undefined).state.status).toBe(ours);
});

describe('undocumented states', () => {
  const payment = { id: 'pay_1', value: 100, netValue: 98.01, billingType: 'PIX' };
  test('follow the dates', () => {
    const paid = chargeReport(
      { ...payment, status: 'BRAND_NEW', paymentDate: '2026-11-21' },
      { amountMinor: 10_000 },
      undefined,
    );
    expect(paid.state).toMatchObject({ status: 'paid', feeMinor: 199 });
    expect(
      chargeReport({ ...payment, status: 'BRAND_NEW' }, { amountMinor: 10_000 }, undefined).state.status,
    ).toBe('open');
    const deleted = { ...payment, status: 'BRAND_NEW', deleted: true };
    expect(chargeReport(deleted, { amountMinor: 10_000 }, undefined).state.status).toBe('canceled');
  });
  test('an amount lost in a dispute is not refunded again', () => {
    const lost = { ...payment, status: 'REFUNDED', chargeback: { value: 100 } };
    const report = chargeReport(
      lost,
      { amountMinor: 10_000 },
      { disputes: { withdrawnMinor: -10_000, returnedMinor: 0 } },
    );
    expect(adjusted(report)).toEqual({ chargeback: -10_000 });
  });
});
