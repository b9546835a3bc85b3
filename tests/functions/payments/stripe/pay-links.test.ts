// The link with which a payer pays a Stripe invoice, however often Stripe's pages expire.
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import { untilMinuteHas } from '../../../support/limits/windows.ts';
import {
  type ConnectedStripe,
  connectedStripe,
  due,
  entriesOf,
  expectReconciled,
  stripeSums,
} from '../../../support/payments/connected-wise-stripe.ts';
import { bodyOf, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay } from '../../../support/payments/payments.ts';
import { stripeInvoice } from '../../../support/payments/stripe-invoices.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });

const DAYS = 86_400;

async function linked(
  stripe: ConnectedStripe,
  type = 'card',
  more: object = { return_url: 'https://shop.example/thanks' },
  currency = 'USD',
) {
  const body = stripeInvoice(type, currency, {
    payment_method: { type, expires_in_seconds: 30 * DAYS, ...more },
  });
  const made = bodyOf(await pay(stripe.apiKey, '/invoices', body), 201);
  return {
    id: made.id as string,
    path: `/invoices/${made.id}`,
    link: made.payment_method[type].checkout_url as string,
    made,
  };
}

const open = (link: string, method = 'GET') => fetch(link, { method, redirect: 'manual' });
const sessionsOf = async ({ control, account }: ConnectedStripe) =>
  (await control.account(account.id, 'sessions')).sessions;

/** Lets its page expire at Stripe. */
async function expirePages(stripe: ConnectedStripe) {
  for (const { id, status } of await sessionsOf(stripe))
    if (status === 'open')
      await fetch(`${inject('env').STRIPE_URL}/v1/checkout/sessions/${id}/expire`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stripe.account.apiKey}` },
      });
}

test('redirects to the page that was created with the invoice, then to a new one for the remaining time', async () => {
  const stripe = await connectedStripe(sql);
  const { id, link, path, made } = await linked(stripe);
  expect(link).toMatch(new RegExp(`^${inject('env').FUNCTIONS_URL}/payments/pay/[0-9A-Za-z]{32}$`));
  expect(Date.parse(made.payment_method.card.expires_at) - Date.parse(made.created)).toBe(30 * DAYS * 1000);
  const first = await open(link);
  const [page] = await sessionsOf(stripe);
  expect([first.status, first.headers.get('location')]).toEqual([303, page?.url]);
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(first.headers.get('referrer-policy')).toBe('no-referrer');
  await expirePages(stripe);
  const head = await open(link, 'HEAD');
  expect([head.status, (await sessionsOf(stripe)).length]).toEqual([200, 1]);
  // Of several concurrent visitors, one creates the page, and all get it.
  const openers = await Promise.all(Array.from({ length: 8 }, () => open(link)));
  expect(new Set(openers.map(({ status }) => status))).toEqual(new Set([303]));
  const [, second, third] = await sessionsOf(stripe);
  expect([second?.status, third]).toEqual(['open', undefined]);
  expect(new Set(openers.map(({ headers }) => headers.get('location')))).toEqual(new Set([second?.url]));
  const endsIn = (second?.expires_at ?? 0) - Date.now() / 1000;
  expect(Math.abs(endsIn - 23.5 * 3600)).toBeLessThan(60);
  expect((await get(stripe.apiKey, path)).status).toBe('open');
  // A payment on the second page counts like one on the first, and the statement assigns it to the invoice.
  await stripe.control.pay(stripe.account.id, second?.id ?? '');
  const paid = await untilStatus(stripe.apiKey, path, 'paid');
  expect(paid.paid_amount).toBe(10_000);
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
  expect(await entriesOf(sql, id)).toHaveLength(1);
  const after = await open(link);
  expect([after.status, after.headers.get('location')]).toEqual([303, 'https://shop.example/thanks']);
});

test('a return_url with other characters than ASCII is encoded once', async () => {
  const stripe = await connectedStripe(sql);
  const { link, path } = await linked(stripe, 'card', {
    return_url: 'https://shop.example/ol\u00e1?a=%20\u20ac',
  });
  const [session] = await sessionsOf(stripe);
  await stripe.control.pay(stripe.account.id, session?.id ?? '');
  await untilStatus(stripe.apiKey, path, 'paid');
  const { status, headers } = await open(link);
  expect([status, headers.get('location')]).toEqual([303, 'https://shop.example/ol%C3%A1?a=%20%E2%82%AC']);
});

test('paid without return_url, in transit, canceled, ended, unknown', async () => {
  const stripe = await connectedStripe(sql, { options: { processingMs: 3_600_000 } });
  const paid = await linked(stripe, 'card', {});
  const [session] = await sessionsOf(stripe);
  await stripe.control.pay(stripe.account.id, session?.id ?? '');
  await untilStatus(stripe.apiKey, paid.path, 'paid');
  const thanks = await open(paid.link);
  expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('paid')]);

  const debit = await linked(stripe, 'ach_debit');
  await stripe.control.pay(
    stripe.account.id,
    (await sessionsOf(stripe)).find(({ status }) => status === 'open')?.id ?? '',
  );
  const waiting = await open(debit.link);
  expect([waiting.status, await waiting.text()]).toEqual([200, expect.stringContaining('processed')]);

  const canceled = await linked(stripe);
  await expirePages(stripe);
  expect((await open(canceled.link)).status).toBe(303);
  expect((await pay(stripe.apiKey, `${canceled.path}/cancel`, {})).body.status).toBe('canceled');
  expect((await open(canceled.link)).status).toBe(410);
  expect((await sessionsOf(stripe)).filter(({ status }) => status === 'open')).toEqual([]);

  const over = await linked(stripe);
  await sql`update invoices set expires_at = now() - interval '1 second' where id = ${over.id}`;
  expect((await open(over.link)).status).toBe(410);
  await due(sql, 'expire-invoice', over.id);
  await untilStatus(stripe.apiKey, over.path, 'failed');
  const gone = await open(over.link);
  expect([gone.status, gone.headers.get('cache-control')]).toEqual([410, 'no-store']);
  const unknown = await open(`${over.link.slice(0, -4)}zzzz`);
  expect([unknown.status, unknown.headers.get('referrer-policy')]).toEqual([404, 'no-referrer']);
});

test('a page that was created while the invoice was canceled is closed', async () => {
  const stripe = await connectedStripe(sql);
  const { link, path, id } = await linked(stripe);
  await expirePages(stripe);
  expect((await open(link)).status).toBe(303);
  const [later] = (await sql`select checkout_sessions from invoices where id = ${id}`).map(
    (row) => row.checkout_sessions,
  );
  // Canceled by a request that did not know the page yet.
  await sql`update invoices set checkout_sessions = ${sql.json([{ n: 2, made_at: later[0].made_at }])} where id = ${id}`;
  // The job waits until the page is stored, as if a slow request had just stored it.
  await sql`
    insert into jobs (tenant_id, name, key, payload, due_at)
    select tenant_id, 'close-checkout', id, jsonb_build_object('invoice_id', id), '2999-01-01' from invoices where id = ${id}`;
  expect((await pay(stripe.apiKey, `${path}/cancel`, {})).body.status).toBe('canceled');
  await sql`update invoices set checkout_sessions = ${sql.json(later)} where id = ${id}`;
  await due(sql, 'close-checkout', id);
  await waitFor(async () => (await sessionsOf(stripe)).every(({ status }) => status === 'expired'));
});

test('while Stripe is silent nothing is created, and the caller gets Retry-After', async () => {
  const stripe = await connectedStripe(sql);
  const { link } = await linked(stripe);
  await expirePages(stripe);
  await stripe.control.fault({
    kind: 'error_before',
    method: 'POST',
    path: '/v1/checkout/sessions',
    account: stripe.account.id,
  });
  const silent = await open(link);
  expect([silent.status, silent.headers.get('retry-after'), silent.headers.get('cache-control')]).toEqual([
    503,
    '5',
    'no-store',
  ]);
  expect(await sessionsOf(stripe)).toHaveLength(1);
  // The next request asks for the same page, after the first has given up.
  await sql`
    update invoices set checkout_sessions = jsonb_set(checkout_sessions, '{-1,claimed_until}', '"2020-01-01T00:00:00Z"')
    where public_token = ${link.split('/').at(-1) ?? ''}`;
  expect((await open(link)).status).toBe(303);
  expect(await sessionsOf(stripe)).toHaveLength(2);
});

test('a new page for a bank transfer keeps the customer, whose money belongs to the invoice', async () => {
  const stripe = await connectedStripe(sql);
  const { link, path } = await linked(stripe, 'bank_transfer', {}, 'EUR');
  await expirePages(stripe);
  expect((await open(link)).status).toBe(303);
  const [first, second] = await sessionsOf(stripe);
  expect([second?.status, second?.customer]).toEqual(['open', first?.customer]);
  await stripe.control.pay(stripe.account.id, second?.id ?? '');
  const { intents } = await stripe.control.account(stripe.account.id, 'intents');
  const intent = intents.find(({ status }) => status === 'requires_action');
  await stripe.control.transfer(stripe.account.id, intent?.id ?? '');
  await untilStatus(stripe.apiKey, path, 'paid');
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test.each(['GET', 'HEAD'])('a link opens thirty times a minute: %s', async (method) => {
  const stripe = await connectedStripe(sql);
  const { link, path } = await linked(stripe);
  await pay(stripe.apiKey, `${path}/cancel`, {});
  await untilMinuteHas(20);
  const replies = await Promise.all(Array.from({ length: 31 }, () => open(link, method)));
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 30 }, () => 410), 429]);
  const limited = await open(link, method);
  expect([limited.status, limited.headers.get('cache-control')]).toEqual([429, 'no-store']);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  // The other method has a limit of its own, and so has every other link.
  expect((await open(link, method === 'GET' ? 'HEAD' : 'GET')).status).toBe(410);
  expect((await open((await linked(stripe)).link, method)).status).not.toBe(429);
});
