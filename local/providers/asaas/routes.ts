/** The other routes: access, customers, payments, the account and its statement. */
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';
import { isValidEmail } from '@brazilian-utils/brazilian-utils/is-valid-email';
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { hasBody } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { identificationField, pixQrCode } from './artifacts.ts';
import {
  asaasError,
  badRequest,
  type Desk,
  find,
  invalidAction,
  notFound,
  numberedId,
  toReais,
} from './desk.ts';
import { pay, receive, undoReceivedInCash } from './payment-money.ts';
import {
  createPayment,
  listedRefunds,
  NewPayment,
  removePayment,
  renderPayment,
  renderRefund,
} from './payment-orders.ts';
import { refund, requestBoletoRefund } from './payment-returns.ts';
import {
  type AsaasApp,
  type AsaasContext,
  type AsaasEnvironment,
  newestFirst,
  page,
  Reais,
  readBody,
  since,
} from './requests.ts';
import type { Customer, Payment, StatementEntry } from './state.ts';

export function requireAccess(
  deskOfKey: (key: string | undefined) => Desk | undefined,
): MiddlewareHandler<AsaasEnvironment> {
  return async (c, next) => {
    // Asaas rejects these requests before they reach the API, so the response has no body.
    if (c.req.method === 'GET' && hasBody(c.env)) throw new VendorError(403, undefined);
    const desk = deskOfKey(c.req.header('access_token'));
    if (desk === undefined)
      throw asaasError(401, [
        { code: 'invalid_access_token', description: 'A chave de API fornecida é inválida' },
      ]);
    if (!c.req.header('user-agent'))
      throw badRequest('user_agent_required', 'O cabeçalho User-Agent é obrigatório.');
    c.set('desk', desk);
    await next();
  };
}

const CustomerOrder = z.strictObject({
  name: z.string().trim().min(1).max(255),
  cpfCnpj: z.string(),
  externalReference: z.string().optional(),
  ...Object.fromEntries(
    ['email', 'phone', 'mobilePhone', 'address', 'addressNumber', 'complement', 'province', 'postalCode'].map(
      (name) => [name, z.string().max(255).optional()],
    ),
  ),
  notificationDisabled: z.boolean().optional(),
});

function checkCustomer({ cpfCnpj, ...details }: z.output<typeof CustomerOrder>): void {
  const { email, mobilePhone, postalCode }: Record<string, unknown> = details;
  if (cpfCnpj.length === 11 ? !isValidCpf(cpfCnpj) : !isValidCnpj(cpfCnpj, { version: 2 }))
    throw badRequest('invalid_object', 'O CPF/CNPJ informado é inválido.');
  if (typeof postalCode === 'string' && !/^\d{5}-?\d{3}$/.test(postalCode))
    throw badRequest('invalid_postalCode', 'O CEP informado é inválido.');
  if (typeof email === 'string' && !isValidEmail(email))
    throw badRequest('invalid_email', 'O email informado é inválido.');
  if (typeof mobilePhone === 'string' && !(/^\d{10,11}$/.test(mobilePhone) && !/^(\d)\1+$/.test(mobilePhone)))
    throw badRequest('invalid_mobilePhone', 'O celular informado é inválido.');
}

/** Relations and details that are not set are left out or null. */
const renderCustomer = ({ details, ...customer }: Customer) => ({
  object: 'customer',
  ...customer,
  ...details,
});

/** Duplicates are allowed: clients must search before they create a customer. */
export function customerRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  app.post('/', async (c) => {
    const { account, kit } = c.get('desk');
    const order = await readBody(c, CustomerOrder);
    checkCustomer(order);
    const { cpfCnpj, externalReference = null, ...details } = order;
    const id = numberedId('cus', kit.nextNumber());
    const customer: Customer = { id, deleted: false, cpfCnpj, externalReference, details };
    account.customers.push(customer);
    return c.json(renderCustomer(customer));
  });
  app.get('/', (c) =>
    page(
      c,
      newestFirst(c.get('desk').account.customers).filter(({ deleted }) => !deleted),
      renderCustomer,
      { externalReference: ({ externalReference }, requested) => externalReference === requested },
    ),
  );
  app.put('/:id', async (c) => {
    const customer = find(c.get('desk').account.customers, c.req.param('id'));
    const order = await readBody(c, CustomerOrder);
    checkCustomer(order);
    const { cpfCnpj, externalReference: _, ...details } = order;
    // Absent members stay unchanged.
    Object.assign(customer, { cpfCnpj, details: { ...customer.details, ...details } });
    return c.json(renderCustomer(customer));
  });
  return app;
}

const RefundOrder = z.strictObject({ value: Reais, description: z.string() });

export function paymentRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  const paymentOf = (c: AsaasContext): Payment => find(c.get('desk').account.payments, c.req.param('id'));
  const answer = (c: AsaasContext, payment: Payment) => c.json(renderPayment(c.get('desk'), payment));

  app.post('/', async (c) => answer(c, createPayment(c.get('desk'), await readBody(c, NewPayment))));
  app.get('/', (c) => {
    const desk = c.get('desk');
    const { payments, options } = desk.account;
    const shown = newestFirst(payments).filter(({ deleted }) => !deleted || options.listsShowDeleted);
    return page(c, shown, (payment) => renderPayment(desk, payment), {
      status: ({ status }, requested) => status === requested,
      externalReference: ({ externalReference }, requested) => externalReference === requested,
      'dateCreated[ge]': since(({ dateCreated }) => dateCreated),
      'paymentDate[ge]': since(({ paymentDate }) => paymentDate),
    });
  });
  app.get('/:id', (c) => answer(c, paymentOf(c)));
  app.delete('/:id', (c) => {
    const payment = paymentOf(c);
    removePayment(c.get('desk'), payment);
    return c.json({ deleted: true, id: payment.id });
  });
  app.get('/:id/pixQrCode', (c) => c.json(pixQrCode(c.get('desk'), paymentOf(c))));
  app.get('/:id/identificationField', (c) => c.json(identificationField(c.get('desk'), paymentOf(c))));
  app.post('/:id/refund', async (c) => {
    const payment = paymentOf(c);
    const order = await readBody(c, RefundOrder);
    if (payment.billingType === 'BOLETO') throw invalidAction('Boletos são estornados por /bankSlip/refund.');
    refund(c.get('desk'), payment, order);
    return answer(c, payment);
  });
  app.get('/:id/refunds', (c) => page(c, listedRefunds(c.get('desk').account, paymentOf(c)), renderRefund));
  app.post('/:id/bankSlip/refund', (c) => {
    const payment = paymentOf(c);
    requestBoletoRefund(c.get('desk'), payment);
    return c.json({ requestUrl: `${c.get('desk').kit.url}/000/refundRequest/${payment.id}` });
  });
  app.post('/:id/undoReceivedInCash', (c) => {
    undoReceivedInCash(c.get('desk'), paymentOf(c));
    return answer(c, paymentOf(c));
  });
  return app;
}

const renderEntry = ({ value, balance, ...entry }: StatementEntry) => ({
  object: 'financialTransaction',
  ...entry,
  value: toReais(value),
  balance: toReais(balance),
});

export function accountRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  app.get('/finance/balance', (c) => c.json({ balance: toReais(c.get('desk').balance()) }));
  app.get('/financialTransactions', (c) => {
    const { statement } = c.get('desk').account;
    const sorted = c.req.query('order') === 'asc' ? statement : newestFirst(statement);
    return page(c, sorted, renderEntry, {
      order: () => true,
      startDate: since(({ date }) => date),
    });
  });
  // Documented with a trailing slash.
  app.get('/myAccount/status/', (c) =>
    c.json({ id: c.get('desk').account.id, commercialInfo: 'APPROVED', general: 'APPROVED' }),
  );
  app.get('/pix/addressKeys', (c) => {
    const { id, options } = c.get('desk').account;
    const keys = options.pixKey ? [{ id, key: id, type: 'EVP', status: 'ACTIVE' }] : [];
    return page(c, keys, (key) => key, { status: ({ status }, requested) => status === requested });
  });
  // Test helper that Asaas offers only in its sandbox. Partner QR codes cannot be paid there.
  app.post('/sandbox/payment/:id/confirm', (c) => {
    const desk = c.get('desk');
    const payment = find(desk.account.payments, c.req.param('id'));
    if (payment.billingType === 'PIX' && !desk.account.options.pixKey) throw notFound();
    pay(desk, payment, {});
    if (payment.billingType === 'BOLETO') receive(desk, payment);
    return c.json(renderPayment(desk, payment));
  });
  return app;
}
