// Payouts that people approve before Asaas receives them, and cities that take time to cancel a document.
import { describe, expect, test } from 'vitest';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  sent,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import {
  bodyOf,
  createInvoice,
  createPayout,
  faultsOf,
  get,
  issued,
  untilStatus,
} from '../../../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../../../support/payments/payments.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();

const eventsOf = async (id: string) =>
  (await sql`select type from events where data ->> 'id' = ${id} order by created_at, id`).map(
    ({ type }) => type,
  );

describe('a payout that waits for approval', () => {
  async function waiting(tenant: AsaasTenant, amount = 5001) {
    await sql`select admin.require_payout_approval(${tenant.id}, 5000)`;
    const made = await createPayout(tenant.apiKey, pixPayout({ amount }));
    expect(made.status).toBe('created');
    expect(await sent(tenant, 'POST', '/transfers')).toEqual([]);
    return made.id as string;
  }

  test('approved: sent once, and paid; payouts below the limit are sent immediately', async () => {
    const tenant = await connectAsaasTenant(sql);
    const id = await waiting(tenant);
    expect(await sql`select payout_id from admin.payouts_to_approve where tenant_id = ${tenant.id}`).toEqual([
      { payout_id: id },
    ]);
    await sql`select admin.approve_payout(${id})`;
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(1);
    const small = await createPayout(tenant.apiKey, pixPayout({ amount: 5000 }));
    await untilStatus(tenant.apiKey, `/payouts/${small.id}`, 'paid');
    await sql`select admin.require_payout_approval(${tenant.id}, null)`;
    const free = await createPayout(tenant.apiKey, pixPayout({ amount: 9000 }));
    await untilStatus(tenant.apiKey, `/payouts/${free.id}`, 'paid');
  });

  test('rejected: failed with the reason, never sent, and cannot be decided twice', async () => {
    const tenant = await connectAsaasTenant(sql);
    const id = await waiting(tenant);
    await sql`select admin.reject_payout(${id}, 'Not agreed upon.')`;
    const payout = await get(tenant.apiKey, `/payouts/${id}`);
    expect([payout.status, payout.failure_reason]).toEqual(['failed', 'Not agreed upon.']);
    expect(await eventsOf(id)).toContain('payout.failed');
    await expect(sql`select admin.approve_payout(${id})`).rejects.toThrow(/rejected/);
    await expect(sql`select admin.reject_payout(${id}, 'again')`).rejects.toThrow(/rejected/);
    const other = await waiting(tenant);
    await sql`select admin.approve_payout(${other})`;
    await expect(sql`select admin.approve_payout(${other})`).rejects.toThrow(
      /approved|is not waiting for approval/,
    );
    await untilStatus(tenant.apiKey, `/payouts/${other}`, 'paid');
    expect(await tenant.there('transfers', id)).toEqual([]);
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(1);
  });

  test('canceled while it waits: 200, and it can no longer be approved', async () => {
    const tenant = await connectAsaasTenant(sql);
    const id = await waiting(tenant);
    expect(bodyOf(await pay(tenant.apiKey, `/payouts/${id}/cancel`, {}), 200).status).toBe('canceled');
    await expect(sql`select admin.approve_payout(${id})`).rejects.toThrow(/canceled/);
    expect(await tenant.there('transfers', id)).toEqual([]);
  });

  test('approved, and Asaas rejects it: failed with its message', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 1 });
    const id = await waiting(tenant);
    await sql`select admin.approve_payout(${id})`;
    const payout = await untilStatus(tenant.apiKey, `/payouts/${id}`, 'failed');
    expect(payout.failure_reason).toMatch(/saldo/i);
    expect(await entriesOf(sql, tenant)).toEqual([]);
  });

  test('approved, and the response is lost: found, and not sent again', async () => {
    const tenant = await connectAsaasTenant(sql);
    const id = await waiting(tenant);
    await tenant.fault({ kind: 'cut_after', method: 'POST', path: '/transfers' });
    await sql`select admin.approve_payout(${id})`;
    // The webhook of Asaas arrives before the next attempt.
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
    expect(await sent(tenant, 'POST', '/transfers')).toHaveLength(1);
    expect(await entriesOf(sql, tenant, id)).toMatchObject([{ net: -5001 }]);
  });
});

describe('a city that responds slowly', () => {
  async function document(tenant: AsaasTenant) {
    const invoice = await createInvoice(tenant.apiKey);
    const { id } = await issued(tenant.apiKey, invoice.id);
    const path = `/invoices/${invoice.id}/tax-documents/${id}`;
    const there = await tenant.referenceOf('tax_documents', id);
    return {
      id,
      path,
      invoiceId: invoice.id as string,
      decide: (step: 'canceled' | 'denied') => tenant.control.invoice(tenant.asaasId, there, { step }),
    };
  }

  test('202, and canceled when the city agrees', async () => {
    const tenant = await connectAsaasTenant(sql, { options: { cancellations: 'held' } });
    const { id, path, decide } = await document(tenant);
    const reply = bodyOf(await pay(tenant.apiKey, `${path}/cancel`, { reason: 'wrong' }), 202);
    expect([reply.status, typeof reply.cancel_requested_at]).toEqual(['issued', 'string']);
    expect(await eventsOf(id)).not.toContain('tax_document.canceled');
    await decide('canceled');
    await untilStatus(tenant.apiKey, path, 'canceled');
    expect((await eventsOf(id)).filter((type) => type === 'tax_document.canceled')).toHaveLength(1);
  });

  test.each(['canceled', 'denied'] as const)(
    'its invoice is canceled without waiting for it, which is then %s',
    async (decision) => {
      const tenant = await connectAsaasTenant(sql, { options: { cancellations: 'held' } });
      const { path, invoiceId, decide } = await document(tenant);
      const canceled = bodyOf(await pay(tenant.apiKey, `/invoices/${invoiceId}/cancel`, {}), 200);
      expect(canceled.status).toBe('canceled');
      const waiting = await get(tenant.apiKey, path);
      expect([waiting.status, typeof waiting.cancel_requested_at]).toEqual(['issued', 'string']);
      await decide(decision);
      const decided = await waitFor(async () => {
        const now = await get(tenant.apiKey, path);
        return now.cancel_requested_at === undefined && now;
      });
      expect(decided.status).toBe(decision === 'canceled' ? 'canceled' : 'issued');
      expect((await get(tenant.apiKey, `/invoices/${invoiceId}`)).status).toBe('canceled');
    },
  );

  test("202, and denied: still issued, with the city's message, and 409 from then on", async () => {
    const tenant = await connectAsaasTenant(sql, { options: { cancellations: 'held' } });
    const { id, path, decide } = await document(tenant);
    bodyOf(await pay(tenant.apiKey, `${path}/cancel`, {}), 202);
    await decide('denied');
    const denied = await waitFor(async () => {
      const now = await get(tenant.apiKey, path);
      return now.cancel_error && now;
    });
    expect(denied).toMatchObject({ status: 'issued', cancel_error: expect.stringMatching(/E0/) });
    expect(denied.cancel_requested_at ?? null).toBeNull();
    faultsOf(await pay(tenant.apiKey, `${path}/cancel`, {}), 409, 'tax_document_not_cancelable');
    expect(await eventsOf(id)).not.toContain('tax_document.canceled');
    expect(await sent(tenant, 'POST', '/invoices/*/cancel')).toHaveLength(1);
  });

  test("a document that was canceled in Asaas' dashboard is canceled here", async () => {
    const tenant = await connectAsaasTenant(sql);
    const { id, path, decide } = await document(tenant);
    await decide('canceled');
    await untilStatus(tenant.apiKey, path, 'canceled');
    expect((await eventsOf(id)).filter((type) => type === 'tax_document.canceled')).toHaveLength(1);
  });
});
