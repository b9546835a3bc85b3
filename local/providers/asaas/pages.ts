/** Public pages and files: the payment page, the boleto as PDF, receipts, and the files of an NFS-e. */
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { ProviderEnvironment } from '../provider-server.ts';
import { boletoPdf, nfsePdf, nfseXml, receiptPdf } from './documents.ts';
import { notFound } from './errors.ts';
import { type ChosenBillingType, isAwaited, pay } from './payment-money.ts';
import { emitPayment } from './payment-orders.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Payment } from './state.ts';

interface Found {
  account: Account;
  payment: Payment;
}

export function addPages(app: Hono<ProviderEnvironment>, services: AsaasServices): void {
  const accounts = () => Object.values(services.kit.state.accounts);
  const find = (shortId: string): Found => {
    for (const account of accounts()) {
      const payment = account.payments.find((candidate) => candidate.shortId === shortId);
      if (payment !== undefined && !payment.deleted) return { account, payment };
    }
    throw notFound();
  };
  const customerOf = (account: Account, id: string) => account.customers.find((one) => one.id === id);
  const send = (c: Context, account: Account, file: Uint8Array | string, type: string) =>
    instead(account) ??
    c.body(typeof file === 'string' ? file : new Uint8Array(file), 200, { 'content-type': type });
  const pdf = (c: Context, account: Account, bytes: Uint8Array) => send(c, account, bytes, 'application/pdf');

  for (const root of ['', '/000']) {
    app.get(`${root}/i/:short`, (c) => {
      const { account, payment } = find(c.req.param('short'));
      payment.lastInvoiceViewedDate = services.nowText();
      emitPayment(services, account, 'PAYMENT_CHECKOUT_VIEWED', payment);
      return c.html(invoicePage(account, payment));
    });

    // The payer submits the page: `action` is pay or refuse, `billingType` is the payment method.
    app.post(`${root}/i/:short`, async (c) => {
      const { account, payment } = find(c.req.param('short'));
      const { action, billingType } = await c.req.parseBody();
      if (action === 'refuse') emitPayment(services, account, 'PAYMENT_CREDIT_CARD_CAPTURE_REFUSED', payment);
      else pay(services, account, payment, isChosenBillingType(billingType) ? { billingType } : {});
      const { callback } = payment;
      if (action !== 'refuse' && callback?.autoRedirect) return c.redirect(callback.successUrl, 303);
      return c.redirect(c.req.path, 303);
    });

    app.get(`${root}/b/pdf/:short`, async (c) => {
      const { account, payment } = find(c.req.param('short'));
      if (payment.nossoNumero === null) throw notFound();
      payment.lastBankSlipViewedDate = services.nowText();
      emitPayment(services, account, 'PAYMENT_BANK_SLIP_VIEWED', payment);
      return pdf(c, account, await boletoPdf(account, payment, customerOf(account, payment.customer)));
    });
  }

  app.get('/comprovantes/:id', async (c) => {
    const bytes = new Uint8Array(await receiptPdf(c.req.param('id')));
    return c.body(bytes, 200, { 'content-type': 'application/pdf' });
  });

  app.get('/nfse/:account/:file{inv_[0-9]+\\.(?:pdf|xml)}', async (c) => {
    const [id, ending] = c.req.param('file').split('.');
    const account = services.accountOf(c.req.param('account'));
    const invoice = account.invoices.find((candidate) => candidate.id === id && candidate.number !== null);
    if (invoice === undefined) throw notFound();
    const customer = customerOf(account, invoice.customer);
    if (ending === 'pdf') return pdf(c, account, await nfsePdf(account, invoice, customer));
    return send(c, account, nfseXml(account, invoice, customer), 'application/xml');
  });
}

const LARGE_BYTES = 11 * 1024 * 1024;

/** The response that replaces the account's files, if configured. */
function instead({ options }: Account): Response | undefined {
  switch (options.files) {
    case 'good':
      return undefined;
    case 'redirect':
      return new Response(null, { status: 302, headers: { location: 'https://files.example.com/file.pdf' } });
    case 'html':
      return new Response('Tente novamente mais tarde', { headers: { 'content-type': 'text/html' } });
    case 'large':
      return new Response(Buffer.alloc(LARGE_BYTES, '%PDF-'), {
        headers: { 'content-type': 'application/pdf' },
      });
  }
}

const isChosenBillingType = (text: unknown): text is ChosenBillingType =>
  text === 'PIX' || text === 'BOLETO' || text === 'CREDIT_CARD';

function invoicePage(account: Account, payment: Payment) {
  const billingTypes: ChosenBillingType[] =
    payment.billingType === 'UNDEFINED' ? ['PIX', 'BOLETO', 'CREDIT_CARD'] : [payment.billingType];
  const button = (action: string, billingType: ChosenBillingType, label: string) =>
    html`<form method="post"><input type="hidden" name="action" value="${action}"><input type="hidden" name="billingType"
      value="${billingType}"><button>${label}</button></form>`;
  const buttons = isAwaited(payment)
    ? [
        ...billingTypes.map((billingType) => button('pay', billingType, `Pagar (${billingType})`)),
        ...(billingTypes.includes('CREDIT_CARD')
          ? [button('refuse', 'CREDIT_CARD', 'Recusar o cartão')]
          : []),
      ]
    : [];
  return html`<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>Fatura</title>
    <h1>${account.name}</h1>
    <p>R$ ${(payment.value / 100).toFixed(2)}, vencimento ${payment.dueDate}: ${payment.status}</p>
    <p>${payment.description ?? ''}</p>${buttons}</html>`;
}
