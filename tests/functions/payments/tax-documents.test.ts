import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
  issued,
  NFSE,
  paidInvoice,
  payInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';
import { readPdf } from '../../support/payments/read-pdf.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const EMOJI = '😀';
const AUTO = { tax_document: { auto_issue: true, ...NFSE } };
const pathOf = (invoiceId: string) => `/invoices/${invoiceId}/tax-documents`;

const eventsOf = async (id: string): Promise<string[]> =>
  (await sql`select type from events where data ->> 'id' = ${id} order by id`).map(({ type }) => type);

describe('issuing', () => {
  test('returns 202 pending; then it is issued, with the documented members', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id: invoiceId } = await paidInvoice(apiKey);
    const metadata = { rps: EMOJI.repeat(500) };
    const pending = bodyOf(await pay(apiKey, pathOf(invoiceId), { ...NFSE, metadata }), 202);
    expect(pending).toEqual({
      id: expect.stringMatching(/^txd_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      invoice_id: invoiceId,
      type: 'nfse',
      status: 'pending',
      service_code: '01.07',
      metadata,
      taxes: null,
      created: expect.stringMatching(/\.\d{3}Z$/),
    });
    const done = await untilStatus(apiKey, `${pathOf(invoiceId)}/${pending.id}`, 'issued');
    expect(done).toEqual({
      ...pending,
      status: 'issued',
      taxes: {
        state_ibs_percent: 0.1,
        state_ibs_amount: 10,
        municipal_ibs_percent: 0,
        municipal_ibs_amount: 0,
        cbs_percent: 0.9,
        cbs_amount: 90,
      },
      document_number: '1',
      xml_url: expect.stringMatching(/^http.*\/payments\/files\/[0-9A-Za-z]{32}\/nfse\.xml$/),
      pdf_url: expect.stringMatching(/^http.*\/payments\/files\/[0-9A-Za-z]{32}\/nfse\.pdf$/),
      issued_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect((await get(apiKey, `/invoices/${invoiceId}`)).tax_document).toEqual({
      id: pending.id,
      type: 'nfse',
      status: 'issued',
      auto_issue: false,
    });
    expect(await eventsOf(pending.id)).toEqual(['tax_document.issued']);
    const again = await pay(apiKey, pathOf(invoiceId), NFSE);
    expect(faultsOf(again, 409, 'tax_document_exists')).toEqual([]);
  });

  test('works on an open invoice too, and numbers are consecutive', async () => {
    const { apiKey } = await createPayTenant(sql);
    for (const number of ['1', '2']) {
      const { id } = await createInvoice(apiKey, { tax_document: NFSE });
      expect((await get(apiKey, `/invoices/${id}`)).tax_document).toBeNull();
      expect((await issued(apiKey, id)).document_number).toBe(number);
    }
  });

  test.each([
    [{}, ['type']],
    [{ type: null, service_code: '1' }, ['type']],
    [{ type: 'nf', service_code: '1' }, ['type']],
    [{ type: 'nfse' }, ['service_code']],
    [{ type: 'nfse', service_code: null }, ['service_code']],
    [{ type: 'nfse', service_code: ' ' }, ['service_code']],
    [{ ...NFSE, metadata: 'x' }, ['metadata']],
    [{ ...NFSE, metadata: { a: 'x'.repeat(501) } }, ['metadata.a']],
    [{ ...NFSE, our_number: 'x' }, ['our_number']],
    [{ type: 'nfe', metadata: 5 }, ['metadata']],
  ])('rejects %.60j', async (body, fields) => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    expect(faultsOf(await pay(apiKey, pathOf(id), body), 422, 'validation_error')).toEqual(fields);
  });

  test.each(['nfe', 'peppol'])('does not support %s', async (type) => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    faultsOf(await pay(apiKey, pathOf(id), { type }), 501, 'provider_not_configured');
  });

  test('requires the tax_id of the customer', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey, { customer: { ...invoice().customer, tax_id: null } });
    expect(faultsOf(await pay(apiKey, pathOf(id), NFSE), 422, 'validation_error')).toEqual([
      'customer.tax_id',
    ]);
  });

  test('ignores members that it does not know, even if they cannot be stored', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    const unknown = { '\u0000': { '\ud800': '\udc00' }, more: ['\u0000'], text: 'a\u0000' };
    bodyOf(await pay(apiKey, pathOf(id), { ...NFSE, taxes: { iss: 5, ...unknown }, ...unknown }), 202);
  });

  test('is rejected for a canceled and for a failed invoice', async () => {
    const { apiKey } = await createPayTenant(sql);
    const canceled = await createInvoice(apiKey);
    bodyOf(await pay(apiKey, `/invoices/${canceled.id}/cancel`, {}), 200);
    const failed = await createInvoice(apiKey, { payment_method: { type: 'pix', expires_in_seconds: 1 } });
    await untilStatus(apiKey, `/invoices/${failed.id}`, 'failed');
    for (const { id } of [canceled, failed]) {
      faultsOf(await pay(apiKey, pathOf(id), NFSE), 409, 'conflict');
      expect((await get(apiKey, `/invoices/${id}`)).tax_document).toBeNull();
    }
  });

  test('twice concurrently creates one', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    const replies = await Promise.all([1, 2, 3].map(() => pay(apiKey, pathOf(id), NFSE)));
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    for (const reply of replies) if (reply.status === 409) faultsOf(reply, 409, 'tax_document_exists');
  });
});

describe('a failing issuance', () => {
  test('ends failed, and issuing again creates another document', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id: invoiceId } = await paidInvoice(apiKey);
    const failed = await issued(apiKey, invoiceId, { service_code: '99.99' });
    expect(failed.status).toBe('failed');
    expect(failed).not.toHaveProperty('document_number');
    expect(failed).not.toHaveProperty('pdf_url');
    expect(await eventsOf(failed.id)).toEqual(['tax_document.failed']);
    const path = `${pathOf(invoiceId)}/${failed.id}`;
    faultsOf(await pay(apiKey, `${path}/cancel`, {}), 409, 'tax_document_not_cancelable');
    const done = await issued(apiKey, invoiceId);
    expect([done.status, done.document_number]).toEqual(['issued', '1']);
    expect(done.id).not.toBe(failed.id);
    expect(await get(apiKey, path)).toEqual(failed);
    expect((await get(apiKey, `/invoices/${invoiceId}`)).tax_document.id).toBe(done.id);
  });
});

describe('auto_issue', () => {
  test('is pending until the payment', async () => {
    const { apiKey } = await createPayTenant(sql);
    const open = await createInvoice(apiKey, AUTO);
    const { id } = open.tax_document;
    expect(open.tax_document).toEqual({
      id: expect.stringMatching(/^txd_/),
      type: 'nfse',
      status: 'pending',
      auto_issue: true,
    });
    faultsOf(await pay(apiKey, pathOf(open.id), NFSE), 409, 'tax_document_exists');
    faultsOf(await pay(apiKey, `${pathOf(open.id)}/${id}/cancel`, {}), 409, 'tax_document_not_cancelable');
    expect(await sql`select name from jobs where key = ${id}`).toEqual([]);
    await payInvoice(apiKey, open.id);
    const done = await untilStatus(apiKey, `${pathOf(open.id)}/${id}`, 'issued');
    expect(Date.parse(done.issued_at)).toBeGreaterThan(Date.parse(open.created));
    expect((await get(apiKey, `/invoices/${open.id}`)).tax_document).toMatchObject({
      id,
      status: 'issued',
      auto_issue: true,
    });
  });

  test('without a type is nfse; a failure is visible, and fixed by another request', async () => {
    const { apiKey } = await createPayTenant(sql);
    const tax_document = { auto_issue: true, service_code: '99.99', type: null };
    const { id, tax_document: attached } = await paidInvoice(apiKey, { tax_document });
    expect(attached.type).toBe('nfse');
    await untilStatus(apiKey, `${pathOf(id)}/${attached.id}`, 'failed');
    expect((await get(apiKey, `/invoices/${id}`)).status).toBe('paid');
    expect((await issued(apiKey, id)).status).toBe('issued');
  });

  test('issues a new one when the payment arrives after the invoice has failed', async () => {
    const { apiKey } = await createPayTenant(sql);
    const short = { payment_method: { type: 'boleto', expires_in_seconds: 1 } };
    const { id, tax_document: first } = await createInvoice(apiKey, { ...AUTO, ...short });
    await untilStatus(apiKey, `/invoices/${id}`, 'failed');
    // As a late notification of a provider would.
    await sql`update invoices set status = 'paid', fee = 1 where id = ${id}`;
    const { status, tax_document: second } = await get(apiKey, `/invoices/${id}`);
    expect([status, second.id === first.id]).toEqual(['paid', false]);
    expect(await sql`select name from jobs where key = ${second.id}`).toEqual([
      { name: 'issue-tax-document' },
    ]);
    expect((await get(apiKey, `/balance-transactions?source=${id}`)).data).toMatchObject([
      { type: 'charge' },
    ]);
  });

  test.each([
    ['canceled', {}],
    ['failed', { payment_method: { type: 'pix', expires_in_seconds: 1 } }],
  ])('is canceled when its invoice is %s', async (status, more) => {
    const { apiKey } = await createPayTenant(sql);
    const open = await createInvoice(apiKey, { ...AUTO, ...more });
    if (status === 'canceled') {
      const canceled = bodyOf(await pay(apiKey, `/invoices/${open.id}/cancel`, {}), 200);
      expect(canceled.tax_document.status).toBe('canceled');
    }
    await untilStatus(apiKey, `/invoices/${open.id}`, status);
    const document = await get(apiKey, `${pathOf(open.id)}/${open.tax_document.id}`);
    expect(document.status).toBe('canceled');
    expect(await eventsOf(document.id)).toEqual(['tax_document.canceled']);
  });
});

describe('the files', () => {
  test('open without authentication, and show what was billed', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await paidInvoice(apiKey, { amount: 123_456 });
    const done = await issued(apiKey, id);
    const [xml, pdf] = await Promise.all([fetch(done.xml_url), fetch(done.pdf_url)]);
    expect([xml.status, xml.redirected, xml.headers.get('content-type')]).toEqual([
      200,
      true,
      expect.stringContaining('xml'),
    ]);
    const text = await xml.text();
    expect(XMLValidator.validate(text)).toBe(true);
    const { infNFSe } = new XMLParser({ parseTagValue: false }).parse(text).NFSe;
    expect([infNFSe.nNFSe, infNFSe.valores.vLiq]).toEqual(['1', '1234.56']);
    expect(infNFSe.DPS.infDPS.toma).toMatchObject({ CPF: '52998224725', xNome: 'Maria Silva' });
    expect(pdf.headers.get('content-type')).toContain('application/pdf');
    const bytes = new Uint8Array(await pdf.arrayBuffer());
    expect((await readPdf(bytes)).texts.join(' ')).toContain('Maria Silva');
    expect(done.xml_url.split('/').at(-2)).toBe(done.pdf_url.split('/').at(-2));
  });

  test('do not exist before it is issued', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { tax_document } = await createInvoice(apiKey, AUTO);
    const [row] = await waitFor(
      () => sql`select public_token as token from tax_documents where id = ${tax_document.id}`,
    );
    const { payment_method: made } = await createInvoice(apiKey);
    const url = made.pix.qr_code_image_url.replace(/[^/]+\/qr\.png$/, `${row?.token}/nfse.pdf`);
    expect((await fetch(url)).status).toBe(404);
  });
});
