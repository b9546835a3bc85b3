// How invoices at Stripe end without a payment, and payments that arrive afterwards.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import {
  connectedStripe,
  due,
  expectReconciled,
  stripeSums,
  untilEvents,
  waitForNotifications,
} from '../../../support/payments/connected-wise-stripe.ts';
import { bodyOf, faultsOf, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay } from '../../../support/payments/payments.ts';
import {
  createStripeInvoice,
  intentIdOf,
  paymentAt,
  submit,
} from '../../../support/payments/stripe-invoices.ts';

const sql = connectDatabase(undefined, { announces: true });

async function expire(id: string) {
  await sql`update invoices set expires_at = now() - interval '1 second' where id = ${id}`;
  await due(sql, 'expire-invoice', id);
}

const cancel = (apiKey: string, id: string) => pay(apiKey, `/invoices/${id}/cancel`, {});

test('our expiry closes the page', async () => {
  const stripe = await connectedStripe(sql);
  const made = await createStripeInvoice(sql, stripe, 'card');
  await expire(made.id);
  const failed = await untilStatus(stripe.apiKey, made.path, 'failed');
  expect(failed.failure_reason).toBe('The invoice expired before it was paid.');
  expect((await paymentAt(stripe, made.session)).there?.status).toBe('expired');
  await expect(submit(stripe, made)).rejects.toThrow();
  await untilEvents(sql, stripe.tenant, 'invoice.failed');
});

test('a page that closes at Stripe leaves the invoice open until it expires', async () => {
  const stripe = await connectedStripe(sql);
  const made = await createStripeInvoice(sql, stripe, 'card');
  // Another program with the same key.
  await fetch(`${inject('env').STRIPE_URL}/v1/checkout/sessions/${made.session}/expire`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stripe.account.apiKey}` },
  });
  await waitForNotifications(sql, stripe);
  expect((await get(stripe.apiKey, made.path)).status).toBe('open');
  await expire(made.id);
  await untilStatus(stripe.apiKey, made.path, 'failed');
});

describe('a completed page that waits for a bank transfer', () => {
  const waiting = async (options: object = {}) => {
    const stripe = await connectedStripe(sql, { options });
    const made = await createStripeInvoice(sql, stripe, 'bank_transfer', 'EUR');
    await submit(stripe, made);
    return { stripe, made, intent: await intentIdOf(stripe, made) };
  };

  test('fails when it expires, and a later payment makes it paid', async () => {
    const { stripe, made, intent } = await waiting();
    await expire(made.id);
    await untilStatus(stripe.apiKey, made.path, 'failed');
    await stripe.control.transfer(stripe.account.id, intent);
    await untilStatus(stripe.apiKey, made.path, 'paid');
    await untilEvents(sql, stripe.tenant, 'invoice.paid');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });

  test('is canceled if Stripe allows it', async () => {
    const { stripe, made } = await waiting({ cancelCompletedIntents: true });
    expect(bodyOf(await cancel(stripe.apiKey, made.id), 200).status).toBe('canceled');
    expect((await paymentAt(stripe, made.session)).intent?.status).toBe('canceled');
  });

  test('stays open if Stripe does not', async () => {
    const { stripe, made } = await waiting();
    const reply = await cancel(stripe.apiKey, made.id);
    expect([reply.status, reply.body.code, reply.body.retryable]).toEqual([502, 'provider_error', false]);
    expect((await get(stripe.apiKey, made.path)).status).toBe('open');
  });

  test('money that arrived before the end stays with the payer, and in the ledger', async () => {
    const { stripe, made, intent } = await waiting({ cancelCompletedIntents: true });
    await stripe.control.transfer(stripe.account.id, intent, 4_000);
    await expire(made.id);
    await untilStatus(stripe.apiKey, made.path, 'failed');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });
});

describe('canceling', () => {
  test('an open invoice closes its page', async () => {
    const stripe = await connectedStripe(sql);
    const made = await createStripeInvoice(sql, stripe, 'card');
    expect(bodyOf(await cancel(stripe.apiKey, made.id), 200).status).toBe('canceled');
    expect((await paymentAt(stripe, made.session)).there?.status).toBe('expired');
    await untilEvents(sql, stripe.tenant, 'invoice.canceled');
  });

  test('is rejected once it is paid, even without a notification', async () => {
    const stripe = await connectedStripe(sql);
    const made = await createStripeInvoice(sql, stripe, 'card');
    await stripe.control.webhookFault({ kind: 'lost', times: 50, account: stripe.account.id });
    await submit(stripe, made);
    expect((await get(stripe.apiKey, made.path)).status).toBe('open');
    faultsOf(await cancel(stripe.apiKey, made.id), 409, 'invoice_not_cancelable');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
    expect((await get(stripe.apiKey, made.path)).status).toBe('paid');
    faultsOf(await cancel(stripe.apiKey, made.id), 409, 'invoice_not_cancelable');
  });

  test('is rejected while a debit is in progress, for which our expiry waits', async () => {
    const stripe = await connectedStripe(sql, { options: { processingMs: 3_600_000 } });
    const made = await createStripeInvoice(sql, stripe, 'ach_debit');
    await submit(stripe, made);
    faultsOf(await cancel(stripe.apiKey, made.id), 409, 'invoice_not_cancelable');
    const attempts = async () =>
      (await sql`select attempts from jobs where name = 'expire-invoice' and key = ${made.id}`)[0]?.attempts;
    const before = await attempts();
    await expire(made.id);
    await expect.poll(attempts).toBeGreaterThan(before);
    expect((await get(stripe.apiKey, made.path)).status).toBe('open');
    await stripe.control.concludeDebit(stripe.account.id, await intentIdOf(stripe, made), {
      outcome: 'succeed',
    });
    await untilStatus(stripe.apiKey, made.path, 'paid');
  });
});
