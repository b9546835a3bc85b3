// The state transitions of an open invoice: paid, canceled, failed.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
  payInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const EMOJI = '😀';
const method = (type: string, more: Record<string, unknown> = {}) => ({ payment_method: { type, ...more } });

describe('paying', () => {
  test('makes it paid once, with every method', async () => {
    const { apiKey } = await createPayTenant(sql);
    for (const type of ['pix', 'boleto', 'bolepix', 'card']) {
      const open = await createInvoice(apiKey, method(type));
      const paid = await payInvoice(apiKey, open.id);
      expect(paid).toEqual({
        ...open,
        status: 'paid',
        fee: 100,
        net: 9900,
        paid_at: expect.stringMatching(/Z$/),
        paid_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        paid_amount: open.amount,
        ...{ fine: 0, interest: 0, discount: 0 },
      });
      expect(await get(apiKey, `/invoices/${open.id}`)).toEqual(paid);
      const again = await pay(apiKey, `/sandbox/invoices/${open.id}/pay`, {});
      expect(faultsOf(again, 409, 'invoice_not_payable')).toEqual([]);
      const cancel = await pay(apiKey, `/invoices/${open.id}/cancel`, {});
      expect(faultsOf(cancel, 409, 'invoice_not_cancelable')).toEqual([]);
    }
  });

  test('is too late after a cancellation', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    bodyOf(await pay(apiKey, `/invoices/${id}/cancel`, {}), 200);
    faultsOf(await pay(apiKey, `/sandbox/invoices/${id}/pay`, {}), 409, 'invoice_not_payable');
  });

  test('by several payers concurrently pays once', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    const replies = await Promise.all([1, 2, 3].map(() => pay(apiKey, `/sandbox/invoices/${id}/pay`, {})));
    const statuses = replies.map(({ status }) => status);
    expect(statuses).toContain(200);
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect((await get(apiKey, `/balance-transactions?source=${id}`)).data).toHaveLength(1);
    expect(await sql`select type from events where data ->> 'id' = ${id}`).toEqual([
      { type: 'invoice.paid' },
    ]);
  });
});

describe('canceling', () => {
  test.each([
    ['a reason', { reason: 'the customer left' }],
    ['the longest reason', { reason: EMOJI.repeat(500) }],
    ['an empty object', {}],
    ['null as reason', { reason: null, other: 1 }],
    ['no body', null],
  ])('with %s returns the invoice', async (_name, body) => {
    const { apiKey } = await createPayTenant(sql);
    const open = await createInvoice(apiKey);
    const canceled = bodyOf(await pay(apiKey, `/invoices/${open.id}/cancel`, body, { method: 'POST' }), 200);
    expect(canceled).toEqual({ ...open, status: 'canceled' });
    expect(await get(apiKey, `/invoices/${open.id}`)).toEqual(canceled);
    const [row] = await sql`select cancel_reason from invoices where id = ${open.id}`;
    expect(row?.cancel_reason ?? null).toBe((body as { reason?: string } | null)?.reason ?? null);
    faultsOf(await pay(apiKey, `/invoices/${open.id}/cancel`, {}), 409, 'invoice_not_cancelable');
  });

  test.each([
    [{ reason: 5 }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ reason: 'a\u0000' }, 'reason'],
    [{ our_number: 'INV-2026-000001' }, 'our_number'],
  ])('with %.40j is rejected', async (body, field) => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    expect(faultsOf(await pay(apiKey, `/invoices/${id}/cancel`, body), 422, 'validation_error')).toEqual([
      field,
    ]);
    expect((await get(apiKey, `/invoices/${id}`)).status).toBe('open');
  });

  test('or paying concurrently: only one of them happens', async () => {
    const { apiKey } = await createPayTenant(sql);
    for (let i = 0; i < 5; i++) {
      const { id } = await createInvoice(apiKey);
      const [paid, canceled] = await Promise.all([
        pay(apiKey, `/sandbox/invoices/${id}/pay`, {}),
        pay(apiKey, `/invoices/${id}/cancel`, {}),
      ]);
      expect([paid.status, canceled.status].sort()).toEqual([200, 409]);
      const { status } = await get(apiKey, `/invoices/${id}`);
      expect(status).toBe(paid.status === 200 ? 'paid' : 'canceled');
    }
  });
});

describe('failing', () => {
  test.each(['pix', 'boleto', 'bolepix'])('an expired %s fails, and has then ended', async (type) => {
    const { apiKey } = await createPayTenant(sql);
    const open = await createInvoice(apiKey, method(type, { expires_in_seconds: 1 }));
    const failed = await untilStatus(apiKey, `/invoices/${open.id}`, 'failed');
    expect(failed).toEqual({
      ...open,
      status: 'failed',
      failure_reason: 'The invoice expired before it was paid.',
    });
    faultsOf(await pay(apiKey, `/sandbox/invoices/${open.id}/pay`, {}), 409, 'invoice_not_payable');
    faultsOf(await pay(apiKey, `/invoices/${open.id}/cancel`, {}), 409, 'invoice_not_cancelable');
  });

  test('a card that is permanently declined', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id, status } = await createInvoice(apiKey, { ...method('card'), amount: 1017 });
    expect(status).toBe('open');
    await untilStatus(apiKey, `/invoices/${id}`, 'failed');
    const [event] = await sql`select type from events where data ->> 'id' = ${id}`;
    expect(event?.type).toBe('invoice.failed');
  });

  test('a paid invoice does not expire', async () => {
    const { apiKey } = await createPayTenant(sql);
    const first = await createInvoice(apiKey, method('pix', { expires_in_seconds: 1 }));
    await payInvoice(apiKey, first.id);
    const second = await createInvoice(apiKey, method('pix', { expires_in_seconds: 1 }));
    await untilStatus(apiKey, `/invoices/${second.id}`, 'failed');
    expect((await get(apiKey, `/invoices/${first.id}`)).status).toBe('paid');
  });
});
