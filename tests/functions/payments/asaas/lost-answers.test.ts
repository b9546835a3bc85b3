// Responses of Asaas that are lost after it executed the order: the order is found again, and nothing is sent twice.
import { describe, expect, test } from 'vitest';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  sent,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import { bodyOf, get, NFSE, untilStatus } from '../../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout } from '../../../support/payments/payments.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();

const send = ({ apiKey }: AsaasTenant, kind: 'invoices' | 'payouts') => {
  const key = crypto.randomUUID();
  const body = kind === 'invoices' ? invoice() : pixPayout();
  return () => pay(apiKey, `/${kind}`, body, { key });
};

/** Makes its first attempt minutes old. */
const age = (tenant: AsaasTenant, kind: 'invoices' | 'payouts') =>
  sql`update ${sql(kind)} set created = created - interval '3 minutes' where tenant_id = ${tenant.id}`;

const rowOf = async (tenant: AsaasTenant, kind: 'invoices' | 'payouts') =>
  (await sql`select * from ${sql(kind)} where tenant_id = ${tenant.id}`)[0];

test('the provider reports our cancellation before it responds: the caller sees a canceled invoice', async () => {
  const tenant = await connectAsaasTenant(sql);
  const { id } = bodyOf(await send(tenant, 'invoices')(), 201);
  await tenant.fault({ kind: 'slow', method: 'DELETE', path: '/payments/*', delayMs: 3000 });
  const canceling = pay(tenant.apiKey, `/invoices/${id}/cancel`, {});
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'canceled');
  expect(bodyOf(await canceling, 200).status).toBe('canceled');
  expect((await pay(tenant.apiKey, `/invoices/${id}/cancel`, {})).body.code).toBe('invoice_not_cancelable');
});

describe('a charge', () => {
  test.each(['error_after', 'cut_after'] as const)(
    '%s: the same key returns the one charge',
    async (kind) => {
      const tenant = await connectAsaasTenant(sql);
      const order = send(tenant, 'invoices');
      await tenant.fault({ kind, method: 'POST', path: '/payments' });
      const lost = await order();
      expect([lost.status, lost.body.code, lost.body.retryable]).toEqual([502, 'provider_error', true]);
      const made = bodyOf(await order(), 201);
      expect(await tenant.there('payments', made.id)).toHaveLength(1);
      expect(await sent(tenant, 'POST', '/payments')).toHaveLength(1);
      await tenant.payment(made.id, 'pay');
      expect(await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'paid')).toMatchObject({
        fee: 199,
        net: 9801,
      });
      expect((await order()).body.id).toBe(made.id);
    },
  );

  test('its code or QR is lost: it is found again with it', async () => {
    const tenant = await connectAsaasTenant(sql);
    const order = send(tenant, 'invoices');
    await tenant.fault({ kind: 'error_before', method: 'GET', path: '/payments/*' });
    expect((await order()).body).toMatchObject({ code: 'provider_error', retryable: true });
    const made = bodyOf(await order(), 201);
    expect(made.payment_method.pix.payload ?? made.payment_method).toBeTruthy();
    expect(await sent(tenant, 'POST', '/payments')).toHaveLength(1);
  });

  test('without a retry: a job completes it, and it is paid like any other', async () => {
    const tenant = await connectAsaasTenant(sql);
    const order = send(tenant, 'invoices');
    await tenant.fault({ kind: 'cut_after', method: 'POST', path: '/payments' });
    expect((await order()).status).toBe(502);
    const { id } = (await rowOf(tenant, 'invoices')) ?? {};
    await age(tenant, 'invoices');
    const [payment] = await tenant.there('payments', id);
    await tenant.control.pay(tenant.asaasId, payment.id);
    await sweepNow();
    await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
    expect((await order()).body.id).toBe(id);
    expect(await entriesOf(sql, tenant, id)).toMatchObject([{ type: 'charge', net: 9801 }]);
  });
});

describe('a payout', () => {
  test('accepted: 502, pending, completed by a job, and never sent twice', async () => {
    const tenant = await connectAsaasTenant(sql);
    const order = send(tenant, 'payouts');
    await tenant.fault({ kind: 'cut_after', method: 'POST', path: '/transfers' });
    const lost = await order();
    expect([lost.status, lost.body.retryable]).toEqual([502, true]);
    const row = await rowOf(tenant, 'payouts');
    expect(row?.status).toBe('creating');
    await age(tenant, 'payouts');
    await sweepNow();
    await untilStatus(tenant.apiKey, `/payouts/${row?.id}`, 'paid');
    expect((await order()).body.id).toBe(row?.id);
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(1);
    expect(await entriesOf(sql, tenant, row?.id)).toMatchObject([{ type: 'payout', net: -5000 }]);
  });

  test('accepted: the retry with the same key finds it', async () => {
    const tenant = await connectAsaasTenant(sql);
    const order = send(tenant, 'payouts');
    await tenant.fault({ kind: 'error_after', method: 'POST', path: '/transfers' });
    expect((await order()).status).toBe(502);
    const made = bodyOf(await order(), 201);
    expect(await tenant.there('transfers', made.id)).toHaveLength(1);
  });

  test('never accepted: a job sends it again after two lookups thirty seconds apart', async () => {
    const tenant = await connectAsaasTenant(sql);
    const order = send(tenant, 'payouts');
    await tenant.fault({ kind: 'cut_before', method: 'POST', path: '/transfers' });
    expect((await order()).status).toBe(502);
    // A retry does not report success, and sends nothing.
    expect((await order()).body).toMatchObject({ code: 'provider_error', retryable: true });
    await age(tenant, 'payouts');
    await sweepNow();
    const missed = await waitFor(async () => {
      const row = await rowOf(tenant, 'payouts');
      return row?.missed_at && row;
    });
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(1);
    // The second lookup is too early, however slow the machine is.
    await sql`update payouts set missed_at = now() + interval '1 hour' where id = ${missed.id}`;
    await lookAgain(tenant);
    await waitFor(async () => (await looks(tenant)) >= 2);
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(1);
    await sql`update payouts set missed_at = now() - interval '31 seconds' where id = ${missed.id}`;
    await lookAgain(tenant);
    await untilStatus(tenant.apiKey, `/payouts/${missed.id}`, 'paid');
    expect(await tenant.there('transfers', missed.id)).toHaveLength(1);
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(2);
    expect((await order()).body.id).toBe(missed.id);
  });
});

const jobOf = (tenant: AsaasTenant) => sql`
  select id, attempts, locked_until from jobs
  where tenant_id = ${tenant.id} and name = 'recover-order' order by created_at limit 1`;

/** The lookups that ended. A job counts its attempt when it begins, so the attempt of a locked job still goes on. */
async function looks(tenant: AsaasTenant): Promise<number> {
  const [job] = await jobOf(tenant);
  return job ? job.attempts - (job.locked_until ? 1 : 0) : 0;
}

/** Runs the planned lookup. */
async function lookAgain(tenant: AsaasTenant): Promise<void> {
  await waitFor(
    async () =>
      (
        await sql`
          update jobs set due_at = now(), published_at = null
          where tenant_id = ${tenant.id} and name = 'recover-order' and finished_at is null and locked_until is null
          returning id`
      ).length > 0,
  );
  await sweepNow();
}

describe('an NFS-e', () => {
  test.each([
    ['error_after', '/invoices'],
    ['cut_after', '/invoices'],
    ['cut_before', '/invoices/*/authorize'],
  ] as const)('%s of %s: issued once', async (kind, path) => {
    const tenant = await connectAsaasTenant(sql);
    const { id } = bodyOf(await send(tenant, 'invoices')(), 201);
    await tenant.fault({ kind, method: 'POST', path });
    const documents = `/invoices/${id}/tax-documents`;
    const document = bodyOf(await pay(tenant.apiKey, documents, NFSE), 202);
    await waitFor(async () => {
      await tryAgain(tenant);
      return (await get(tenant.apiKey, `${documents}/${document.id}`)).status === 'issued';
    });
    expect(await tenant.there('invoices', document.id)).toHaveLength(1);
    expect(await sent(tenant, 'POST', '/invoices')).toHaveLength(1);
  });
});

/** Runs the next attempt of each failed job. */
async function tryAgain(tenant: AsaasTenant): Promise<void> {
  const failed = await sql`
    update jobs set due_at = now(), published_at = null
    where tenant_id = ${tenant.id} and name = 'issue-tax-document' and finished_at is null and attempts > 0
      and locked_until is null and due_at > now()
    returning id`;
  if (failed.length > 0) await sweepNow();
}
