// Money at the Asaas emulator: paid, late, partial, duplicate, refunded and disputed payments, and the statement that shows them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { businessDayFrom, nextBusinessDay } from '../../../local/providers/asaas/calendar.ts';
import { addDays } from '../../../local/providers/days.ts';
import { type AsaasClient, asaasClient, startAsaasForTest } from '../../support/payments/asaas.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';

let client: AsaasClient;
beforeAll(async () => {
  client = await startAsaasForTest();
});
beforeEach(async () => {
  Object.assign(client, await asaasClient(client.asaas));
});
afterAll(() => client.asaas.stop());

const pay = (id: string, details = {}) => client.asaas.control.pay(client.account.id, id, details);
const get = (id: string) => client.ok('GET', `/payments/${id}`);
const balance = async () => (await client.ok('GET', '/finance/balance')).balance;
const statement = async (): Promise<[string, number][]> => {
  const { data } = await client.ok('GET', '/financialTransactions?order=asc&limit=100');
  return data.map(({ type, value }: Json) => [type, value]);
};

test('receives Pix immediately', async () => {
  const { id } = await client.charge();
  await pay(id);
  const today = await client.day();
  expect(await get(id)).toMatchObject({
    status: 'RECEIVED',
    netValue: 98.01,
    paymentDate: today,
    clientPaymentDate: today,
    creditDate: today,
    estimatedCreditDate: today,
  });
  expect(await balance()).toBe(98.01);
  expect(await statement()).toEqual([
    ['PAYMENT_RECEIVED', 100],
    ['PAYMENT_FEE', -1.99],
  ]);
});

test('knows the days on which banks settle', () => {
  expect(nextBusinessDay('2026-11-17')).toBe('2026-11-18');
  expect(nextBusinessDay('2026-11-19')).toBe('2026-11-23');
  expect(nextBusinessDay('2026-12-24')).toBe('2026-12-28');
  expect(businessDayFrom('2026-11-18')).toBe('2026-11-18');
});

test('receives a boleto on the next business day, in São Paulo', async () => {
  const { id } = await client.charge({ billingType: 'BOLETO' });
  await pay(id);
  const creditDate = nextBusinessDay(await client.day());
  expect(await get(id)).toMatchObject({ status: 'CONFIRMED', paymentDate: null, creditDate });
  expect(await balance()).toBe(0);
  await client.asaas.control.advance({ to: `${creditDate}T12:00:00-03:00` });
  expect(await get(id)).toMatchObject({ status: 'RECEIVED', paymentDate: creditDate });
  expect(await balance()).toBe(98.01);
});

test("receives a boleto immediately with the sandbox's test operation", async () => {
  const { id } = await client.charge({ billingType: 'BOLETO' });
  await client.ok('POST', `/sandbox/payment/${id}/confirm`);
  const today = await client.day();
  const dates = { confirmedDate: today, paymentDate: today, clientPaymentDate: today, creditDate: today };
  expect(await get(id)).toMatchObject({ status: 'RECEIVED', ...dates });
  await client.asaas.control.advance({ days: 5 });
  expect(await balance()).toBe(98.01);
});

test('receives a card after 32 days, on a business day', async () => {
  const { id } = await client.charge({ billingType: 'CREDIT_CARD' });
  await pay(id);
  const creditDate = businessDayFrom(await client.day(32));
  expect(await get(id)).toMatchObject({ status: 'CONFIRMED', creditDate, confirmedDate: await client.day() });
  await client.asaas.control.advance({ days: 40 });
  expect(await get(id)).toMatchObject({ status: 'RECEIVED', paymentDate: creditDate });
  expect(await balance()).toBe(96.52);
  // The captured pair: paid on 14 July, credited on 17 August.
  expect(businessDayFrom(addDays('2026-07-14', 32))).toBe('2026-08-17');
});

test('credits the rest of a card payment that was partly refunded before its credit', async () => {
  const { id } = await client.charge({ billingType: 'CREDIT_CARD' });
  await pay(id);
  await client.ok('POST', `/payments/${id}/refund`, { value: 40 });
  expect(await balance()).toBe(0);
  await client.asaas.control.advance({ days: 40 });
  expect(await balance()).toBe(56.52);
});

test('dates late-evening operations by São Paulo, not by UTC', async () => {
  const day = addDays(await client.day(), 1);
  await client.asaas.control.advance({ to: `${day}T22:30:00-03:00` });
  const payment = await client.charge({ dueDate: day });
  expect(payment.dateCreated).toBe(day);
  await client.asaas.control.advance({ minutes: 89 });
  expect((await get(payment.id)).status).toBe('PENDING');
  await client.asaas.control.advance({ minutes: 1 });
  expect((await get(payment.id)).status).toBe('OVERDUE');
});

test('accepts late, smaller and larger payments', async () => {
  const late = await client.charge({ billingType: 'BOLETO' });
  await client.ok('POST', `/sandbox/payment/${late.id}/overdue`);
  await pay(late.id, { value: 103.5 });
  expect(await get(late.id)).toMatchObject({
    value: 103.5,
    originalValue: 100,
    interestValue: 3.5,
    netValue: 101.51,
  });
  const less = await client.charge();
  await pay(less.id, { value: 60 });
  expect(await get(less.id)).toMatchObject({
    status: 'RECEIVED',
    value: 60,
    originalValue: 100,
    netValue: 58.01,
  });
});

test('creates a second payment if a charge is paid twice', async () => {
  const { id } = await client.charge({ externalReference: 'ref-1' });
  await pay(id);
  expect((await client.call('POST', `/sandbox/payment/${id}/confirm`)).status).toBe(400);
  const twin = await client.asaas.control.payment(client.account.id, id, 'pay-again');
  expect(twin).toMatchObject({ status: 'RECEIVED', externalReference: 'ref-1' });
  expect(twin.id).not.toBe(id);
  expect(await balance()).toBe(196.02);
});

test('accepts money for a deleted charge', async () => {
  const { id } = await client.charge();
  await client.ok('DELETE', `/payments/${id}`);
  await pay(id);
  expect(await get(id)).toMatchObject({ status: 'RECEIVED', deleted: false });
});

test('refunds partly and fully, and never more than was paid', async () => {
  const { id } = await client.charge();
  await client.asaas.control.statement(client.account.id, { type: 'CREDIT', value: 10 });
  await pay(id);
  const partly = await client.ok('POST', `/payments/${id}/refund`, { value: 30 });
  expect(partly).toMatchObject({ status: 'RECEIVED', refunds: [{ status: 'DONE', value: 30 }] });
  expect((await client.call('POST', `/payments/${id}/refund`, { value: 70.01 })).status).toBe(400);
  expect((await client.ok('POST', `/payments/${id}/refund`)).status).toBe('REFUNDED');
  expect(await balance()).toBe(8.01);
});

test('denies a refund that is in progress', async () => {
  await client.asaas.control.options(client.account.id, { refundMs: 86_400_000 });
  const { id } = await client.charge({ value: 200 });
  await client.asaas.control.statement(client.account.id, { type: 'CREDIT', value: 10 });
  await pay(id);
  await client.ok('POST', `/payments/${id}/refund`);
  expect((await get(id)).status).toBe('REFUND_IN_PROGRESS');
  await client.asaas.control.payment(client.account.id, id, 'refund/denied');
  expect((await get(id)).status).toBe('RECEIVED');
  expect(await balance()).toBe(208.01);
});

test('deducts a chargeback from the balance, and returns it when the dispute is won', async () => {
  const { id } = await client.charge({ billingType: 'CREDIT_CARD' });
  await pay(id);
  await client.asaas.control.advance({ days: 40 });
  const step = (name: string) =>
    client.asaas.control.payment(client.account.id, id, 'chargeback', { step: name });
  await step('request');
  expect(await get(id)).toMatchObject({
    status: 'CHARGEBACK_REQUESTED',
    chargeback: { status: 'REQUESTED' },
  });
  expect(await balance()).toBe(-3.48);
  await step('dispute');
  await step('won');
  expect((await get(id)).status).toBe('AWAITING_CHARGEBACK_REVERSAL');
  await step('reversed');
  expect((await get(id)).status).toBe('RECEIVED');
  expect((await statement()).map(([type]) => type)).toEqual([
    'PAYMENT_RECEIVED',
    'PAYMENT_FEE',
    'CHARGEBACK',
    'CHARGEBACK_REVERSAL',
  ]);
  expect(await balance()).toBe(96.52);
});

test('withholds the money of a card payment that is disputed before its credit', async () => {
  const { id } = await client.charge({ billingType: 'CREDIT_CARD' });
  await pay(id);
  const step = (name: string) =>
    client.asaas.control.payment(client.account.id, id, 'chargeback', { step: name });
  await step('request');
  await client.asaas.control.advance({ days: 40 });
  expect(await balance()).toBe(0);
  await step('reversed');
  await client.asaas.control.settle();
  expect((await get(id)).status).toBe('RECEIVED');
  expect(await balance()).toBe(96.52);
});

test('does not change the balance if the payer paid outside', async () => {
  const { id } = await client.charge();
  const paid = await client.ok('POST', `/payments/${id}/receiveInCash`, {
    paymentDate: await client.day(),
    value: 100,
  });
  expect(paid.status).toBe('RECEIVED_IN_CASH');
  expect(await balance()).toBe(0);
  expect((await client.ok('POST', `/payments/${id}/undoReceivedInCash`)).status).toBe('PENDING');
});

test('credits money from a collection agency', async () => {
  const { id } = await client.charge();
  const dunning = (step: string) => client.asaas.control.payment(client.account.id, id, 'dunning', { step });
  await client.asaas.control.payment(client.account.id, id, 'overdue');
  await dunning('request');
  await dunning('receive');
  expect((await get(id)).status).toBe('DUNNING_RECEIVED');
  expect(await balance()).toBe(98.01);
});
