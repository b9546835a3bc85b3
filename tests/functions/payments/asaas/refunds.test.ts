// Refunds at Asaas: sent once in spite of failures, found by their description, and equal in the ledger and the statement.
import { describe, expect, inject, test } from 'vitest';
import { startOwnFunction } from '../../../support/functions.ts';
import {
  type AsaasTenant,
  type AsaasTenantOptions,
  connectAsaasTenant,
  entriesOf,
  sent,
  waitForNotifications,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import { createInvoice, faultsOf, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import type { pay } from '../../../support/payments/payments.ts';
import {
  followNow,
  refund,
  refunded,
  refundsOf,
  returnEvents,
  untilRefund,
} from '../../../support/payments/refunds.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { wireToDatabase } from '../../../support/wire/network-waits.ts';

const sql = connectAdmin();
const REFUND = '/payments/*/refund';

async function paidAtAsaas(options: AsaasTenantOptions = {}, more: object = {}, details: object = {}) {
  const tenant = await connectAsaasTenant(sql, { balance: 0, ...options });
  const { id } = await createInvoice(tenant.apiKey, { ...more });
  await tenant.payment(id, 'pay', details);
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  return { tenant, id };
}

/** Enough for a refund if the fee of the charge is not returned. */
const funded = { balance: 100 };

const sums = async (tenant: AsaasTenant) => {
  const [{ sum = 0 } = {}] = await sql`
    select coalesce(sum(net), 0)::integer as sum from balance_transactions where tenant_id = ${tenant.id}`;
  return sum;
};

/** Ledger and statement agree to the cent, and each refund at Asaas is one refund here, with one entry. */
async function expectReconciled(tenant: AsaasTenant, id: string): Promise<void> {
  await waitForNotifications(sql, tenant);
  await reconcile(sql, tenant);
  expect([...(await openDifferences(sql, tenant))]).toEqual([]);
  const { statement, payments } = await tenant.control.account(tenant.asaasId);
  expect(await sums(tenant)).toBe(statement.at(-1)?.balance ?? 0);
  const there = payments
    .flatMap(({ refunds }) => refunds)
    .filter(({ status }) => status === 'DONE')
    .map(({ value }) => value);
  const here = (await refundsOf(tenant, id)).filter(
    ({ status }: { status: string }) => status === 'succeeded',
  );
  expect(here.map(({ amount }: { amount: number }) => amount).sort()).toEqual(there.sort());
  const entries = await sql`
    select amount::integer, refund_id from balance_transactions where tenant_id = ${tenant.id} and reason = 'refund'`;
  expect(entries.map(({ amount }) => -amount).sort()).toEqual(there.sort());
  expect(new Set(entries.map(({ refund_id: of }) => of)).size).toBe(there.length);
}

test('a partial PIX refund, then one made in the panel and reported twice: both count once', async () => {
  const { tenant, id } = await paidAtAsaas(funded);
  const made = await refunded(tenant, id, { amount: 4000, reason: 'Pedido cancelado' });
  expect(made).toMatchObject({ status: 'succeeded', origin: 'api', settled_at: expect.any(String) });
  const [payment] = await tenant.there('payments', id);
  expect(payment.refunds).toMatchObject([{ value: 4000, description: `${made.id} Pedido cancelado` }]);
  await tenant.webhookFault({ kind: 'duplicated', times: 10 });
  await tenant.payment(id, 'refund', { value: 25 });
  await waitFor(async () => (await refundsOf(tenant, id)).length === 2);
  expect((await refundsOf(tenant, id))[0]).toMatchObject({
    origin: 'provider',
    amount: 2500,
    status: 'succeeded',
  });
  expect((await refund(tenant, id, { amount: 3501 })).status).toBe(422);
  expect((await refunded(tenant, id)).amount).toBe(3500);
  expect((await refund(tenant, id)).body.code).toBe('invoice_not_refundable');
  await expectReconciled(tenant, id);
  const events = await returnEvents(sql, tenant);
  for (const type of ['invoice.refund.created', 'invoice.refund.succeeded', 'invoice.refunded'])
    expect(events.filter((one) => one === type)).toHaveLength(3);
  expect(await sums(tenant)).toBe(10000 - 199);
});

test('pending until Asaas finishes, or denied: then its amount can be refunded again', async () => {
  const { tenant, id } = await paidAtAsaas({ balance: 100, options: { refundMs: 3_600_000 } });
  const denied = await refunded(tenant, id, { amount: 6000 });
  expect(denied).toMatchObject({ status: 'pending', pending_reason: 'processing' });
  expect(await entriesOf(sql, tenant, id)).toHaveLength(1);
  await tenant.payment(id, 'refund/denied');
  expect((await untilRefund(tenant, denied, 'failed')).failure_reason).toBe(
    'The provider canceled the refund.',
  );
  const done = await refunded(tenant, id, { amount: 7000 });
  await tenant.payment(id, 'refund/done');
  await untilRefund(tenant, done, 'succeeded');
  await expectReconciled(tenant, id);
});

test('without enough money: 409, and nothing is reserved', async () => {
  const { tenant, id } = await paidAtAsaas();
  faultsOf(await refund(tenant, id), 409, 'insufficient_balance');
  expect(await refundsOf(tenant, id)).toEqual([]);
  expect((await refunded(tenant, id, { amount: 9801 })).status).toBe('succeeded');
});

test('a boleto: a page for its payer, and the payment decides', async () => {
  const tenant = await connectAsaasTenant(sql, { ...funded, options: { boletoRefundsListed: false } });
  const { id } = await createInvoice(tenant.apiKey, { payment_method: { type: 'bolepix' } });
  const confirm = `${inject('env').ASAAS_URL}/sandbox/payment/${await tenant.referenceOf('invoices', id)}/confirm`;
  const headers = { access_token: tenant.asaasKey, 'user-agent': 'test' };
  expect((await fetch(confirm, { method: 'POST', headers })).status).toBe(200);
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  expect(faultsOf(await refund(tenant, id, { amount: 1 }), 422, 'validation_error')).toEqual(['amount']);
  const key = crypto.randomUUID();
  await tenant.fault({ kind: 'cut_after', method: 'POST', path: '/payments/*/bankSlip/refund' });
  expect((await refund(tenant, id, {}, { key })).body.retryable).toBe(true);
  const made = await refunded(tenant, id, {}, { key });
  expect(made).toMatchObject({ status: 'pending', pending_reason: 'waiting_for_payer' });
  expect(made.action_url).toContain('/refundRequest/');
  await tenant.payment(id, 'refund-page');
  await reconcile(sql, tenant);
  await untilRefund(tenant, made, 'succeeded');
  expect(await refundsOf(tenant, id)).toHaveLength(1);
  expect((await entriesOf(sql, tenant, id)).map(({ net }) => net)).toEqual([9801, -10000]);
});

test('a confirmed card payment: its entry becomes available with the charge', async () => {
  const { tenant, id } = await paidAtAsaas(
    {},
    { payment_method: { type: 'card', return_url: 'https://shop.example' } },
    { billingType: 'CREDIT_CARD' },
  );
  await refunded(tenant, id, { amount: 2500 });
  const { data } = await get(tenant.apiKey, `/balance-transactions?source=${id}`);
  expect(data.map(({ amount }: { amount: number }) => amount)).toEqual([-2500, 10000]);
  expect(data[0].available_on).toBe(data[1].available_on);
});

describe('a lost response', () => {
  test.each(['error_after', 'cut_after'] as const)(
    '%s: the same key returns the one refund',
    async (kind) => {
      const { tenant, id } = await paidAtAsaas(funded);
      const key = crypto.randomUUID();
      // The job does not find it first.
      await tenant.fault({ kind, method: 'POST', path: REFUND });
      const lost = await refund(tenant, id, { amount: 6000 }, { key });
      expect([lost.status, lost.body.code, lost.body.retryable]).toEqual([502, 'provider_error', true]);
      expect((await refund(tenant, id, { amount: 6000 })).status).toBe(422);
      const made = await refunded(tenant, id, { amount: 6000 }, { key });
      expect(made.status).toBe('succeeded');
      expect(await sent(tenant, 'POST', REFUND)).toHaveLength(1);
      await expectReconciled(tenant, id);
    },
  );

  test('Asaas never had it: the job sends it again after two lookups, and a retry with the key only looks it up', async () => {
    const { tenant, id } = await paidAtAsaas(funded);
    const key = crypto.randomUUID();
    await tenant.fault({ kind: 'cut_before', method: 'POST', path: REFUND });
    expect((await refund(tenant, id, { amount: 6000 }, { key })).body.retryable).toBe(true);
    expect((await refund(tenant, id, { amount: 6000 }, { key })).body.retryable).toBe(true);
    const row = await waitFor(async () => {
      const [found] = await sql`select id, missed_at from refunds where tenant_id = ${tenant.id}`;
      return found?.missed_at && found;
    });
    expect(await sent(tenant, 'POST', REFUND)).toHaveLength(1);
    await sql`update refunds set missed_at = now() - interval '31 seconds' where id = ${row.id}`;
    await waitFor(() => followNow(sql, row.id));
    await sweepNow();
    const made = await untilRefund(tenant, { id: row.id, invoice_id: id }, 'succeeded');
    expect(await sent(tenant, 'POST', REFUND)).toHaveLength(2);
    expect((await refunded(tenant, id, { amount: 6000 }, { key })).id).toBe(made.id);
    await expectReconciled(tenant, id);
  });
});

/** Runs the lookup of the refund again, as if half a minute had passed. */
async function lookedFor(tenant: AsaasTenant): Promise<void> {
  await sql`update refunds set missed_at = missed_at - interval '1 minute' where tenant_id = ${tenant.id}`;
  const own = sql`tenant_id = ${tenant.id} and name = 'follow-refund' and key like 'rfd_%'`;
  const [due] = await sql`
    update jobs set due_at = now(), published_at = null
    where ${own} and locked_until is null and finished_at is null returning attempts`;
  await sweepNow();
  await waitFor(async () => {
    const [job] = await sql`
      select attempts, locked_until is null as idle, finished_at is not null as finished from jobs where ${own}`;
    return !job || job.finished || (job.idle && job.attempts > (due?.attempts ?? -1));
  });
}

/** The key results in one refund, which exists once at Asaas and once in the ledger. */
async function expectOnce(
  tenant: AsaasTenant,
  id: string,
  send: () => ReturnType<typeof pay>,
): Promise<void> {
  await waitFor(async () => {
    const { status } = await send();
    if (status === 201) return true;
    // The killed process held the key. The database may execute its last statement only now, so one lookup is not enough.
    if (status === 409)
      await sql`update idempotency_keys set locked_until = now() - interval '1 second' where tenant_id = ${tenant.id}`;
    else await lookedFor(tenant);
    return false;
  });
  await expectReconciled(tenant, id);
  const [payment] = await tenant.there('payments', id);
  expect(payment.refunds).toHaveLength(1);
}

describe('a killed process', () => {
  test.each(['hold_before', 'hold_after'] as const)('while it waits for Asaas (%s)', async (kind) => {
    const { tenant, id } = await paidAtAsaas(funded);
    const { baseUrl, edge } = await startOwnFunction('payments');
    await tenant.fault({ kind, method: 'POST', path: REFUND });
    const key = crypto.randomUUID();
    const body = { amount: 6000 };
    const sending = refund(tenant, id, body, { key, baseUrl }).catch(() => undefined);
    await waitFor(async () => (await sent(tenant, 'POST', REFUND)).length === 1);
    edge.crash();
    expect(await sending).toBeUndefined();
    await expectOnce(tenant, id, () => refund(tenant, id, body, { key }));
  });

  // Before an exchange, the database has the same state as after the previous one.
  test('after each exchange with the database, before it receives the response', async () => {
    for (let nth = 1; ; nth++) {
      const { tenant, id } = await paidAtAsaas(funded);
      const { wire, env } = await wireToDatabase();
      const { baseUrl, edge } = await startOwnFunction('payments', env);
      const [key, body] = [crypto.randomUUID(), { amount: 6000 }];
      wire.watch({ answer: (exchange: number) => exchange < nth });
      const answered = { yet: false };
      const sending = refund(tenant, id, body, { key, baseUrl }).then(
        () => {
          answered.yet = true;
        },
        () => {},
      );
      await waitFor(() => answered.yet || wire.asked() >= nth);
      edge.crash();
      await sending;
      await expectOnce(tenant, id, () => refund(tenant, id, body, { key }));
      wire.open();
      if (answered.yet) break;
    }
  });
});

test('paid twice: of three concurrent refunds of the amount, each payment takes one', async () => {
  const { tenant, id } = await paidAtAsaas(funded);
  await tenant.payment(id, 'pay-again');
  await waitFor(async () => (await get(tenant.apiKey, `/invoices/${id}`)).paid_amount === 20_000);
  const results = await Promise.all(Array.from({ length: 3 }, () => refund(tenant, id, { amount: 10_000 })));
  expect(results.map(({ status }) => status).toSorted()).toEqual([201, 201, 409]);
  await waitFor(async () =>
    (await refundsOf(tenant, id)).every(({ status }: { status: string }) => status === 'succeeded'),
  );
  await expectReconciled(tenant, id);
});

test('an account that was disconnected: still refunded; without its key 501, and nothing is reserved', async () => {
  const { tenant, id } = await paidAtAsaas(funded);
  await sql`update provider_accounts set status = 'disconnected', disconnected_at = now() where id = ${tenant.accountId}`;
  await refunded(tenant, id, { amount: 1000 });
  await sql`select app.forget_provider_account(${tenant.accountId})`;
  const { status, body } = await refund(tenant, id, { amount: 2000 });
  expect([status, body.code, body.detail]).toEqual([
    501,
    'provider_not_configured',
    expect.stringContaining('API key is deleted'),
  ]);
  const rows = await sql`select amount::integer from refunds where invoice_id = ${id}`;
  expect(rows.map(({ amount }) => amount)).toEqual([1000]);
});

/** The approval request of Asaas for a PIX refund, and our decision. */
async function askAbout(tenant: AsaasTenant, pixRefund: object): Promise<string> {
  const response = await fetch(`${tenant.callbackUrl}/approvals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'asaas-access-token': tenant.withdrawalToken },
    body: JSON.stringify({ type: 'PIX_REFUND', pixRefund }),
  });
  expect(response.status).toBe(200);
  return (await response.json()).status;
}

test('withdrawal validation: approves our refunds in progress, each for one refund at Asaas', async () => {
  const { tenant, id } = await paidAtAsaas({
    balance: 100,
    asksUs: true,
    options: { validatesRefunds: true },
  });
  const made = await refunded(tenant, id, { amount: 4000 });
  await untilRefund(tenant, made, 'succeeded');
  // A refund that was created in the panel is rejected.
  await tenant.payment(id, 'refund', { value: 25 });
  await waitFor(async () => {
    const [payment] = await tenant.there('payments', id);
    return payment.refunds.some(({ status }: { status: string }) => status === 'CANCELLED');
  });
  const payment = await tenant.referenceOf('invoices', id);
  const [row] = await sql`select approved_for from refunds where id = ${made.id}`;
  expect(await askAbout(tenant, { id: row?.approved_for, value: 40, payment })).toBe('APPROVED');
  expect(await askAbout(tenant, { id: row?.approved_for, value: 41, payment })).toBe('REFUSED');
  expect(await askAbout(tenant, { id: 'another', value: 40, payment })).toBe('REFUSED');
  await expectReconciled(tenant, id);
});

test('withdrawal validation: a request that does not identify the refund', async () => {
  const { tenant, id } = await paidAtAsaas({ balance: 100, options: { refundMs: 3_600_000 } });
  const unnamed = (vendorId: string, value: number) => askAbout(tenant, { id: vendorId, value });
  const [made] = [await refunded(tenant, id, { amount: 3000 }), await refunded(tenant, id, { amount: 3000 })];
  const only = await refunded(tenant, id, { amount: 2000 });
  expect(await unnamed('one of two', 30)).toBe('REFUSED');
  expect(await unnamed('none', 21)).toBe('REFUSED');
  expect(
    (await openDifferences(sql, tenant)).map(({ kind, subject, theirs }) => [kind, subject, theirs]),
  ).toEqual([
    ['refused_refund', 'none', { refund: 'none', amount: 2100 }],
    ['refused_refund', 'one of two', { refund: 'one of two', amount: 3000 }],
  ]);
  expect(await askAbout(tenant, { id: 'only one', value: 20, description: 'Estorno' })).toBe('APPROVED');
  expect(await unnamed('only one', 20)).toBe('APPROVED');
  expect(await unnamed('only one', 30)).toBe('REFUSED');
  expect(await unnamed('another', 20)).toBe('REFUSED');
  const rows =
    await sql`select id, approved_for from refunds where invoice_id = ${id} and approved_for is not null`;
  expect([...rows]).toEqual([{ id: only.id, approved_for: 'only one' }]);
  const description = `${made.id} Pedido cancelado`;
  expect(await askAbout(tenant, { id: 'named', value: 29, description })).toBe('REFUSED');
  expect(await askAbout(tenant, { id: 'named', value: 30, payment: 'pay_2', description })).toBe('REFUSED');
  expect(await askAbout(tenant, { id: 'named', value: 30, description })).toBe('APPROVED');
});
