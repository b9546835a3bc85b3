/** `/invoices`: NFS-e, scheduled here and issued by the municipality. */
import { Hono } from 'hono';
import { z } from 'zod';
import { DIGITS, randomText, UPPERCASE } from '../../fakes/random.ts';
import { badRequest, type Desk, find, invalidAction, numberedId, saoPaulo, toReais } from './desk.ts';
import { checkTaxes, renderTaxes, Taxes } from './invoice-taxes.ts';
import { type AsaasApp, Day, newestFirst, page, Reais, readBody, since } from './requests.ts';
import type { Invoice } from './state.ts';

const NewInvoice = z.strictObject({
  payment: z.string().optional(),
  customer: z.string().optional(),
  serviceDescription: z.string().min(1),
  observations: z.string().min(1),
  externalReference: z.string(),
  value: Reais,
  deductions: Reais,
  effectiveDate: Day,
  municipalServiceId: z.string().optional(),
  municipalServiceCode: z.string().optional(),
  municipalServiceName: z.string(),
  taxes: Taxes,
});

function renderInvoice({ kit, account }: Desk, { details, taxes, ...invoice }: Invoice) {
  const file = (ending: string) =>
    invoice.number === null ? null : `${kit.url}/nfse/${account.id}/${invoice.id}.${ending}`;
  return {
    object: 'invoice',
    ...invoice,
    ...details,
    type: 'NFS-e',
    value: toReais(invoice.value),
    pdfUrl: file('pdf'),
    xmlUrl: file('xml'),
    taxes: renderTaxes({ ...invoice, details, taxes }),
  };
}

function become(
  desk: Desk,
  invoice: Invoice,
  status: Invoice['status'],
  statusDescription: string | null = null,
) {
  invoice.status = status;
  invoice.statusDescription = statusDescription;
  desk.emit(`INVOICE_${status}`, 'invoice', renderInvoice(desk, invoice));
}

function createInvoice(desk: Desk, order: z.output<typeof NewInvoice>): Invoice {
  const { account } = desk;
  if (!account.options.fiscalInfo)
    throw invalidAction('É necessário configurar as informações fiscais antes de emitir notas fiscais.');
  const payment = account.payments.find(({ id }) => id === order.payment);
  const customer = account.customers.find(({ id }) => id === (payment?.customer ?? order.customer));
  if (customer === undefined)
    throw badRequest('invalid_customer', 'Informe a cobrança, o parcelamento ou o cliente da nota fiscal.');
  if (order.value <= 0) throw badRequest('invalid_value', 'O valor da nota fiscal deve ser maior que zero.');
  if (order.effectiveDate < desk.today())
    throw badRequest('invalid_effectiveDate', 'A data de emissão não pode ser anterior a hoje.');
  if (!order.municipalServiceId && !order.municipalServiceCode)
    throw badRequest('invalid_municipalServiceCode', 'Informe o serviço municipal.');
  checkTaxes(desk, order.taxes, order.effectiveDate);
  const { value, effectiveDate, externalReference, taxes, ...details } = order;
  const invoice: Invoice = {
    id: numberedId('inv', desk.kit.nextNumber()),
    status: 'SCHEDULED',
    statusDescription: null,
    customer: customer.id,
    payment: payment?.id ?? null,
    value,
    effectiveDate,
    number: null,
    validationCode: null,
    externalReference,
    taxes,
    details: { ...details, deductions: toReais(details.deductions) },
  };
  account.invoices.push(invoice);
  // Without authorization, it is issued on its day.
  const startsAt = saoPaulo.startOf(effectiveDate);
  desk.later('invoices:authorize', Math.max(startsAt, desk.now()) + 9 * 60 * 60_000, invoice.id);
  return invoice;
}

/** Sends the invoice to the municipality, which responds later. */
function authorize(desk: Desk, invoice: Invoice): void {
  const { invoices, invoiceMs } = desk.account.options;
  become(desk, invoice, 'SYNCHRONIZED');
  if (invoices !== 'held') desk.later('invoices:answer', desk.now() + invoiceMs, invoice.id);
}

function answer(desk: Desk, invoice: Invoice): void {
  const { invoices, invoiceError } = desk.account.options;
  if (invoice.status !== 'SYNCHRONIZED') return;
  if (invoices === 'error') {
    become(desk, invoice, 'ERROR', invoiceError);
    return;
  }
  invoice.number = String(desk.account.invoices.filter(({ number }) => number !== null).length + 1);
  invoice.validationCode = randomText(UPPERCASE + DIGITS, 8);
  become(desk, invoice, 'AUTHORIZED');
}

function cancel(desk: Desk, invoice: Invoice): void {
  const { supportsCancellation, cancellations, invoiceMs } = desk.account.options;
  if (invoice.status === 'SCHEDULED' || invoice.status === 'ERROR') {
    become(desk, invoice, 'CANCELED');
    return;
  }
  if (invoice.status !== 'AUTHORIZED' && invoice.status !== 'CANCELLATION_DENIED')
    throw invalidAction('A nota fiscal não pode ser cancelada.');
  if (!supportsCancellation)
    throw invalidAction('A prefeitura não permite o cancelamento automático de notas fiscais.');
  become(desk, invoice, 'PROCESSING_CANCELLATION');
  if (cancellations !== 'held') desk.later('invoices:cancellation', desk.now() + invoiceMs, invoice.id);
}

/** The municipality's response to a cancellation. */
export function concludeCancellation(desk: Desk, invoice: Invoice, outcome: 'canceled' | 'denied'): void {
  if (outcome === 'denied')
    become(desk, invoice, 'CANCELLATION_DENIED', desk.account.options.cancellationError);
  else become(desk, invoice, 'CANCELED');
}

export const invoiceJobs = {
  'invoices:authorize': (desk: Desk, invoice: Invoice) => {
    if (invoice.status === 'SCHEDULED') authorize(desk, invoice);
  },
  'invoices:answer': answer,
  'invoices:cancellation': (desk: Desk, invoice: Invoice) => {
    if (invoice.status !== 'PROCESSING_CANCELLATION') return;
    const { cancellations } = desk.account.options;
    concludeCancellation(desk, invoice, cancellations === 'denied' ? 'denied' : 'canceled');
  },
};

export function invoiceRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  app.post('/', async (c) => {
    const desk = c.get('desk');
    return c.json(renderInvoice(desk, createInvoice(desk, await readBody(c, NewInvoice))));
  });
  app.get('/', (c) => {
    const desk = c.get('desk');
    return page(c, newestFirst(desk.account.invoices), (invoice) => renderInvoice(desk, invoice), {
      externalReference: ({ externalReference }, requested) => externalReference === requested,
      // Only this filter spells its operator with a capital letter.
      'effectiveDate[Ge]': since(({ effectiveDate }) => effectiveDate),
    });
  });
  app.get('/:id', (c) => {
    const desk = c.get('desk');
    return c.json(renderInvoice(desk, find(desk.account.invoices, c.req.param('id'))));
  });
  app.post('/:id/authorize', (c) => {
    const desk = c.get('desk');
    const invoice = find(desk.account.invoices, c.req.param('id'));
    if (invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR')
      throw invalidAction('Somente notas fiscais agendadas ou com erro podem ser emitidas.');
    authorize(desk, invoice);
    return c.json(renderInvoice(desk, invoice));
  });
  app.post('/:id/cancel', (c) => {
    const desk = c.get('desk');
    const invoice = find(desk.account.invoices, c.req.param('id'));
    cancel(desk, invoice);
    return c.json(renderInvoice(desk, invoice));
  });
  return app;
}
