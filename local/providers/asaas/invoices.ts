/** `/invoices` and `/fiscalInfo`: NFS-e, scheduled here and issued by the municipality. */
import { Hono } from 'hono';
import { z } from 'zod';
import { DIGITS, randomText, UPPERCASE } from '../random.ts';
import {
  asaasError,
  badRequest,
  type Desk,
  type ErrorItem,
  find,
  invalidAction,
  notFound,
  numberedId,
  saoPaulo,
  toReais,
} from './desk.ts';
import { type AsaasApp, Day, newestFirst, page, Reais, readBody, since } from './requests.ts';
import type { Invoice } from './state.ts';

/** From this day, accounts outside Simples Nacional need a situation and their own rates: technical note 007. */
const NOTE_007_FROM = '2026-06-30';
const CODES = ['nbsCode', 'taxSituationCode', 'taxClassificationCode', 'operationIndicatorCode'] as const;
/** Situations whose rates must be above zero, zero, or absent. Others may have any. */
const RATES_OF: Record<string, (rate: number | null) => boolean> = {
  STANDARD_TAXABLE_OPERATION: (rate) => (rate ?? 0) > 0,
  DIFFERENTIATED_RATE_TAXABLE_OPERATION: (rate) => (rate ?? 0) > 0,
  ZERO_RATE_TAXABLE_OPERATION: (rate) => rate === 0,
  NONE: (rate) => rate === null,
  EXEMPT_CONTRIBUTION_OPERATION: (rate) => rate === null,
  NON_TAXABLE_OPERATION: (rate) => rate === null,
  TAX_SUSPENSION_OPERATION: (rate) => rate === null,
};
const OTHER_SITUATIONS = [
  'TAXABLE_PER_MEASURE_UNIT_OPERATION',
  'MONOPHASIC_RESALE_ZERO_RATE_OPERATION',
  'TAX_SUBSTITUTION_OPERATION',
  'OTHER_OUTPUT_OPERATION',
  'OTHER_OPERATION',
];

const rate = z.number().min(0).max(100);
const code = z.string().regex(/^\d{1,10}$/);
const Taxes = z.strictObject({
  retainIss: z.boolean(),
  iss: rate,
  cofins: rate,
  csll: rate,
  inss: rate,
  ir: rate,
  pis: rate,
  /** The published example is `1.0101.11.00`; that digits are accepted is unconfirmed. */
  nbsCode: z
    .string()
    .regex(/^(\d{9}|\d\.\d{4}\.\d{2}\.\d{2})$/)
    .optional(),
  taxSituationCode: code.optional(),
  taxClassificationCode: code.optional(),
  operationIndicatorCode: code.optional(),
  pisCofinsTaxStatus: z.enum([...Object.keys(RATES_OF), ...OTHER_SITUATIONS]).optional(),
  operationPis: rate.nullish(),
  operationCofins: rate.nullish(),
});
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

/** Throws a 400 with every problem of the taxes on the day on which the invoice is issued. */
function checkTaxes({ account }: Desk, taxes: z.output<typeof Taxes>, effectiveDate: string): void {
  const { simplesNacional, ibsCbsRequiredFrom } = account.options;
  const isSimples = simplesNacional !== false;
  const faults: ErrorItem[] = [];
  const fault = (member: string, problem: string) =>
    faults.push({ code: `invalid_taxes.${member}`, description: `O campo taxes.${member} ${problem}` });
  for (const member of ['operationPis', 'operationCofins'] as const)
    if (RATES_OF[taxes.pisCofinsTaxStatus ?? '']?.(taxes[member] ?? null) === false)
      fault(member, 'é inválido para esta situação tributária.');
  if (!isSimples && effectiveDate >= NOTE_007_FROM && !taxes.pisCofinsTaxStatus)
    fault('pisCofinsTaxStatus', 'é obrigatório para empresas do Regime Normal.');
  const from = isSimples ? ibsCbsRequiredFrom.simples : ibsCbsRequiredFrom.normal;
  if (from && effectiveDate >= from)
    for (const member of CODES)
      if (!taxes[member]) fault(member, 'é obrigatório para a emissão com IBS e CBS.');
  if (faults.length > 0) throw asaasError(400, faults);
}

/** Test rates of 2026, in percent. */
const RATES = { stateIbs: 0.1, municipalIbs: 0, cbs: 0.9 };

/** IBS and CBS appear with the issued document, if it is classified. */
function renderTaxes({ taxes, value, number }: Invoice) {
  const calculated = Object.entries(RATES).flatMap(([name, percent]) => {
    const isKnown = number !== null && Boolean(taxes.nbsCode);
    const cents = Math.round((value * percent) / 100);
    return [
      [name, isKnown ? percent : null],
      [`${name}Value`, isKnown ? toReais(cents) : null],
    ];
  });
  return { ...taxes, pisCofinsRetentionType: 'NOT_WITHHELD', ...Object.fromEntries(calculated) };
}

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

/** Short extracts of the lists of codes for IBS and CBS. */
const NBS_CODES = ['1.1502.10.00', '1.1401.11.00', '1.2205.13.00'];
const CODE_LISTS = {
  taxSituationCodes: [
    ['000', 'Tributação integral'],
    ['200', 'Alíquota reduzida'],
    ['410', 'Imunidade e não incidência'],
  ],
  taxClassificationCodes: [
    ['000001', 'Situações tributadas integralmente pelo IBS e CBS'],
    ['200028', 'Fornecimento dos serviços de educação'],
  ],
  operationIndicatorCodes: [
    ['020101', 'Operações com bens imóveis'],
    ['100301', 'Demais serviços'],
  ],
};

export function fiscalRoutes(): AsaasApp {
  const app: AsaasApp = new Hono();
  // The reference has a trailing slash.
  app.get('/fiscalInfo/', (c) => {
    const { fiscalInfo, simplesNacional, useNationalPortal } = c.get('desk').account.options;
    if (!fiscalInfo) throw notFound();
    return c.json({
      object: 'customerFiscalInfo',
      email: 'financeiro@demo.example',
      municipalInscription: '21779501',
      simplesNacional,
      ...(useNationalPortal !== null && { useNationalPortal }),
      cnae: '6209100',
      rpsSerie: '1',
    });
  });
  app.get('/fiscalInfo/municipalOptions', (c) => {
    const { supportsCancellation } = c.get('desk').account.options;
    return c.json({ authenticationType: 'USER_AND_PASSWORD', supportsCancellation });
  });
  app.get('/fiscalInfo/nbsCodes', (c) => {
    const { moreNbsCodes } = c.get('desk').account.options;
    const more = Array.from({ length: moreNbsCodes }, (_, n) => `1.9${String(n).padStart(3, '0')}.00.00`);
    return page(c, [...NBS_CODES, ...more], (nbsCode) => ({
      nbsCode,
      codeDescription: `${nbsCode} - Serviço`,
    }));
  });
  for (const [path, list] of Object.entries(CODE_LISTS))
    app.get(`/fiscalInfo/${path}`, (c) => page(c, list, ([code, description]) => ({ code, description })));
  return app;
}
