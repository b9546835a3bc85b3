// The deadline for canceling an NFS-e, separately or with its invoice.
import { describe, expect, test } from 'vitest';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
  issued,
} from '../../support/payments/payment-flows.ts';
import { pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const pathOf = (invoiceId: string) => `/invoices/${invoiceId}/tax-documents`;

/** An open invoice with an issued document, and the paths of both. */
async function prepare(tenant: Tenant) {
  const invoice = await createInvoice(tenant.apiKey);
  const document = await issued(tenant.apiKey, invoice.id);
  const path = `${pathOf(invoice.id)}/${document.id}`;
  return { invoice, document, invoicePath: `/invoices/${invoice.id}`, path };
}

/** Moves the issuance into the past by this much. */
const moveBack = (id: string, interval: string) =>
  sql`update tax_documents set issued_at = now() - ${interval}::interval where id = ${id}`;

/** To the last moment of yesterday, or the first of today, in the time zone of the tenant. */
const moveToMidnight = (id: string, milliseconds: number) =>
  sql`
    update tax_documents d
    set issued_at = date_trunc('day', now() at time zone t.time_zone) at time zone t.time_zone
                    + make_interval(secs => ${milliseconds / 1000})
    from tenants t where t.id = d.tenant_id and d.id = ${id}`;

describe('on the day of issuance', () => {
  test.each([
    ['a reason', { reason: 'wrong service' }],
    ['no body', null],
  ])('it can be canceled, with %s', async (_name, body) => {
    const tenant = await createPayTenant(sql);
    const { document, path, invoicePath } = await prepare(tenant);
    const reply = await pay(tenant.apiKey, `${path}/cancel`, body, { method: 'POST' });
    expect(bodyOf(reply, 200)).toEqual({ ...document, status: 'canceled' });
    expect(await get(tenant.apiKey, path)).toEqual({ ...document, status: 'canceled' });
    expect(await get(tenant.apiKey, invoicePath)).toMatchObject({
      status: 'open',
      tax_document: { id: document.id, status: 'canceled' },
    });
    const [event] = await sql`
      select type from events where data ->> 'id' = ${document.id} and type = 'tax_document.canceled'`;
    expect(event).toBeDefined();
    faultsOf(await pay(tenant.apiKey, `${path}/cancel`, {}), 409, 'tax_document_not_cancelable');
    const again = await issued(tenant.apiKey, invoicePath.split('/')[2] ?? '');
    expect([again.status, again.document_number]).toEqual(['issued', '2']);
  });

  test('canceling the invoice cancels it too', async () => {
    const tenant = await createPayTenant(sql);
    const { document, path, invoicePath } = await prepare(tenant);
    const canceled = bodyOf(await pay(tenant.apiKey, `${invoicePath}/cancel`, { reason: 'x' }), 200);
    expect(canceled).toMatchObject({ status: 'canceled', tax_document: { status: 'canceled' } });
    expect((await get(tenant.apiKey, path)).status).toBe('canceled');
    const [event] = await sql`
      select data from events where type = 'invoice.canceled' and data ->> 'id' = ${canceled.id}`;
    expect(event?.data.tax_document).toEqual({ id: document.id, type: 'nfse', status: 'canceled' });
  });

  test('canceling the invoice while it is being issued leaves no document behind', async () => {
    const { apiKey } = await createPayTenant(sql);
    for (let i = 0; i < 4; i++) {
      const { id } = await createInvoice(apiKey);
      bodyOf(await pay(apiKey, pathOf(id), { type: 'nfse', service_code: '01.07' }), 202);
      const canceled = bodyOf(await pay(apiKey, `/invoices/${id}/cancel`, {}), 200);
      expect(canceled).toMatchObject({ status: 'canceled', tax_document: { status: 'canceled' } });
      expect((await get(apiKey, `/invoices/${id}`)).tax_document.status).toBe('canceled');
    }
  });

  test.each([
    [{ reason: 5 }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ our_number: 'x' }, 'our_number'],
  ])('rejects %.30j', async (body, field) => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    const reply = await pay(apiKey, `${pathOf(id)}/txd_x/cancel`, body);
    expect(faultsOf(reply, 422, 'validation_error')).toEqual([field]);
  });
});

describe('the window', () => {
  test.each([
    [-1, false],
    [0, true],
  ])("is the calendar day in the tenant's time zone: %i ms from midnight", async (milliseconds, open) => {
    const tenant = await createPayTenant(sql);
    await sql`update tenants set time_zone = 'Pacific/Kiritimati' where id = ${tenant.id}`;
    const { document, path } = await prepare(tenant);
    await moveToMidnight(document.id, milliseconds);
    const reply = await pay(tenant.apiKey, `${path}/cancel`, {});
    if (open) return void bodyOf(reply, 200);
    faultsOf(reply, 409, 'cancellation_window_expired');
    expect((await get(tenant.apiKey, path)).status).toBe('issued');
  });

  test('after it, canceling the invoice changes nothing', async () => {
    const tenant = await createPayTenant(sql);
    const { document, path, invoicePath } = await prepare(tenant);
    await moveBack(document.id, '2 days');
    faultsOf(await pay(tenant.apiKey, `${invoicePath}/cancel`, {}), 409, 'cancellation_window_expired');
    expect(await get(tenant.apiKey, invoicePath)).toMatchObject({
      status: 'open',
      tax_document: { status: 'issued' },
    });
    expect((await get(tenant.apiKey, path)).status).toBe('issued');
    const paid = await pay(tenant.apiKey, `/sandbox${invoicePath}/pay`, {});
    expect(bodyOf(paid, 200).status).toBe('paid');
  });

  test.each([
    ['71 hours 59 minutes', 200],
    ['72 hours 1 second', 409],
  ])('of 72 hours, after %s, returns %i', async (interval, status) => {
    const tenant = await createPayTenant(sql);
    await sql`update tenants set nfse_cancellation_hours = 72 where id = ${tenant.id}`;
    const { document, path, invoicePath } = await prepare(tenant);
    await moveBack(document.id, interval);
    if (status === 409) {
      faultsOf(await pay(tenant.apiKey, `${path}/cancel`, {}), 409, 'cancellation_window_expired');
      faultsOf(await pay(tenant.apiKey, `${invoicePath}/cancel`, {}), 409, 'cancellation_window_expired');
    } else {
      const canceled = bodyOf(await pay(tenant.apiKey, `${invoicePath}/cancel`, {}), 200);
      expect(canceled.tax_document.status).toBe('canceled');
    }
  });

  test('does not apply to a paid invoice, whose document can still be canceled', async () => {
    const tenant = await createPayTenant(sql);
    const { path, invoicePath } = await prepare(tenant);
    bodyOf(await pay(tenant.apiKey, `/sandbox${invoicePath}/pay`, {}), 200);
    faultsOf(await pay(tenant.apiKey, `${invoicePath}/cancel`, {}), 409, 'invoice_not_cancelable');
    expect(bodyOf(await pay(tenant.apiKey, `${path}/cancel`, {}), 200).status).toBe('canceled');
  });
});
