import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Asaas } from '../../../../../local/providers/asaas/index.ts';
import type { ListedOrder, Page, StatementLine } from '../../../../../shared/payments/providers/accounts.ts';
import type { OrderKind } from '../../../../../shared/payments/providers/order-report.ts';
import {
  type ConnectedProvider,
  chargesOf,
  payoutsOf,
  taxDocumentsOf,
} from '../../../../../shared/payments/providers/provider.ts';
import { startAsaasForTest } from '../../../../support/payments/asaas.ts';
import { adjusted, connectAsaas, patient } from '../../../../support/payments/asaas-provider.ts';

let asaas: Asaas;
beforeAll(async () => {
  asaas = (await startAsaasForTest()).asaas;
});
afterAll(() => asaas.stop());

const connect = (options = {}) =>
  connectAsaas(asaas, {
    account: {
      balance: 5000,
      options: { criticalAuthorization: 'off', duplicateTransferMinutes: 0, ...options },
    },
  });

async function all<T>(read: (page: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  let page: string | undefined;
  do {
    const { items, next } = await read(page);
    found.push(...items);
    page = next;
  } while (page !== undefined);
  return found;
}

const orders = (provider: ConnectedProvider, kind: OrderKind, since: Date): Promise<ListedOrder[]> =>
  all((page) => provider.listOrders(kind, since, page, patient));
const statement = (provider: ConnectedProvider, since: Date): Promise<StatementLine[]> =>
  all((page) => provider.listStatement(since, page, patient));

test('charges created since then, on all pages, with their state', async () => {
  const { provider, charge, chargeOrder, account } = await connect();
  for (let n = 0; n < 105; n++) await charge({ externalReference: null });
  const order = await chargeOrder();
  const { providerReference } = await chargesOf(provider).create(order, patient);
  await asaas.control.pay(account.id, providerReference);
  const found = await orders(provider, 'charge', order.createdAt);
  expect(new Set(found.map((one) => one.providerReference)).size).toBe(106);
  const ours = found.filter(({ reference }) => reference === order.reference);
  expect(ours[0]).toMatchObject({ providerReference, report: { state: { status: 'paid', feeMinor: 199 } } });
  expect(found.filter(({ reference }) => reference === undefined).length).toBeGreaterThan(104);
});

test('older charges that were paid, confirmed, refunded or disputed since then', async () => {
  const { provider, chargeOrder, account } = await connect();
  const place = async (method: 'pix' | 'card') =>
    (await chargesOf(provider).create(await chargeOrder({ method }), patient)).providerReference;
  const [late, refunded, disputed, card, untouched] = [
    await place('pix'),
    await place('pix'),
    await place('card'),
    await place('card'),
    await place('pix'),
  ];
  await asaas.control.pay(account.id, refunded);
  await asaas.control.pay(account.id, disputed);
  await asaas.control.advance({ days: 45 });
  const since = new Date(await asaas.control.now());
  await asaas.control.advance({ days: 1 });
  await asaas.control.pay(account.id, late);
  await asaas.control.pay(account.id, card);
  await asaas.control.payment(account.id, refunded, 'refund', { value: 40 });
  await asaas.control.payment(account.id, disputed, 'chargeback', { step: 'request' });
  await asaas.control.payment(account.id, disputed, 'chargeback', { step: 'reversed' });
  const found = new Map(
    (await orders(provider, 'charge', since)).map((one) => [one.providerReference, one.report]),
  );
  expect(found.get(late)?.state.status).toBe('paid');
  expect(found.get(card)?.state.status).toBe('paid');
  expect(adjusted(found.get(refunded))).toEqual({ refund: -4_000 });
  expect(adjusted(found.get(disputed))).toEqual({ chargeback: -10_000, chargeback_won: 10_000 });
  expect(found.has(untouched)).toBe(false);
});

test('payouts created and changed since then', async () => {
  const { provider, payoutOrder, account } = await connect();
  const order = await payoutOrder();
  const { providerReference } = await payoutsOf(provider).create(order, patient);
  await asaas.control.transfer(account.id, providerReference, { step: 'done' });
  const [made] = await orders(provider, 'payout', order.createdAt);
  expect(made).toMatchObject({
    reference: order.reference,
    providerReference,
    report: { state: { status: 'paid' } },
  });
  await asaas.control.advance({ days: 10 });
  const since = new Date(await asaas.control.now());
  expect(await orders(provider, 'payout', since)).toEqual([]);
  await asaas.control.transfer(account.id, providerReference, { step: 'return', show: 'FAILED' });
  const [back] = await orders(provider, 'payout', since);
  expect(back).toMatchObject({ providerReference, report: { state: { status: 'failed' } } });
  expect(adjusted(back?.report)).toEqual({ returned: 2_500 });
});

test('tax documents of the days since then', async () => {
  const { provider, taxDocumentOrder } = await connect();
  const order = await taxDocumentOrder();
  await taxDocumentsOf(provider).issue(order, patient);
  await asaas.control.advance({ seconds: 3 });
  const found = await orders(
    provider,
    'tax_document',
    order.customer ? new Date(await asaas.control.now()) : new Date(),
  );
  expect(found).toMatchObject([{ reference: order.reference, taxDocument: { status: 'issued' } }]);
});

test('every movement once, oldest first, with its order', async () => {
  const { provider, chargeOrder, payoutOrder, account } = await connect({
    fees: { transfer: 150, invoice: 49 },
  });
  const order = await chargeOrder();
  const charge = await chargesOf(provider).create(order, patient);
  await asaas.control.pay(account.id, charge.providerReference);
  const payout = await payoutsOf(provider).create(await payoutOrder(), patient);
  await asaas.control.balance(account.id, { step: 'block', value: 70 });
  await asaas.control.balance(account.id, { step: 'unblock', value: 70 });
  await asaas.control.payment(account.id, charge.providerReference, 'pay-again', { as: 'credit' });
  await asaas.control.statement(account.id, { type: 'ACCOUNT_INACTIVITY_FEE', value: -9.9 });
  await asaas.control.statement(account.id, { type: 'BRAND_NEW', value: -1 });
  const lines = await statement(provider, order.createdAt);
  const ofCharge = { kind: 'charge', providerReference: charge.providerReference };
  const ofPayout = { kind: 'payout', providerReference: payout.providerReference };
  expect(
    lines.slice(1).map(({ amountMinor, order: whose, reason }) => [amountMinor, whose ?? reason]),
  ).toEqual([
    [10_000, ofCharge],
    [-199, ofCharge],
    [-2_500, ofPayout],
    [-150, ofPayout],
    [-7_000, 'balance_blocked'],
    [7_000, 'balance_released'],
    [10_000, 'overpaid'],
    [-990, 'provider_fee'],
    [-100, 'balance_blocked'],
  ]);
  const sum = lines.reduce((total, { amountMinor }) => total + amountMinor, 0);
  expect(await provider.readBalances(patient)).toEqual([{ currency: 'BRL', amountMinor: sum }]);
});

test('a long statement in pages', async () => {
  const { provider, account } = await connect();
  const since = new Date(await asaas.control.now());
  for (let n = 0; n < 230; n++)
    await asaas.control.statement(account.id, { type: 'INVOICE_FEE', value: -0.49 });
  const lines = await statement(provider, since);
  expect(lines).toHaveLength(231);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(231);
});
