// Issuing an NFS-e: the municipality through the provider, then the files, then the state. Each step is safe to repeat.
import { createHash } from 'node:crypto';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import type { InvoiceRow } from '../invoices/queries.ts';
import type { Providers } from '../providers/routing.ts';
import {
  failTaxDocument,
  issueTaxDocument,
  numberTaxDocument,
  selectForIssuance,
  type TaxDocumentRow,
} from './queries.ts';

/** Who issues in the sandbox, where tenants have no registration of their own: a valid CNPJ that nobody has. */
const SANDBOX_ISSUER = '11222333000181';
const HOMOLOGATION = 2;

interface PendingRow {
  document: TaxDocumentRow;
  invoice: InvoiceRow;
  tenant_name: string;
  time_zone: string;
}

export const xmlPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.xml`;
export const pdfPath = (tenantId: string, id: string) => `${tenantId}/${id}/nfse.pdf`;

export async function issueDocument(
  { tenantId, id }: { tenantId: string; id: string },
  dependencies: JobDependencies,
  providers: Providers,
  files: FileStore,
): Promise<void> {
  const session = { role: 'worker', tenantId } as const;
  const { database } = dependencies;
  const [rows] = await database.transaction(session, (sql) => [selectForIssuance(sql, tenantId, id)]);
  const row = rows?.[0] as PendingRow | undefined;
  if (!row) return;
  const { document, invoice } = row;
  const provider = providers.named(document.provider);
  // Canceled while an earlier try had it issued: the municipality has to hear of that as well.
  const takeBack = () => provider.cancelTaxDocument(id);
  if (document.status === 'canceled') {
    await takeBack();
    return;
  }
  const order = { reference: id, serviceCode: document.service_code, amountMinor: invoice.amount };
  const { status, reason } = await provider.issueTaxDocument(order);
  if (status === 'failed') {
    const why = reason ?? 'The municipality refused it.';
    await transactionWithJobs(dependencies, session, (sql) => [failTaxDocument(sql, tenantId, id, why)]);
    return;
  }
  const [numbered] = await database.transaction(session, (sql) => [numberTaxDocument(sql, tenantId, id)]);
  const number = numbered?.[0]?.document_number as string | undefined;
  if (!number) {
    await takeBack();
    return;
  }

  const [{ nfseKey, renderNfseXml }, { renderNfsePdf }] = await Promise.all([
    import('../artifacts/nfse.ts'),
    import('../artifacts/nfse-pdf.ts'),
  ]);
  const issuedAt = new Date();
  const { customer } = invoice;
  const input = {
    issuerTaxId: SANDBOX_ISSUER,
    number: Number(number),
    code: securityCode(id),
    issuedAt,
    timeZone: row.time_zone,
    issuer: { name: row.tenant_name },
    customer: {
      name: customer.name,
      email: customer.email,
      ...(customer.tax_id !== undefined && { taxId: customer.tax_id }),
    },
    description: invoice.description,
    amountMinor: invoice.amount,
    serviceCode: document.service_code,
    environment: HOMOLOGATION,
  } as const;
  const encoder = new TextEncoder();
  await files.put(xmlPath(tenantId, id), encoder.encode(renderNfseXml(input)), 'application/xml');
  await files.put(pdfPath(tenantId, id), await renderNfsePdf(input), 'application/pdf');
  const key = nfseKey(input);
  const [issued] = await transactionWithJobs(dependencies, session, (sql) => [
    issueTaxDocument(sql, tenantId, id, key, issuedAt),
  ]);
  if (issued?.length === 0) await takeBack();
}

/** Nine digits that are the same at every try. */
function securityCode(id: string): string {
  const number = createHash('sha256').update(id).digest().readUIntBE(0, 6);
  return String(number % 1_000_000_000).padStart(9, '0');
}
