// Simulates a municipality: numbers NFS-e and renders their files.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { NfseInput } from '../../artifacts/nfse.ts';
import { ProviderRejected } from '../errors.ts';
import type {
  IssuedTaxDocument,
  IssuedTaxes,
  TaxDocumentOrder,
  TaxDocumentPort,
  TaxDocumentReport,
} from '../tax-document-port.ts';
import type { SandboxOrders } from './orders.ts';
import type { OrderRow } from './queries.ts';
import { FAILING_SERVICE_CODE } from './rules.ts';

/** The issuer of all sandbox documents, a valid but unassigned CNPJ: tenants are not registered as issuers in the sandbox. */
const ISSUER_TAX_ID = '11222333000181';
const ISSUER_ADDRESS = { street: 'Rua do Sandbox', number: '1', district: 'Centro', postalCode: '01001000' };
/** Software design and development (1.1502.10.00). Used for documents without an NBS code, because the layout requires one. */
const NBS_CODE = '115021000';
const HOMOLOGATION = 2;

export const createTaxDocuments = (orders: SandboxOrders): TaxDocumentPort => ({
  async issue(order) {
    const { reference, serviceCode, amountMinor, issuer } = order;
    const reason =
      serviceCode === FAILING_SERVICE_CODE
        ? `The municipality does not recognize the service code ${serviceCode}.`
        : undefined;
    const status = reason ? 'failed' : 'issued';
    const row = await orders.issue(
      { kind: 'tax_document', reference, amountMinor, method: serviceCode, status, feeMinor: 0, reason },
      issuer.tenantId,
    );
    const report = reportOf(reference, row);
    return report.status === 'issued' ? { ...report, issued: await filesOf(order, row) } : report;
  },
  async find({ reference }) {
    const row = await orders.find('tax_document', reference);
    return row && reportOf(reference, row);
  },
  async cancel({ reference }) {
    const row = await orders.change('tax_document', reference, { from: ['issued'], to: 'canceled' });
    return { ...reportOf(reference, row), status: 'canceled' };
  },
});

/** The report of a document. `row` is undefined if the document was never requested. */
const reportOf = (reference: string, row: OrderRow | undefined): TaxDocumentReport => ({
  providerReference: reference,
  status: (row?.status ?? 'canceled') as TaxDocumentReport['status'],
  reason: row?.reason ?? undefined,
  cancelPending: false,
  cancelRejectionMessage: undefined,
  issued: undefined,
});

/** Returns the files as data URLs, so that the sandbox stores no personal data. */
async function filesOf(order: TaxDocumentOrder, row: OrderRow): Promise<IssuedTaxDocument> {
  const [{ nfseKey }, { renderNfseXml }, { renderNfsePdf }] = await Promise.all([
    import('../../artifacts/nfse.ts'),
    import('../../artifacts/nfse-xml.ts'),
    import('../../artifacts/nfse-pdf.ts'),
  ]);
  const nfse = nfseOf(order, row);
  return {
    number: String(nfse.number),
    accessKey: nfseKey(nfse),
    xmlUrl: dataUrl('application/xml', new TextEncoder().encode(renderNfseXml(nfse))),
    pdfUrl: dataUrl('application/pdf', await renderNfsePdf(nfse)),
    taxes: testTaxes(order.amountMinor),
  };
}

/** IBS and CBS with the test rates of 2026, rounded half up. */
const testTaxes = (amountMinor: number): IssuedTaxes => ({
  state_ibs_percent: 0.1,
  state_ibs_amount: Math.floor((amountMinor + 500) / 1000),
  municipal_ibs_percent: 0,
  municipal_ibs_amount: 0,
  cbs_percent: 0.9,
  cbs_amount: Math.floor((amountMinor * 9 + 500) / 1000),
});

const dataUrl = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** The bytes of a data URL. */
export function fileAt(url: string): Uint8Array {
  const [, content] = /^data:application\/(?:xml|pdf);base64,(.*)$/s.exec(url) ?? [];
  if (content === undefined) throw new ProviderRejected('This file does not belong to the sandbox.');
  return Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
}

function nfseOf(order: TaxDocumentOrder, { number, changed_at: issuedAt }: OrderRow): NfseInput {
  const { reference, issuer, customer, description, amountMinor, serviceCode, taxes } = order;
  return {
    issuerTaxId: ISSUER_TAX_ID,
    number: number ?? 0,
    code: securityCode(reference),
    issuedAt: new Date(issuedAt),
    timeZone: issuer.timeZone,
    issuer: { name: issuer.name, address: ISSUER_ADDRESS },
    customer: {
      name: customer.name,
      email: customer.email,
      ...(customer.tax_id !== undefined && { taxId: customer.tax_id }),
    },
    description,
    amountMinor,
    serviceCode,
    nbsCode: taxes.nbs_code ?? NBS_CODE,
    environment: HOMOLOGATION,
  };
}

/** Nine digits derived from the id, so that they are the same for every attempt. */
function securityCode(id: string): string {
  const number = createHash('sha256').update(id).digest().readUIntBE(0, 6);
  return String(number % 1_000_000_000).padStart(9, '0');
}
