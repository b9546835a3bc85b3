// Stripe with lost responses, overloaded or failing, and with webhooks that arrive twice, late, in any order, forged or never.
import { randomUUID } from 'node:crypto';
import StripeLibrary from 'stripe';
import { describe, expect, inject, test } from 'vitest';
import type { FaultOrder } from '../../../../local/fakes/faults.ts';
import { connectDatabase, noteUse } from '../../../support/database.ts';
import { startOwnFunction } from '../../../support/functions.ts';
import {
  connectedStripe,
  due,
  entriesOf,
  expectReconciled,
  reconcile,
  stripeSums,
  untilAccount,
  untilEvents,
  waitForNotifications,
} from '../../../support/payments/connected-wise-stripe.ts';
import { bodyOf, createPayTenant, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay } from '../../../support/payments/payments.ts';
import {
  chargeIdOf,
  createStripeInvoice,
  stripeInvoice,
  submit,
} from '../../../support/payments/stripe-invoices.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { wireToDatabase } from '../../../support/wire/network-waits.ts';

const sql = connectDatabase(undefined, { announces: true });
const SESSIONS = '/v1/checkout/sessions';

type Stripe = Awaited<ReturnType<typeof connectedStripe>>;
const sessionsOf = async ({ control, account }: Stripe) => (await control.account(account.id)).sessions;
const fault = ({ control, account }: Stripe, order: FaultOrder) =>
  control.fault({ account: account.id, method: 'POST', path: SESSIONS, ...order });

/** Lookups of orders that are not found are repeated at increasing intervals. This makes them due. */
const untilEventsLookedAt = ({ id }: Stripe) =>
  waitFor(async () => {
    const left = await sql`
      select from provider_account_events where account_id = ${id} and applied_at is null and about is not null`;
    if (left.length === 0) return true;
    await sql`
      update jobs set due_at = now(), published_at = null
      where name = 'apply-provider-event' and key like ${`${id}:%`} and finished_at is null and locked_until is null and due_at > now()`;
    await sweepNow();
    return false;
  });

/** Simulates that the holders of the tenant's keys have been inactive for a long time. */
const letGo = ({ tenant }: Stripe) =>
  sql`update idempotency_keys set locked_until = now() - interval '1 second' where tenant_id = ${tenant.id} and response_status is null`;
const age = ({ tenant }: Stripe) =>
  sql`update invoices set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;

describe('an order whose response is lost', () => {
  test.each(['cut_after', 'error_after'] as const)('%s: looked up, and one session', async (kind) => {
    const stripe = await connectedStripe(sql);
    await fault(stripe, { kind });
    const key = randomUUID();
    const send = () => pay(stripe.apiKey, '/invoices', stripeInvoice('card'), { key });
    const first = await send();
    expect([first.status, first.body.code, first.body.retryable]).toEqual([502, 'provider_error', true]);
    const again = await waitFor(async () => {
      const reply = await send();
      return reply.status === 201 && reply;
    });
    await submit(stripe, { id: again.body.id, path: '', session: (await sessionsOf(stripe))[0]?.id ?? '' });
    await untilStatus(stripe.apiKey, `/invoices/${again.body.id}`, 'paid');
    expect(await sessionsOf(stripe)).toHaveLength(1);
  });

  test('and without a retry: a job completes it', async () => {
    const stripe = await connectedStripe(sql);
    await fault(stripe, { kind: 'cut_after' });
    await pay(stripe.apiKey, '/invoices', stripeInvoice('card'));
    const [row] = await sql`select id from invoices where tenant_id = ${stripe.tenant.id}`;
    // It finds the lookup that the request scheduled.
    await sweepNow();
    await untilStatusOf(stripe, row?.id, 'open');
    expect(await sessionsOf(stripe)).toHaveLength(1);
  });

  const untilStatusOf = (_: Stripe, id: string, status: string) =>
    waitFor(async () => (await sql`select from invoices where id = ${id} and status = ${status}`).length > 0);
});

describe('killed', () => {
  test.each([1, 2, 3, 4])('before its exchange %i with the database', async (exchange) => {
    const stripe = await connectedStripe(sql);
    const { wire, env } = await wireToDatabase();
    const { baseUrl, edge } = await startOwnFunction('payments', env);
    await createStripeInvoice(sql, await connectedStripe(sql), 'card');
    const warm = await connectedStripe(sql);
    expect((await pay(warm.apiKey, '/invoices', stripeInvoice('card'), { baseUrl })).status).toBe(201);
    await noteUse(sql, stripe.tenant);
    const key = randomUUID();
    wire.watch({ ask: (nth) => nth < exchange });
    const sending = pay(stripe.apiKey, '/invoices', stripeInvoice('card'), { key, baseUrl }).catch(
      () => undefined,
    );
    const ended = Promise.race([
      sending.then(() => 'answered'),
      waitFor(() => wire.asked() >= exchange && 'stopped'),
    ]);
    const how = await ended;
    edge.crash();
    await sending;
    await letGo(stripe);
    const reply = await pay(stripe.apiKey, '/invoices', stripeInvoice('card'), { key });
    expect([how, reply.status]).toEqual([exchange < 4 ? 'stopped' : 'answered', 201]);
    expect(await sessionsOf(stripe)).toHaveLength(1);
    expect(await sql`select from invoices where tenant_id = ${stripe.tenant.id}`).toHaveLength(1);
  });

  test('while Stripe processes it, without a retry', async () => {
    const stripe = await connectedStripe(sql);
    const { baseUrl, edge } = await startOwnFunction('payments');
    await fault(stripe, { kind: 'hold_after' });
    const sending = pay(stripe.apiKey, '/invoices', stripeInvoice('card'), { baseUrl }).catch(
      () => undefined,
    );
    await waitFor(async () => (await sessionsOf(stripe)).length === 1);
    edge.crash();
    await sending;
    await letGo(stripe);
    await age(stripe);
    await sweepNow();
    await waitFor(
      async () =>
        (await sql`select from invoices where tenant_id = ${stripe.tenant.id} and status = 'open'`).length >
        0,
    );
    expect(await sessionsOf(stripe)).toHaveLength(1);
  });
});

test('bursts of 429 and 5xx: rejected temporarily, then accepted with the same key', async () => {
  const stripe = await connectedStripe(sql);
  const key = randomUUID();
  const send = () => pay(stripe.apiKey, '/invoices', stripeInvoice('card'), { key });
  await fault(stripe, { kind: 'rate_limited' });
  const busy = await send();
  expect([busy.status, busy.body.retryable]).toEqual([502, true]);
  await fault(stripe, { kind: 'error_before', status: 503 });
  const broken = await send();
  expect([broken.status, broken.body.retryable]).toEqual([502, true]);
  const { id } = bodyOf(await send(), 201);
  const [session] = await sessionsOf(stripe);
  // A lookup is also rate limited, and is repeated.
  await fault(stripe, { kind: 'rate_limited', method: 'GET', path: '/v1/checkout/*', times: 2 });
  await stripe.control.pay(stripe.account.id, session?.id ?? '');
  await waitFor(async () => {
    await sql`update jobs set due_at = now() where name = 'apply-provider-event' and tenant_id = ${stripe.tenant.id} and finished_at is null`;
    await sweepNow();
    return (await get(stripe.apiKey, `/invoices/${id}`)).status === 'paid';
  });
  expect(await sessionsOf(stripe)).toHaveLength(1);
});

describe('events', () => {
  test('all lost: the comparison finds payments, refunds and disputes', async () => {
    const stripe = await connectedStripe(sql);
    await stripe.control.webhookFault({ kind: 'lost', times: 10_000, account: stripe.account.id });
    const [paid, refunded, disputed] = await Promise.all(
      [1, 2, 3].map(async () => {
        const made = await createStripeInvoice(sql, stripe, 'card');
        await submit(stripe, made);
        return { ...made, charge: await chargeIdOf(stripe, made) };
      }),
    );
    if (!paid || !refunded || !disputed) throw new Error('three were made');
    await stripe.control.refund(stripe.account.id, refunded.charge, { amount: 1_000 });
    await stripe.control.dispute(stripe.account.id, disputed.charge);
    expect((await get(stripe.apiKey, paid.path)).status).toBe('open');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
    for (const { path } of [paid, refunded, disputed])
      expect((await get(stripe.apiKey, path)).status).toBe('paid');
    await untilEvents(sql, stripe.tenant, 'invoice.refunded');
    await untilEvents(sql, stripe.tenant, 'invoice.disputed');
    // Later than that, too.
    await stripe.control.refund(stripe.account.id, paid.charge);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
    await untilEvents(sql, stripe.tenant, 'invoice.refunded', 2);
  });

  test.each(['duplicated', 'reordered'] as const)('%s: everything once', async (kind) => {
    const stripe = await connectedStripe(sql);
    const made = await createStripeInvoice(sql, stripe, 'card');
    await stripe.control.webhookFault({ kind, times: 100, account: stripe.account.id });
    await submit(stripe, made);
    const charge = await chargeIdOf(stripe, made);
    await stripe.control.refund(stripe.account.id, charge, { amount: 1_000 });
    const dispute = await stripe.control.dispute(stripe.account.id, charge, { amount: 2_000 });
    await stripe.control.closeDispute(stripe.account.id, dispute.id, 'won');
    await stripe.control.releaseEvents();
    await waitForNotifications(sql, stripe);
    await untilStatus(stripe.apiKey, made.path, 'paid');
    expect((await entriesOf(sql, made.id)).map(([what]) => what).toSorted()).toEqual([
      'charge',
      'chargeback',
      'chargeback_won',
      'refund',
    ]);
    await untilEvents(sql, stripe.tenant, 'invoice.paid');
    await untilEvents(sql, stripe.tenant, 'invoice.refunded');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });

  test.each(['wrong', 'old'] as const)('%s signature: 401 and counted', async (signatures) => {
    const stripe = await connectedStripe(sql);
    const made = await createStripeInvoice(sql, stripe, 'card');
    await stripe.control.options(stripe.account.id, { signatures });
    await submit(stripe, made);
    const refused = await waitFor(async () => {
      const deliveries = await stripe.control.deliveries({ account: stripe.account.id });
      const statuses = deliveries.flatMap(({ attempts }) => attempts);
      return statuses.length > 0 && statuses;
    });
    expect(new Set(refused)).toEqual(new Set([401]));
    const [row] = await sql`select rejected_events from admin.provider_accounts where id = ${stripe.id}`;
    expect(Number(row?.rejected_events)).toBeGreaterThan(0);
    expect(await sql`select from provider_account_events where account_id = ${stripe.id}`).toHaveLength(0);
    expect((await get(stripe.apiKey, made.path)).status).toBe('open');
  });

  test('an unknown account: 401', async () => {
    const url = `${inject('env').FUNCTIONS_URL}/callbacks/providers/stripe/pacc_0000000000e00800000000000`;
    const headers = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' };
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
  });

  test.each(['never written', 'gone from Vault'])(
    'a webhook whose secret was %s is created again, and is the only one',
    async (how) => {
      const stripe = await connectedStripe(sql);
      const endpoints = async () => (await stripe.control.account(stripe.account.id)).endpoints;
      const [before] = await endpoints();
      await sql`delete from vault.secrets where name = ${`provider_webhook_${stripe.id}`}`;
      if (how === 'never written')
        await sql`update private.provider_secrets set webhook_secret = null where account_id = ${stripe.id}`;
      await due(sql, 'check-provider', stripe.id);
      await waitFor(async () => {
        const [first, ...others] = await endpoints();
        return first && first.id !== before?.id && others.length === 0;
      });
      await waitFor(
        async () =>
          (await sql`select from vault.secrets where name = ${`provider_webhook_${stripe.id}`}`).length > 0,
      );
      const made = await createStripeInvoice(sql, stripe, 'card');
      await submit(stripe, made);
      await untilStatus(stripe.apiKey, made.path, 'paid');
    },
  );
});

test('a revoked key makes the account failing; a new one with the same id continues', async () => {
  const stripe = await connectedStripe(sql);
  const made = await createStripeInvoice(sql, stripe, 'card');
  await stripe.control.key(stripe.account.id, stripe.account.apiKey, { state: 'expired' });
  const refused = await pay(stripe.apiKey, '/invoices', stripeInvoice('card'));
  expect([refused.status, refused.body.code]).toEqual([502, 'provider_error']);
  expect((await untilAccount(sql, stripe.id, 'failing')).reason).toMatch(/key/);
  const waiting = await pay(stripe.apiKey, '/invoices', stripeInvoice('card'));
  expect([waiting.status, waiting.body.retryable, waiting.headers.get('retry-after')]).toEqual([
    502,
    true,
    '60',
  ]);
  await submit(stripe, made);
  const apiKey = `sk_test_${randomUUID().replaceAll('-', '')}`;
  await stripe.control.key(stripe.account.id, apiKey);
  const [again] = await sql`select admin.connect_stripe(${stripe.tenant.id}, ${apiKey}) as id`;
  expect(again?.id).toBe(stripe.id);
  await untilAccount(sql, stripe.id, 'active');
  await reconcile(sql, stripe.id);
  await untilStatus(stripe.apiKey, made.path, 'paid');
});

test('two tenants never affect each other', async () => {
  const [ours, theirs] = [await connectedStripe(sql), await connectedStripe(sql)];
  const made = await createStripeInvoice(sql, ours, 'card');
  const other = await createStripeInvoice(sql, theirs, 'card');
  expect((await pay(theirs.apiKey, made.path)).status).toBe(404);
  // A webhook that names the other account's charge, sent to its own URL.
  await theirs.control.event(theirs.account.id, {
    type: 'checkout.session.completed',
    id: other.session,
    change: { metadata: { placar_reference: made.id } },
  });
  await submit(theirs, other);
  await untilStatus(theirs.apiKey, other.path, 'paid');
  await waitForNotifications(sql, theirs);
  expect((await get(ours.apiKey, made.path)).status).toBe('open');

  // A webhook with a valid signature of one account is not valid at the URL of the other.
  const { secrets, events } = await theirs.control.account(theirs.account.id, 'secrets', 'events');
  const payload = JSON.stringify({
    ...events.at(-1),
    id: `evt_${randomUUID()}`,
    type: 'checkout.session.completed',
    data: {
      object: { id: made.session, object: 'checkout.session', metadata: { placar_reference: made.id } },
    },
  });
  const deliver = async (accountId: string) => {
    const secret = Object.values(secrets)[0] ?? '';
    const signature = await StripeLibrary.webhooks.generateTestHeaderStringAsync({ payload, secret });
    const response = await fetch(`${inject('env').FUNCTIONS_URL}/callbacks/providers/stripe/${accountId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: payload,
    });
    return response.status;
  };
  const keptOf = ({ id }: Stripe) =>
    sql`select event_id from provider_account_events where account_id = ${id}`;
  const before = await keptOf(ours);
  expect(await deliver(ours.id)).toBe(401);
  expect(await keptOf(ours)).toHaveLength(before.length);
  // At its own URL it is accepted, but the charge does not exist in this account. Nobody queries the other account.
  const told = await keptOf(theirs);
  const looks = async () =>
    (await ours.control.requests({ account: ours.account.id, path: '/v1/checkout/sessions*' })).length;
  const looked = await looks();
  expect(await deliver(theirs.id)).toBe(200);
  expect(await keptOf(theirs)).toHaveLength(told.length + 1);
  await untilEventsLookedAt(theirs);
  expect(await looks()).toBe(looked);
  expect((await get(ours.apiKey, made.path)).status).toBe('open');
  expect(await entriesOf(sql, made.id)).toEqual([]);
  const taken = await createPayTenant(sql);
  await expect(sql`select admin.connect_stripe(${taken.id}, ${ours.account.apiKey})`).rejects.toThrow(
    /another account/,
  );
  await expectReconciled(sql, ours, () => stripeSums(ours));
  await expectReconciled(sql, theirs, () => stripeSums(theirs));
});
