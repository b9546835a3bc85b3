// Tax documents (NFS-e), which Asaas calls invoices and issues at the municipality.
import type { Logger } from '../../../platform/logger.ts';
import { toMajorUnits } from '../../formats/currencies.ts';
import { dayInSaoPaulo } from '../../formats/sao-paulo.ts';
import { ProviderRejected } from '../errors.ts';
import type { TaxDocumentOrder, TaxDocumentPort } from '../tax-document-port.ts';
import { cancellationReason } from './account.ts';
import { type AsaasClient, type AsaasClients, AsaasRejected, segment } from './client.ts';
import type { EnsureCustomer } from './customers.ts';
import { type FiscalInvoice, fiscalInvoice } from './resources.ts';
import { type FiscalSettings, municipalService } from './settings.ts';
import { taxDocumentReport } from './states.ts';
import { toAsaasTaxes } from './taxes.ts';

export function createTaxDocuments(
  until: AsaasClients,
  ensureCustomer: EnsureCustomer,
  settings: () => FiscalSettings,
  log: Logger,
): TaxDocumentPort {
  const path = (id: string) => `/invoices/${segment(id)}`;

  async function find(client: AsaasClient, order: TaxDocumentOrder): Promise<FiscalInvoice | undefined> {
    const { reference, providerReference } = order;
    if (providerReference) return await client.get(path(providerReference), fiscalInvoice);
    for await (const one of client.list('/invoices', { externalReference: reference }, fiscalInvoice))
      if (one.externalReference === reference) return one;
    return undefined;
  }

  async function place(client: AsaasClient, order: TaxDocumentOrder): Promise<FiscalInvoice> {
    const set = settings();
    // The customer of the charge may lack an address that was given with the document.
    const customer =
      order.charge && !order.customer.address ? undefined : await ensureCustomer(client, order.customer);
    const about = order.charge ? { payment: order.charge.providerReference } : { customer };
    const body = {
      ...about,
      serviceDescription: order.description,
      // Required by Asaas and must not be empty.
      observations: set.observations || order.description,
      externalReference: order.reference,
      value: toMajorUnits(order.amountMinor, 'BRL'),
      deductions: set.deductions,
      effectiveDate: notBeforeToday(order.effectiveOn),
      ...municipalService(set, order.serviceCode),
      taxes: toAsaasTaxes(order.taxes, set.nbs_code_format),
    };
    return await client.send({ method: 'POST', path: '/invoices', body }, fiscalInvoice);
  }

  /** Submits a scheduled document to the municipality immediately instead of on its date. Leaves other documents unchanged. */
  async function authorize(client: AsaasClient, invoice: FiscalInvoice): Promise<FiscalInvoice> {
    if (invoice.status !== 'SCHEDULED') return invoice;
    try {
      const call = { method: 'POST', path: `${path(invoice.id)}/authorize` } as const;
      return await client.send(call, fiscalInvoice);
    } catch (error) {
      if (!(error instanceof AsaasRejected)) throw error;
      // The document was submitted in the meantime or will be submitted on its date. Asaas reports the result as an event.
      log.warn('Asaas did not submit a tax document immediately', { reason: error.message });
      return (await client.get(path(invoice.id), fiscalInvoice)) ?? invoice;
    }
  }

  return {
    async issue(order, signal) {
      const client = until(signal);
      const invoice = (await find(client, order)) ?? (await place(client, order));
      return taxDocumentReport(await authorize(client, invoice));
    },
    async find(order, signal) {
      const invoice = await find(until(signal), order);
      return invoice && taxDocumentReport(invoice);
    },
    async cancel(order, signal) {
      const client = until(signal);
      const invoice = await find(client, order);
      if (!invoice) throw new ProviderRejected('The tax document does not exist at Asaas.');
      const report = taxDocumentReport(invoice);
      // The cancellation is complete, in progress or denied. Another request would restart it.
      if (report.status === 'canceled' || report.cancelPending || report.cancelRejectionMessage)
        return report;
      const cancelRejectionMessage =
        report.status === 'issued' ? await cancellationReason(client, log) : null;
      if (cancelRejectionMessage !== null) return { ...report, cancelRejectionMessage };
      try {
        const call = { method: 'POST', path: `${path(invoice.id)}/cancel` } as const;
        return taxDocumentReport(await client.send(call, fiscalInvoice));
      } catch (error) {
        if (!(error instanceof AsaasRejected) || error.status === 403) throw error;
        const left = taxDocumentReport((await client.get(path(invoice.id), fiscalInvoice)) ?? invoice);
        if (left.status === 'canceled' || left.cancelPending || left.cancelRejectionMessage) return left;
        return { ...left, cancelRejectionMessage: error.message };
      }
    },
  };
}

/** The day, or today in São Paulo if that is later. In time zones to the west it may still be yesterday, and Asaas rejects past dates. */
function notBeforeToday(day: string): string {
  const today = dayInSaoPaulo(new Date());
  return day < today ? today : day;
}
