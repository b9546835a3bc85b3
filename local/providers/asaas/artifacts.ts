/** What payers pay with: Pix codes, boleto numbers, and the files and pages of the vendor. */
import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload';
import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { addDays } from '../days.ts';
import { type Desk, find, invalidAction, notFound, toReais } from './desk.ts';
import { isAwaited, pay } from './payment-money.ts';
import type { Account, Payment } from './state.ts';

/** Lifetime of a Pix code after the due date. */
const DAYS_AFTER_DUE = 365;
const BANK = '461';
const CURRENCY = '9';
const DAY_MS = 86_400_000;
const LARGE_BYTES = 11 * 1024 * 1024;

/** A code for one payment. It has no amount: the payer's bank fetches it from the URL in the code. */
export function pixQrCode({ account }: Desk, payment: Payment) {
  if (payment.billingType === 'CREDIT_CARD' || payment.deleted || !isAwaited(payment))
    throw invalidAction('Não é possível gerar QR Code Pix para esta cobrança.');
  const url = `pix-h.asaas.com/qr/cobv/${payment.id}`;
  const good = generatePixPayload({ url, merchantName: account.name, merchantCity: 'Sao Paulo' }) ?? '';
  // The last four digits are the checksum.
  const bad = good.slice(0, -4) + (good.endsWith('0000') ? '0001' : '0000');
  return {
    encodedImage: '',
    payload: account.options.artifacts === 'bad_crc' ? bad : good,
    expirationDate: `${addDays(payment.dueDate, DAYS_AFTER_DUE)} 23:59:59`,
  };
}

/** Check digit of a field of the line. */
function modulo10(digits: string): number {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10;
}

/** Check digit of the barcode. */
function modulo11(digits: string): number {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) sum += Number(digit) * (2 + (index % 8));
  const rest = 11 - (sum % 11);
  return rest === 0 || rest > 9 ? 1 : rest;
}

/** Due dates are days since 1997-10-07, which restart at 1000 after 9999. */
function boletoNumbers({ dueDate, value, nossoNumero }: Payment) {
  const days = Math.round((Date.parse(dueDate) - Date.parse('1997-10-07')) / DAY_MS);
  const factor = String(days < 10_000 ? days : 1000 + ((days - 10_000) % 9000)).padStart(4, '0');
  const head = BANK + CURRENCY;
  const tail = factor + String(value).padStart(10, '0');
  const free = `111${(nossoNumero ?? '').padStart(20, '0')}01`;
  const digit = modulo11(head + tail + free);
  const field = (digits: string): string => digits + modulo10(digits);
  return {
    barCode: head + digit + tail + free,
    identificationField:
      field(head + free.slice(0, 5)) + field(free.slice(5, 15)) + field(free.slice(15)) + digit + tail,
  };
}

/** The numbers of a boleto, or wrong ones if the account's options require it. */
export function identificationField({ account }: Desk, payment: Payment) {
  const { nossoNumero, deleted, value, dueDate } = payment;
  const { artifacts } = account.options;
  if (nossoNumero === null || deleted)
    throw invalidAction(
      'Somente é possível obter a linha digitável quando a forma de pagamento for boleto bancário.',
    );
  const good = boletoNumbers({
    ...payment,
    value: artifacts === 'wrong_amount' ? value + 1 : value,
    dueDate: artifacts === 'wrong_due_date' ? addDays(dueDate, 1) : dueDate,
  });
  const wrong = (numbers: string, at: number) =>
    numbers.slice(0, at) + ((Number(numbers[at]) + 1) % 10) + numbers.slice(at + 1);
  if (artifacts !== 'bad_digit') return { ...good, nossoNumero };
  return {
    barCode: wrong(good.barCode, 4),
    identificationField: wrong(good.identificationField, 32),
    nossoNumero,
  };
}

/** A file, or what replaces it, if the account's options require that. */
function file({ options }: Account, type: 'pdf' | 'xml'): Response {
  const headers = { 'content-type': `application/${type}` };
  switch (options.files) {
    case 'good':
      return new Response(type === 'pdf' ? '%PDF-1.4\n%%EOF' : '<?xml version="1.0"?><NFSe/>', { headers });
    case 'redirect':
      return new Response(null, { status: 302, headers: { location: 'https://files.example.com/file.pdf' } });
    case 'html':
      return new Response('Tente novamente mais tarde', { headers: { 'content-type': 'text/html' } });
    case 'large':
      return new Response(Buffer.alloc(LARGE_BYTES, '%PDF-'), { headers });
  }
}

/** Files, and the page on which a person who tries the demo pays. */
export function addPages(app: Hono<FakeEnvironment>, desks: () => Desk[]): void {
  const holding = (id: string): [Desk, Payment] => {
    for (const desk of desks()) {
      const payment = desk.account.payments.find((one) => one.id === id && !one.deleted);
      if (payment) return [desk, payment];
    }
    throw notFound();
  };
  app.get('/000/b/pdf/:id', (c) => {
    const [{ account }] = holding(c.req.param('id'));
    return file(account, 'pdf');
  });
  app.get('/nfse/:account/:file{inv_[0-9]+\\.(?:pdf|xml)}', (c) => {
    const [id, ending] = c.req.param('file').split('.');
    const accounts = desks().map(({ account }) => account);
    const account = find(accounts, c.req.param('account'));
    if (find(account.invoices, id).number === null) throw notFound();
    return file(account, ending === 'pdf' ? 'pdf' : 'xml');
  });
  app.get('/000/i/:id', (c) => {
    const [{ account }, payment] = holding(c.req.param('id'));
    const { value, dueDate, status } = payment;
    return c.html(html`<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>Fatura</title><h1>${account.name}</h1>
      <p>R$ ${toReais(value).toFixed(2)}, vencimento ${dueDate}: ${status}</p>
      ${isAwaited(payment) ? html`<form method="post"><button>Pagar</button></form>` : ''}</html>`);
  });
  app.post('/000/i/:id', (c) => {
    const [desk, payment] = holding(c.req.param('id'));
    pay(desk, payment, {});
    return c.redirect(payment.callback?.successUrl ?? c.req.path, 303);
  });
}
