/** `/invoices`: NFS-e, scheduled here and issued by the municipality. */
import { Hono } from 'hono';
import { z } from 'zod';
import { saoPaulo } from './calendar.ts';
import { badRequest, invalidAction, notFound } from './errors.ts';
import { MUNICIPAL_SERVICES } from './fiscal.ts';
import { authorize, cancelByRequest, emitInvoice, renderInvoice } from './invoice-life.ts';
import { checkTaxes, Taxes } from './invoice-taxes.ts';
import { type AsaasApp, Day, dayRange, filterBy, newestFirst, page, Reais, readBody } from './requests.ts';
import { type AsaasServices, numberedId } from './services.ts';
import type { Account, Invoice } from './state.ts';

const required = {
  serviceDescription: z.string().min(1),
  observations: z.string(),
  value: Reais,
  deductions: Reais,
  effectiveDate: Day,
  taxes: Taxes,
};
const optional = { externalReference: z.string().nullish(), updatePayment: z.boolean().nullish() };

const NewInvoice = z.object({
  ...required,
  ...optional,
  payment: z.string().nullish(),
  installment: z.string().nullish(),
  customer: z.string().nullish(),
  municipalServiceId: z.string().nullish(),
  municipalServiceCode: z.string().nullish(),
  municipalServiceName: z.string().nullish(),
});
const InvoiceChange = z.object({ ...required, ...optional }).partial();
const Cancellation = z.object({ cancelOnlyOnAsaas: z.boolean().nullish() });

/** Without authorization, an invoice is issued on its day at this time. */
const ISSUED_AT_HOUR_MS = 9 * 60 * 60_000;
/** An invoice for today is issued after this delay. */
const ISSUED_AFTER_MS = 60 * 60_000;

function createInvoice(
  services: AsaasServices,
  account: Account,
  order: z.output<typeof NewInvoice>,
): Invoice {
  if (account.fiscalInfo === null) {
    throw invalidAction('É necessário configurar as informações fiscais antes de emitir notas fiscais.');
  }
  const payment = account.payments.find(({ id }) => id === order.payment);
  if (order.payment && payment === undefined) throw badRequest('invalid_payment', 'Cobrança inválida.');
  const customerId = payment?.customer ?? order.customer;
  const customer = account.customers.find(({ id }) => id === customerId);
  if (customer === undefined) {
    throw badRequest('invalid_customer', 'Informe a cobrança, o parcelamento ou o cliente da nota fiscal.');
  }
  if (order.value <= 0) throw badRequest('invalid_value', 'O valor da nota fiscal deve ser maior que zero.');
  if (order.effectiveDate < services.today()) {
    throw badRequest('invalid_effectiveDate', 'A data de emissão não pode ser anterior a hoje.');
  }
  const known = MUNICIPAL_SERVICES.find(({ id }) => id === order.municipalServiceId);
  if (order.municipalServiceId && known === undefined) {
    throw badRequest('invalid_municipalServiceId', 'Serviço municipal inválido.');
  }
  if (!order.municipalServiceId && !order.municipalServiceCode) {
    throw badRequest('invalid_municipalServiceCode', 'Informe o serviço municipal.');
  }
  if (account.options.municipalServiceNameRequired && !order.municipalServiceName) {
    throw badRequest('invalid_municipalServiceName', 'Informe o nome do serviço municipal.');
  }
  checkTaxes(account, order.taxes, order.effectiveDate);
  const running = services.kit.nextNumber();
  const { serviceDescription, observations, deductions, taxes, effectiveDate, value } = order;
  const invoice: Invoice = {
    id: numberedId('inv', running),
    running,
    status: 'SCHEDULED',
    statusDescription: null,
    customer: customer.id,
    payment: payment?.id ?? null,
    value,
    effectiveDate,
    number: null,
    validationCode: null,
    rpsNumber: null,
    externalReference: order.externalReference ?? null,
    details: {
      serviceDescription,
      observations,
      deductions: deductions / 100,
      taxes,
      municipalServiceId: order.municipalServiceId ?? null,
      municipalServiceCode: order.municipalServiceCode ?? null,
      municipalServiceName:
        order.municipalServiceName ?? known?.description ?? order.municipalServiceCode ?? null,
    },
  };
  account.invoices.push(invoice);
  emitInvoice(services, account, 'INVOICE_CREATED', invoice);
  const isToday = effectiveDate <= services.today();
  const issuedAtMs = isToday
    ? services.now() + ISSUED_AFTER_MS
    : saoPaulo.startOf(effectiveDate) + ISSUED_AT_HOUR_MS;
  services.kit.scheduler.schedule('invoices:issue', issuedAtMs, { account: account.id, invoice: invoice.id });
  return invoice;
}

export function findInvoice(account: Account, id: string): Invoice {
  const invoice = account.invoices.find((candidate) => candidate.id === id);
  if (invoice === undefined) throw notFound();
  return invoice;
}

export function invoiceRoutes(services: AsaasServices): AsaasApp {
  const app: AsaasApp = new Hono();

  app.post('/', async (c) => {
    const account = c.get('account');
    const invoice = createInvoice(services, account, await readBody(c, NewInvoice));
    return c.json(renderInvoice(services, account, invoice));
  });

  app.get('/', (c) => {
    const account = c.get('account');
    const found = filterBy(c, newestFirst(account.invoices), {
      payment: ({ payment }, requested) => payment === requested,
      installment: () => false,
      customer: ({ customer }, requested) => customer === requested,
      externalReference: ({ externalReference }, requested) => externalReference === requested,
      status: ({ status }, requested) => status === requested,
      // Only these filters spell their operators with a capital letter.
      ...dayRange<Invoice>('effectiveDate', ({ effectiveDate }) => effectiveDate, ['Ge', 'Le']),
    });
    return c.json(page(c, found, (invoice) => renderInvoice(services, account, invoice)));
  });

  app.get('/:id', (c) => {
    const account = c.get('account');
    return c.json(renderInvoice(services, account, findInvoice(account, c.req.param('id'))));
  });

  app.put('/:id', async (c) => {
    const account = c.get('account');
    const invoice = findInvoice(account, c.req.param('id'));
    const {
      value,
      effectiveDate,
      externalReference,
      deductions,
      updatePayment: _,
      ...details
    } = await readBody(c, InvoiceChange);
    if (invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR') {
      throw invalidAction('Somente notas fiscais agendadas ou com erro podem ser alteradas.');
    }
    invoice.value = value ?? invoice.value;
    invoice.effectiveDate = effectiveDate ?? invoice.effectiveDate;
    if (externalReference !== undefined) invoice.externalReference = externalReference;
    if (deductions !== undefined) invoice.details.deductions = deductions / 100;
    Object.assign(invoice.details, details);
    emitInvoice(services, account, 'INVOICE_UPDATED', invoice);
    return c.json(renderInvoice(services, account, invoice));
  });

  app.post('/:id/authorize', (c) => {
    const account = c.get('account');
    const invoice = findInvoice(account, c.req.param('id'));
    if (invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR') {
      throw invalidAction('Somente notas fiscais agendadas ou com erro podem ser emitidas.');
    }
    authorize(services, account, invoice);
    return c.json(renderInvoice(services, account, invoice));
  });

  app.post('/:id/cancel', async (c) => {
    const account = c.get('account');
    const invoice = findInvoice(account, c.req.param('id'));
    const { cancelOnlyOnAsaas } = await readBody(c, Cancellation);
    cancelByRequest(services, account, invoice, cancelOnlyOnAsaas ?? false);
    return c.json(renderInvoice(services, account, invoice));
  });
  return app;
}
