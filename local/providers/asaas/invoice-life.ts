/** The life cycle of an NFS-e: sent to the municipality, authorized or rejected, canceled or not. */
import { DIGITS, randomText, UPPERCASE } from '../random.ts';
import type { Bank } from './bank.ts';
import { invalidAction } from './errors.ts';
import { renderTaxes } from './invoice-taxes.ts';
import { toReais } from './money.ts';
import type { Account, Invoice } from './state.ts';

export function renderInvoice(bank: Bank, account: Account, invoice: Invoice) {
  const { details, number, id } = invoice;
  const file = (ending: string) =>
    number === null ? null : `${bank.kit.url}/nfse/${account.id}/${id}.${ending}`;
  return {
    object: 'invoice',
    id,
    status: invoice.status,
    customer: invoice.customer,
    payment: invoice.payment,
    installment: null,
    type: 'NFS-e',
    statusDescription: invoice.statusDescription,
    serviceDescription: details.serviceDescription,
    pdfUrl: file('pdf'),
    xmlUrl: file('xml'),
    rpsSerie: invoice.rpsNumber === null ? null : '1',
    rpsNumber: invoice.rpsNumber,
    number,
    validationCode: invoice.validationCode,
    value: toReais(invoice.value),
    deductions: details.deductions,
    effectiveDate: invoice.effectiveDate,
    observations: details.observations,
    estimatedTaxesDescription: '',
    externalReference: invoice.externalReference,
    taxes: renderTaxes(invoice),
    municipalServiceId: details.municipalServiceId,
    municipalServiceCode: details.municipalServiceCode,
    municipalServiceName: details.municipalServiceName,
  };
}

export const emitInvoice = (bank: Bank, account: Account, event: string, invoice: Invoice): void =>
  bank.emit(account, event, 'invoice', renderInvoice(bank, account, invoice));

const later = (bank: Bank, account: Account, invoice: Invoice, job: string): void => {
  const data = { account: account.id, invoice: invoice.id };
  bank.kit.agenda.plan(job, bank.now() + account.options.invoiceMs, data);
};

/** Sends the invoice to the municipality, which responds later. */
export function authorize(bank: Bank, account: Account, invoice: Invoice): void {
  if (invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR') return;
  invoice.status = 'SYNCHRONIZED';
  invoice.statusDescription = null;
  emitInvoice(bank, account, 'INVOICE_SYNCHRONIZED', invoice);
  if (account.options.invoices !== 'held') later(bank, account, invoice, 'invoices:answer');
}

/** The municipality responds as configured in the account's options. */
export function answer(bank: Bank, account: Account, invoice: Invoice): void {
  if (account.options.invoices === 'error') refuse(bank, account, invoice, account.options.invoiceError);
  else issue(bank, account, invoice);
}

export function issue(bank: Bank, account: Account, invoice: Invoice): void {
  if (invoice.status !== 'SYNCHRONIZED') return;
  const issued = account.invoices.filter(({ number }) => number !== null).length + 1;
  invoice.status = 'AUTHORIZED';
  invoice.number = String(issued);
  invoice.rpsNumber = String(issued);
  invoice.validationCode = randomText(UPPERCASE + DIGITS, 8);
  bank.enter(account, {
    type: 'INVOICE_FEE',
    value: -account.options.fees.invoice,
    description: `Taxa de emissão da nota fiscal nr. ${issued}`,
    invoiceId: invoice.id,
  });
  emitInvoice(bank, account, 'INVOICE_AUTHORIZED', invoice);
}

export function refuse(bank: Bank, account: Account, invoice: Invoice, words: string): void {
  if (invoice.status !== 'SYNCHRONIZED') return;
  invoice.status = 'ERROR';
  invoice.statusDescription = words;
  emitInvoice(bank, account, 'INVOICE_ERROR', invoice);
}

/** @param onlyHere whether to cancel only at Asaas, without the municipality */
export function cancelByRequest(bank: Bank, account: Account, invoice: Invoice, onlyHere: boolean): void {
  const isWithCity = invoice.status === 'AUTHORIZED' || invoice.status === 'CANCELLATION_DENIED';
  if (onlyHere || invoice.status === 'SCHEDULED' || invoice.status === 'ERROR') {
    if (!isWithCity && invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR') {
      throw invalidAction('A nota fiscal não pode ser cancelada.');
    }
    canceled(bank, account, invoice);
    return;
  }
  if (!isWithCity) throw invalidAction('A nota fiscal não pode ser cancelada.');
  if (!account.options.supportsCancellation) {
    throw invalidAction('A prefeitura não permite o cancelamento automático de notas fiscais.');
  }
  invoice.status = 'PROCESSING_CANCELLATION';
  invoice.statusDescription = null;
  emitInvoice(bank, account, 'INVOICE_PROCESSING_CANCELLATION', invoice);
  if (account.options.cancellations !== 'held') later(bank, account, invoice, 'invoices:cancellation');
}

export function answerCancellation(bank: Bank, account: Account, invoice: Invoice): void {
  if (invoice.status !== 'PROCESSING_CANCELLATION') return;
  if (account.options.cancellations === 'denied') {
    denied(bank, account, invoice, account.options.cancellationError);
  } else canceled(bank, account, invoice);
}

export function canceled(bank: Bank, account: Account, invoice: Invoice): void {
  invoice.status = 'CANCELED';
  emitInvoice(bank, account, 'INVOICE_CANCELED', invoice);
}

export function denied(bank: Bank, account: Account, invoice: Invoice, words: string): void {
  if (invoice.status !== 'PROCESSING_CANCELLATION') return;
  invoice.status = 'CANCELLATION_DENIED';
  invoice.statusDescription = words;
  emitInvoice(bank, account, 'INVOICE_CANCELLATION_DENIED', invoice);
}
