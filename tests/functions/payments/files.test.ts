// Files for payers: QR codes and boletos, without authentication, at URLs that cannot be guessed.
import { expect, inject, test } from 'vitest';
import { bankDayFrom } from '../../../shared/payments/formats/business-days.ts';
import { addDays, dayInSaoPaulo } from '../../../shared/payments/formats/sao-paulo.ts';
import { connectDatabase } from '../../support/database.ts';
import { proxyBefore, startOwnFunction } from '../../support/functions.ts';
import { untilMinuteHas } from '../../support/limits/windows.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  issued,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { pay } from '../../support/payments/payments.ts';
import { readQrPng } from '../../support/payments/qr.ts';
import { decode2of5, readPdf } from '../../support/payments/read-pdf.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const method = (type: string, more: Record<string, unknown> = {}) => ({ payment_method: { type, ...more } });

/** The card payment page of the functions. The stack uses the page of its console instead. */
const checkoutOf = ({ payment_method: { card } }: { payment_method: { card: { checkout_url: string } } }) =>
  `${inject('env').FUNCTIONS_URL}/payments/sandbox/checkout/${card.checkout_url.split('/').at(-1)}`;

/** Opens a URL as a payer does. */
async function open(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

test.each(['pix', 'bolepix'])('the QR code of a %s decodes to its payload', async (type) => {
  const { apiKey } = await createPayTenant(sql);
  const { payment_method: made } = await createInvoice(apiKey, { ...method(type), amount: 98_765_432_1 });
  const { response, bytes } = await open(made.pix.qr_code_image_url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(response.headers.get('cache-control')).not.toContain('public');
  expect(readQrPng(bytes).text).toBe(made.pix.qr_code);
  const head = await open(made.pix.qr_code_image_url, { method: 'HEAD' });
  expect([head.response.status, head.bytes.length]).toEqual([200, 0]);
});

test.each(['boleto', 'bolepix'])(
  'the PDF of a %s opens repeatedly, with line, bars and payer',
  async (type) => {
    const { apiKey } = await createPayTenant(sql);
    const { payment_method: made, our_number } = await createInvoice(apiKey, method(type));
    for (let i = 0; i < 2; i++) {
      const { response, bytes } = await open(made.boleto.pdf_url);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('application/pdf'),
      ]);
      const { texts, fills } = await readPdf(bytes);
      const text = texts.join(' ');
      expect(text.replace(/[ .]/g, '')).toContain(made.boleto.digitable_line);
      expect(text).toContain('Maria Silva');
      expect(text).toContain(our_number);
      const bars = fills
        .filter((shapes) => shapes.length > 100)
        .map((shapes) => {
          try {
            return decode2of5(shapes);
          } catch {
            return '';
          }
        });
      expect(bars).toContain(made.boleto.barcode);
    }
  },
);

test('a file opens thirty times a minute, and others of the invoice as often', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { payment_method: made } = await createInvoice(apiKey, method('bolepix'));
  await untilMinuteHas(20);
  const statuses = async (url: string, times: number, init: RequestInit = {}) => {
    const replies = await Promise.all(
      Array.from({ length: times }, () => fetch(url, { ...init, redirect: 'manual' })),
    );
    return replies.map(({ status }) => status).sort();
  };
  const url = made.pix.qr_code_image_url;
  expect(await statuses(url, 31)).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
  const limited = await fetch(url);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await statuses(url, 1, { method: 'HEAD' })).toEqual([200]);
  expect(await statuses(made.boleto.pdf_url, 1)).toEqual([302]);
});

test('dates of a boleto are those of São Paulo, and its last day is a business day', async () => {
  const { apiKey } = await createPayTenant(sql);
  const textOf = async (more: object, created: string, expiresAt: string) => {
    const { id, payment_method: made } = await createInvoice(apiKey, method('boleto', { ...more }));
    await sql`update invoices set created = ${created}, expires_at = ${expiresAt} where id = ${id}`;
    return (await readPdf((await open(made.boleto.pdf_url)).bytes)).texts.join(' ');
  };
  const night = await textOf({}, '2026-11-25T01:41:00Z', '2026-11-28T01:41:00Z');
  expect(new Set(night.match(/\d\d\/\d\d\/\d{4}/g))).toEqual(new Set(['24/11/2026', '27/11/2026']));
  const due = dayInSaoPaulo(new Date());
  const last = bankDayFrom(addDays(due, 30));
  const terms = await textOf({ due_date: due }, '2026-11-25T01:41:00Z', '2026-11-28T01:41:00Z');
  expect(terms).toContain(`Não receber após ${last.split('-').reverse().join('/')}.`);
});

test('a file of an ended invoice still opens', async () => {
  const { apiKey } = await createPayTenant(sql);
  const canceled = await createInvoice(apiKey);
  bodyOf(await pay(apiKey, `/invoices/${canceled.id}/cancel`, {}), 200);
  const expired = await createInvoice(apiKey, method('boleto', { expires_in_seconds: 1 }));
  await untilStatus(apiKey, `/invoices/${expired.id}`, 'failed');
  for (const url of [canceled.payment_method.pix.qr_code_image_url, expired.payment_method.boleto.pdf_url]) {
    expect((await open(url)).response.status).toBe(200);
  }
});

test('URLs are random, differ per invoice, and contain no id', async () => {
  const { id: tenantId, apiKey } = await createPayTenant(sql);
  const made = await Promise.all(Array.from({ length: 4 }, () => createInvoice(apiKey)));
  const tokens = made.map(({ id, our_number, payment_method }) => {
    const token: string = payment_method.pix.qr_code_image_url.split('/').at(-2);
    expect(token).toMatch(/^[0-9A-Za-z]{32}$/);
    for (const known of [id, id.slice(4), our_number, tenantId]) expect(token).not.toContain(known);
    return token;
  });
  expect(new Set(tokens).size).toBe(tokens.length);
});

test('a missing file returns 404, and other methods return 405', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { id, payment_method: made } = await createInvoice(apiKey);
  const card = await createInvoice(apiKey, method('card'));
  const [row] = await sql`select public_token as token from invoices where id = ${card.id}`;
  const base = `${inject('stack').base_url}/functions/v1/payments/files`;
  const token: string = made.pix.qr_code_image_url.split('/').at(-2);
  for (const path of [
    `${'a'.repeat(32)}/qr.png`,
    `${'a'.repeat(32)}/nfse.pdf`,
    `${token.slice(0, 31)}/qr.png`,
    `${token.toLowerCase()}x/qr.png`,
    `${token}/boleto.pdf`,
    `${token}/nfse.xml`,
    `${token}/qr.svg`,
    `${token}/..%2f..%2fqr.png`,
    `${token}%00/qr.png`,
    `${id}/qr.png`,
    `${row?.token}/qr.png`,
    `${row?.token}/boleto.pdf`,
    token,
  ]) {
    const response = await fetch(`${base}/${path}`);
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      404,
      'application/problem+json',
    ]);
    await response.body?.cancel();
  }
  for (const url of [made.pix.qr_code_image_url, checkoutOf(card)]) {
    const { response } = await open(url, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  }
});

test('the checkout of a card opens; other checkouts return 404', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { id, payment_method: made } = await createInvoice(apiKey, method('card'));
  const checkout = checkoutOf({ payment_method: made });
  expect((await open(checkout)).response.status).toBe(200);
  const pix = await createInvoice(apiKey);
  const [row] = await sql`select provider_reference as other from invoices where id = ${pix.id}`;
  for (const unknown of ['sbx_0000000000000000', row?.other, id, 'x', 'sbx_%00', `${'x'.repeat(2000)}`]) {
    const { response } = await open(checkout.replace(/[^/]+$/, unknown));
    expect([unknown, response.status, response.headers.get('content-type')]).toEqual([
      unknown,
      404,
      'application/problem+json',
    ]);
  }
});

test('Storage unreachable or silent: 503 with Retry-After for existing files, and 200 once it is back', async () => {
  const { proxy, url } = await proxyBefore(inject('env').SUPABASE_URL ?? '');
  const { baseUrl } = await startOwnFunction('payments', { SUPABASE_URL: url });
  const { apiKey } = await createPayTenant(sql);
  const made = await createInvoice(apiKey, method('boleto'));
  const tax = await issued(apiKey, made.id);
  const addresses = [made.payment_method.boleto.pdf_url, tax.xml_url, tax.pdf_url].map((address: string) =>
    address.replace(/^.*?(?=\/payments\/files)/, baseUrl),
  );
  const statuses = () =>
    Promise.all(
      addresses.map(async (address) => {
        const response = await fetch(address, { redirect: 'manual' });
        await response.body?.cancel();
        return [response.status, response.headers.get('retry-after')];
      }),
    );
  const away = addresses.map(() => [503, '5']);
  proxy.cut();
  expect(await statuses()).toEqual(away);
  proxy.restore();
  proxy.freeze();
  expect(await statuses()).toEqual(away);
  proxy.cut();
  proxy.restore();
  // The function may still use a connection that was closed.
  await waitFor(async () => (await statuses()).every(([status]) => status === 302));
});

test('HEAD of a boleto stores nothing: the first GET generates the PDF', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  const { payment_method: made } = await createInvoice(apiKey, method('boleto'));
  const kept = () => sql`select from storage.objects where name like ${`${id}/%`}`;
  const head = await open(made.boleto.pdf_url, { method: 'HEAD', redirect: 'manual' });
  expect([head.response.status, head.response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(await kept()).toHaveLength(0);
  expect((await open(made.boleto.pdf_url)).response.status).toBe(200);
  expect(await kept()).toHaveLength(1);
});
