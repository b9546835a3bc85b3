/** The life cycle of an NFS-e: sent to the municipality, authorized or rejected, canceled or not. */
import { DIGITS, randomText, UPPERCASE } from '../random.ts';
import { invalidAction } from './errors.ts';
import { renderTaxes } from './invoice-taxes.ts';
import { toReais } from './money.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Invoice } from './state.ts';

export function renderInvoice(services: AsaasServices, account: Account, invoice: Invoice) {
  const { details, number, id } = invoice;
  const file = (ending: string) =>
    number === null ? null : `${services.kit.url}/nfse/${account.id}/${id}.${ending}`;
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

export const emitInvoice = (
  services: AsaasServices,
  account: Account,
  event: string,
  invoice: Invoice,
): void => services.emit(account, event, 'invoice', renderInvoice(services, account, invoice));

const later = (services: AsaasServices, account: Account, invoice: Invoice, job: string): void => {
  const data = { account: account.id, invoice: invoice.id };
  services.kit.scheduler.schedule(job, services.now() + account.options.invoiceMs, data);
};

/** Sends the invoice to the municipality, which responds later. */
export function authorize(services: AsaasServices, account: Account, invoice: Invoice): void {
  if (invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR') return;
  invoice.status = 'SYNCHRONIZED';
  invoice.statusDescription = null;
  emitInvoice(services, account, 'INVOICE_SYNCHRONIZED', invoice);
  if (account.options.invoices !== 'held') later(services, account, invoice, 'invoices:answer');
}

/** The municipality responds as configured in the account's options. */
export function respond(services: AsaasServices, account: Account, invoice: Invoice): void {
  if (account.options.invoices === 'error') reject(services, account, invoice, account.options.invoiceError);
  else issue(services, account, invoice);
}

export function issue(services: AsaasServices, account: Account, invoice: Invoice): void {
  if (invoice.status !== 'SYNCHRONIZED') return;
  const issued = account.invoices.filter(({ number }) => number !== null).length + 1;
  invoice.status = 'AUTHORIZED';
  invoice.number = String(issued);
  invoice.rpsNumber = String(issued);
  invoice.validationCode = randomText(UPPERCASE + DIGITS, 8);
  services.enter(account, {
    type: 'INVOICE_FEE',
    value: -account.options.fees.invoice,
    description: `Taxa de emissão da nota fiscal nr. ${issued}`,
    invoiceId: invoice.id,
  });
  emitInvoice(services, account, 'INVOICE_AUTHORIZED', invoice);
}

export function reject(services: AsaasServices, account: Account, invoice: Invoice, message: string): void {
  if (invoice.status !== 'SYNCHRONIZED') return;
  invoice.status = 'ERROR';
  invoice.statusDescription = message;
  emitInvoice(services, account, 'INVOICE_ERROR', invoice);
}

/** @param onlyAtAsaas whether to cancel only at Asaas, without the municipality */
export function cancelByRequest(
  services: AsaasServices,
  account: Account,
  invoice: Invoice,
  onlyAtAsaas: boolean,
): void {
  const isWithCity = invoice.status === 'AUTHORIZED' || invoice.status === 'CANCELLATION_DENIED';
  if (onlyAtAsaas || invoice.status === 'SCHEDULED' || invoice.status === 'ERROR') {
    if (!isWithCity && invoice.status !== 'SCHEDULED' && invoice.status !== 'ERROR') {
      throw invalidAction('A nota fiscal não pode ser cancelada.');
    }
    markInvoiceCanceled(services, account, invoice);
    return;
  }
  if (!isWithCity) throw invalidAction('A nota fiscal não pode ser cancelada.');
  if (!account.options.supportsCancellation) {
    throw invalidAction('A prefeitura não permite o cancelamento automático de notas fiscais.');
  }
  invoice.status = 'PROCESSING_CANCELLATION';
  invoice.statusDescription = null;
  emitInvoice(services, account, 'INVOICE_PROCESSING_CANCELLATION', invoice);
  if (account.options.cancellations !== 'held') later(services, account, invoice, 'invoices:cancellation');
}

export function respondToCancellation(services: AsaasServices, account: Account, invoice: Invoice): void {
  if (invoice.status !== 'PROCESSING_CANCELLATION') return;
  if (account.options.cancellations === 'denied') {
    markCancellationDenied(services, account, invoice, account.options.cancellationError);
  } else markInvoiceCanceled(services, account, invoice);
}

export function markInvoiceCanceled(services: AsaasServices, account: Account, invoice: Invoice): void {
  invoice.status = 'CANCELED';
  emitInvoice(services, account, 'INVOICE_CANCELED', invoice);
}

export function markCancellationDenied(
  services: AsaasServices,
  account: Account,
  invoice: Invoice,
  message: string,
): void {
  if (invoice.status !== 'PROCESSING_CANCELLATION') return;
  invoice.status = 'CANCELLATION_DENIED';
  invoice.statusDescription = message;
  emitInvoice(services, account, 'INVOICE_CANCELLATION_DENIED', invoice);
}
