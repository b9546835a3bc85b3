// Invoices at Stripe, from the order to the money: with every payment method, reported by webhooks.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import {
  connectedStripe,
  entriesOf,
  expectReconciled,
  stripeSums,
  untilEvents,
} from '../../../support/payments/connected-wise-stripe.ts';
import {
  bodyOf,
  createPayTenant,
  faultsOf,
  get,
  untilStatus,
} from '../../../support/payments/payment-flows.ts';
import { pay } from '../../../support/payments/payments.ts';
import {
  chargeIdOf,
  createStripeInvoice,
  intentIdOf,
  paymentAt,
  stripeInvoice,
  submit,
} from '../../../support/payments/stripe-invoices.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });

describe('paid', () => {
  test.each([
    ['card', 'USD'],
    ['ach_debit', 'USD'],
    ['bank_transfer', 'USD'],
    ['card', 'EUR'],
    ['sepa_debit', 'EUR'],
    ['bank_transfer', 'EUR'],
  ])('%s in %s, with fee and day of the balance transaction', async (type, currency) => {
    const stripe = await connectedStripe(sql, { options: { processingMs: 3_600_000 } });
    const made = await createStripeInvoice(sql, stripe, type, currency);
    expect((await get(stripe.apiKey, made.path)).payment_method[type]?.checkout_url).toMatch(/^http/);
    await submit(stripe, made);
    if (type.endsWith('debit')) {
      await untilEvents(sql, stripe.tenant, 'invoice.paid', 0);
      await stripe.control.concludeDebit(stripe.account.id, await intentIdOf(stripe, made), {
        outcome: 'succeed',
      });
    } else if (type === 'bank_transfer') {
      await stripe.control.transfer(stripe.account.id, await intentIdOf(stripe, made));
    }
    const paid = await untilStatus(stripe.apiKey, made.path, 'paid');
    const { movement } = await paymentAt(stripe, made.session);
    expect(movement?.fee).toBeGreaterThan(0);
    expect([paid.fee, paid.net]).toEqual([movement?.fee, movement?.net]);
    expect(await entriesOf(sql, made.id)).toEqual([['charge', currency, 10_000, movement?.fee]]);
    await untilEvents(sql, stripe.tenant, 'invoice.paid');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });
});

test('a card in Brazil, as second choice and by a route of the tenant', async () => {
  const stripe = await connectedStripe(sql);
  const second = await createStripeInvoice(sql, stripe, 'card', 'BRL');
  await submit(stripe, second);
  await untilStatus(stripe.apiKey, second.path, 'paid');

  await sql`select admin.set_provider_route(${stripe.tenant.id}, 'charge', 'br', 'BRL', 'card', '{sandbox}')`;
  const { id } = bodyOf(await pay(stripe.apiKey, '/invoices', stripeInvoice('card', 'BRL')), 201);
  expect(await sql`select provider from invoices where id = ${id}`).toEqual([{ provider: 'sandbox' }]);
  await sql`select admin.set_provider_route(${stripe.tenant.id}, 'charge', 'br', 'BRL', 'card', '{stripe}')`;
  const routed = await createStripeInvoice(sql, stripe, 'card', 'BRL');
  await submit(stripe, routed);
  await untilStatus(stripe.apiKey, routed.path, 'paid');
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test.each([
  ['ach_debit', 'USD'],
  ['sepa_debit', 'EUR'],
])('a failed %s fails the invoice, and its fee is recorded', async (type, currency) => {
  const stripe = await connectedStripe(sql, {
    options: { processingMs: 3_600_000, entryOfPending: true, failureFee: 400 },
  });
  const made = await createStripeInvoice(sql, stripe, type, currency);
  await submit(stripe, made);
  const message = 'The account has insufficient funds.';
  await stripe.control.concludeDebit(stripe.account.id, await intentIdOf(stripe, made), {
    outcome: 'fail',
    code: 'insufficient_funds',
    message,
  });
  const failed = await untilStatus(stripe.apiKey, made.path, 'failed', 'paid');
  expect([failed.status, failed.failure_reason]).toEqual(['failed', message]);
  await untilEvents(sql, stripe.tenant, 'invoice.failed');
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test('a fee that is known later is in the response and in the ledger', async () => {
  const stripe = await connectedStripe(sql, { options: { balanceTransactionMs: 3_600_000 } });
  const made = await createStripeInvoice(sql, stripe, 'card');
  await submit(stripe, made);
  const paid = await untilStatus(stripe.apiKey, made.path, 'paid');
  await stripe.control.enterCharge(stripe.account.id, await chargeIdOf(stripe, made));
  const { movement } = await paymentAt(stripe, made.session);
  const known = await waitFor(async () => {
    const invoice = await get(stripe.apiKey, made.path);
    return invoice.fee === movement?.fee && invoice;
  });
  expect([paid.fee, known.net]).toEqual([0, movement?.net]);
  expect(await entriesOf(sql, made.id)).toEqual([
    ['charge', 'USD', 10_000, 0],
    ['fee_correction', 'USD', -(movement?.fee ?? 0), 0],
  ]);
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test('settlement in another currency', async () => {
  const stripe = await connectedStripe(sql, { currency: 'usd', options: { exchangeRates: { eur: 1.0837 } } });
  const made = await createStripeInvoice(sql, stripe, 'card', 'EUR');
  await submit(stripe, made);
  await untilStatus(stripe.apiKey, made.path, 'paid');
  const { movement } = await paymentAt(stripe, made.session);
  expect(movement?.currency).toBe('usd');
  expect(await entriesOf(sql, made.id)).toEqual([
    ['charge', 'EUR', 10_000, 0],
    ['conversion', 'EUR', -10_000, 0],
    ['conversion', 'USD', movement?.net, 0],
  ]);
  await stripe.control.refund(stripe.account.id, await chargeIdOf(stripe, made), { amount: 2_500 });
  await untilEvents(sql, stripe.tenant, 'invoice.refunded');
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

describe('impossible orders', () => {
  test('amounts below the minimum are rejected before any request', async () => {
    const stripe = await connectedStripe(sql);
    await stripe.control.forgetRequests({ account: stripe.account.id });
    const reply = await pay(stripe.apiKey, '/invoices', stripeInvoice('card', 'USD', { amount: 49 }));
    expect(faultsOf(reply, 422, 'validation_error')).toEqual(['amount']);
    const asked = await stripe.control.requests({ account: stripe.account.id, method: 'POST' });
    expect(asked.filter(({ path }) => path.includes('sessions'))).toEqual([]);
    expect(await sql`select from invoices where tenant_id = ${stripe.tenant.id}`).toHaveLength(0);
  });

  test('a method that is turned off names what to set up', async () => {
    const stripe = await connectedStripe(sql, {
      options: { capabilities: { us_bank_account_ach_payments: 'inactive' } },
    });
    const reply = await pay(stripe.apiKey, '/invoices', stripeInvoice('ach_debit'));
    faultsOf(reply, 501, 'provider_not_configured');
    expect(reply.body.detail).toContain('ACH debits');
  });

  test('without an account: 501, which names Stripe', async () => {
    const { apiKey } = await createPayTenant(sql);
    for (const [type, currency] of [
      ['card', 'USD'],
      ['sepa_debit', 'EUR'],
    ] as const) {
      const reply = await pay(apiKey, '/invoices', stripeInvoice(type, currency));
      expect([reply.status, reply.body.code]).toEqual([501, expect.any(String)]);
      expect(reply.body.detail).toMatch(/Stripe/i);
    }
  });
});
