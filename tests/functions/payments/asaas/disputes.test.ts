// PIX infractions (MED) at Asaas: the statement has the amounts, and the webhook has the payment. They result in one dispute, in any order.
import { describe, expect, test } from 'vitest';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  waitForNotifications,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import { createInvoice, faultsOf, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { refund, refundsOf, returnEvents } from '../../../support/payments/refunds.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();

async function received(options: object = {}) {
  const tenant = await connectAsaasTenant(sql, { balance: 0, options });
  const { id } = await createInvoice(tenant.apiKey);
  await tenant.payment(id, 'pay');
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  const payment = await tenant.referenceOf('invoices', id);
  const move = (step: 'block' | 'unblock', more: object = {}) =>
    tenant.control.balance(tenant.asaasId, { step, value: 100, type: 'PIX_INFRACTION', payment, ...more });
  return { tenant, id, payment, move };
}

const charge = [null, 9801];
const netsOf = async (tenant: AsaasTenant, id?: string) =>
  (await entriesOf(sql, tenant, id)).map(({ reason, net }) => [reason, net]);

const disputeOf = async ({ apiKey }: AsaasTenant, id: string) =>
  (await get(apiKey, `/invoices/${id}`)).dispute;

const untilDispute = (tenant: AsaasTenant, id: string, status: string) =>
  waitFor(async () => (await disputeOf(tenant, id))?.status === status);

/** Runs the check of the payment that follows ten seconds after its balance was released. */
async function tenSecondsLater({ id }: AsaasTenant): Promise<void> {
  await waitFor(async () => {
    const jobs =
      await sql`select from jobs where tenant_id = ${id} and name = 'close-dispute' and locked_until is null`;
    return jobs.length > 0;
  });
  await sql`update disputes set released_at = released_at - interval '10 seconds' where tenant_id = ${id}`;
  await sql`update jobs set due_at = now(), published_at = null where tenant_id = ${id} and name = 'close-dispute'`;
}

async function expectReconciled(tenant: AsaasTenant): Promise<void> {
  await waitForNotifications(sql, tenant);
  await reconcile(sql, tenant);
  expect([...(await openDifferences(sql, tenant))]).toEqual([]);
  const nets = await netsOf(tenant);
  const { statement } = await tenant.control.account(tenant.asaasId);
  expect(nets.reduce((sum, [, net]) => sum + net, 0)).toBe(statement.at(-1)?.balance ?? 0);
}

/** The webhook waits for its statement line, and is retried now. */
const tryEventNow = (tenant: AsaasTenant) => sql`
  update jobs set due_at = now(), published_at = null
  where tenant_id = ${tenant.id} and name = 'apply-provider-event' and finished_at is null and locked_until is null and due_at > now()`;

describe.each(['balance', 'balanceData'] as const)('reported under the name %s', (balanceMember) => {
  test('with its line, twice: blocked once, and lost', async () => {
    const { tenant, id, payment, move } = await received({ balanceMember });
    await move('block');
    await move('block', { stated: false });
    await untilDispute(tenant, id, 'open');
    faultsOf(await refund(tenant, id, { amount: 1 }), 409, 'invoice_not_refundable');
    expect(await netsOf(tenant, id)).toEqual([charge, ['balance_blocked', -10000]]);
    await move('unblock');
    await waitFor(async () => (await netsOf(tenant, id)).length === 3);
    await tenant.control.payment(tenant.asaasId, payment, 'infraction-lost');
    await untilDispute(tenant, id, 'lost');
    await tryEventNow(tenant);
    await sql`delete from jobs where tenant_id = ${tenant.id} and name = 'apply-provider-event' and finished_at is null`;
    await sql`update provider_account_events set applied_at = now() where tenant_id = ${tenant.id} and applied_at is null`;
    await expectReconciled(tenant);
    const lost = [charge, ['balance_blocked', -10000], ['balance_released', 10000], ['chargeback', -10000]];
    // A statement that was read in the meantime may have contained the unblocking first.
    expect(await netsOf(tenant, id)).toEqual(lost);
    expect(await returnEvents(sql, tenant)).toEqual(['invoice.disputed', 'invoice.dispute_closed']);
    expect(await disputeOf(tenant, id)).toMatchObject({
      kind: 'pix_infraction',
      amount: 10000,
      closed_at: expect.any(String),
    });
    expect(await refundsOf(tenant, id)).toEqual([]);
  });

  test('before its line: nothing is recorded until the line is there', async () => {
    const { tenant, id, move } = await received({ balanceMember });
    await move('block', { stated: false });
    const waiting = () =>
      sql`select from provider_balance_events where tenant_id = ${tenant.id} and line_id is null`;
    await waitFor(async () => (await waiting()).length === 1);
    expect(await netsOf(tenant, id)).toEqual([charge]);
    await move('block', { notified: false });
    await reconcile(sql, tenant);
    expect(await netsOf(tenant)).toEqual([charge, ['balance_blocked', -10000]]);
    expect(await disputeOf(tenant, id)).toMatchObject({ status: 'open', amount: 10000 });
  });
});

test('after its line, which was recorded for the account: moved by two entries', async () => {
  const { tenant, id, move } = await received();
  await move('block', { notified: false });
  await reconcile(sql, tenant);
  expect(await netsOf(tenant)).toEqual([charge, ['balance_blocked', -10000]]);
  expect(await netsOf(tenant, id)).toEqual([charge]);
  await move('block', { stated: false });
  await untilDispute(tenant, id, 'open');
  expect(await netsOf(tenant)).toEqual([
    charge,
    ['balance_blocked', -10000],
    ['balance_released', 10000],
    ['balance_blocked', -10000],
  ]);
  expect(await netsOf(tenant, id)).toEqual([charge, ['balance_blocked', -10000]]);
  await expectReconciled(tenant);
});

test.each([
  ['with its line', {}],
  ['before its line', { stated: false }],
])(
  'before we know that the charge is paid, %s: kept until a comparison finds the payment',
  async (_, how) => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const { id } = await createInvoice(tenant.apiKey);
    await tenant.webhookFault({ kind: 'lost', times: 10, event: 'PAYMENT_*' });
    await tenant.payment(id, 'pay');
    const payment = await tenant.referenceOf('invoices', id);
    const blocked = { step: 'block', value: 100, type: 'PIX_INFRACTION', payment } as const;
    await tenant.control.balance(tenant.asaasId, { ...blocked, ...how });
    await waitFor(async () => {
      const kept = await sql`select from provider_balance_events where tenant_id = ${tenant.id}`;
      return kept.length === 1;
    });
    if ('stated' in how) await tenant.control.balance(tenant.asaasId, { ...blocked, notified: false });
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('open');
    await reconcile(sql, tenant);
    await reconcile(sql, tenant);
    expect(await disputeOf(tenant, id)).toMatchObject({ status: 'open', amount: 10000 });
    expect(await netsOf(tenant, id)).toEqual([charge, ['balance_blocked', -10000]]);
    expect(await returnEvents(sql, tenant)).toEqual(['invoice.disputed']);
  },
);

test('won in two parts, the second before the first: a later refund in the panel is a refund', async () => {
  const { tenant, id, move } = await received();
  await move('block', { lineNames: true });
  await untilDispute(tenant, id, 'open');
  await move('unblock', { value: 40 });
  await waitFor(async () => (await netsOf(tenant, id)).length === 3);
  expect((await disputeOf(tenant, id)).status).toBe('open');
  await move('unblock', { value: 60 });
  await waitFor(async () => (await netsOf(tenant, id)).length === 4);
  expect((await disputeOf(tenant, id)).status).toBe('open');
  await tenSecondsLater(tenant);
  await untilDispute(tenant, id, 'won');
  await expectReconciled(tenant);
  await tenant.payment(id, 'refund', { value: 30 });
  await waitFor(async () => (await refundsOf(tenant, id)).length === 1);
  expect((await refundsOf(tenant, id))[0]).toMatchObject({ origin: 'provider', amount: 3000 });
  expect(await returnEvents(sql, tenant)).toEqual([
    'invoice.disputed',
    'invoice.dispute_closed',
    'invoice.refund.created',
    'invoice.refund.succeeded',
    'invoice.refunded',
  ]);
});

test.each([
  ['without a line of its own, and not listed', { stated: false, listed: false }],
  ['without a line of its own, but listed', { stated: false, listed: true }],
])('lost %s: the blocked amount becomes the loss', async (_, how) => {
  const { tenant, id, payment, move } = await received();
  await move('block');
  await untilDispute(tenant, id, 'open');
  await tenant.control.payment(tenant.asaasId, payment, 'infraction-lost', how);
  await untilDispute(tenant, id, 'lost');
  await expectReconciled(tenant);
  expect(await netsOf(tenant)).toEqual([
    charge,
    ['balance_blocked', -10000],
    ['balance_released', 10000],
    ['chargeback', -10000],
  ]);
  faultsOf(await refund(tenant, id), 409, 'invoice_not_refundable');
});

test('the refund is seen before the unblocking: nothing is released twice', async () => {
  const { tenant, id, payment, move } = await received();
  await move('block');
  await untilDispute(tenant, id, 'open');
  await move('unblock', { notified: false });
  await tenant.control.payment(tenant.asaasId, payment, 'infraction-lost');
  await untilDispute(tenant, id, 'lost');
  await move('unblock', { stated: false });
  await waitForNotifications(sql, tenant);
  await expectReconciled(tenant);
  const [unclaimed] =
    await sql`select count(*)::integer as count from provider_balance_events where tenant_id = ${tenant.id} and line_id is null`;
  expect(unclaimed?.count).toBe(0);
});

test('an unblocking before its blocking, a contractual effect, and one without a charge of ours', async () => {
  const { tenant, id, move } = await received();
  await move('unblock', { stated: false });
  await move('block', { type: 'CONTRACTUAL_EFFECT', value: 20 });
  await move('block', { payment: 'pay_1_somebodyelses', value: 7 });
  await waitFor(async () => (await netsOf(tenant, id)).length === 2);
  await reconcile(sql, tenant);
  expect(await netsOf(tenant, id)).toEqual([charge, ['balance_blocked', -2000]]);
  expect(await disputeOf(tenant, id)).toBeNull();
  await move('block');
  await move('unblock', { notified: false });
  await untilDispute(tenant, id, 'open');
  await reconcile(sql, tenant);
  await waitFor(async () => (await netsOf(tenant, id)).length === 4);
  expect(await returnEvents(sql, tenant)).toEqual(['invoice.disputed']);
});
