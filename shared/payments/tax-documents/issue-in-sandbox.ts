// Issuing an NFS-e in the sandbox, whose number and files are of our making: the municipality through the provider, then the
// files, then the state. Each step is safe to repeat.
import { createHash } from 'node:crypto';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import type { NfseInput } from '../artifacts/nfse.ts';
import { pdfPath, xmlPath } from '../file-paths.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import { taxDocumentOrderOf } from './provider-order.ts';
import {
  lockTaxDocument,
  markFailed,
  markIssued,
  numberTaxDocument,
  selectTaxDocumentToIssue,
  type TaxDocumentToIssue,
} from './queries.ts';

/** Who issues in the sandbox, where tenants have no registration of their own: a valid CNPJ that nobody has. */
const SANDBOX_ISSUER = '11222333000181';
const SANDBOX_ADDRESS = { street: 'Rua do Sandbox', number: '1', district: 'Centro', postalCode: '01001000' };
/** Design and development of software (1.1502.10.00), whatever was sold: an invoice does not say. */
const SANDBOX_NBS = '115021000';
const HOMOLOGATION = 2;
const TIMEOUT_MS = 20_000;

export async function issueInSandbox(
  found: TaxDocumentToIssue,
  provider: PaymentProvider,
  files: FileStore,
  dependencies: JobDependencies,
): Promise<void> {
  const { document } = found;
  const { tenant_id: tenantId, id } = document;
  const session = { role: 'worker', tenantId } as const;
  const { database } = dependencies;
  const find = () => database.transaction(session, (sql) => selectTaxDocumentToIssue(sql, tenantId, id));
  const order = taxDocumentOrderOf(found);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  // Canceled while it was being issued: the municipality has to hear of that as well.
  const takeBack = () => provider.cancelTaxDocument(order, signal);
  if (document.status === 'canceled') {
    await takeBack();
    return;
  }
  // Somebody else changed it: canceled it, or issued it in another run of this job, which stands.
  const finishOther = async () => {
    const [other] = await find();
    if (other?.document.status === 'canceled') await takeBack();
  };
  const { status, reason } = await provider.issueTaxDocument(order, signal);
  if (status === 'failed') {
    const why = reason ?? 'The municipality refused it.';
    await transactionWithJobs(dependencies, session, (sql) => markFailed(sql, tenantId, id, why));
    return;
  }
  const { documents } = await database.transaction(session, (sql) => ({
    lock: lockTaxDocument(sql, tenantId, id),
    documents: numberTaxDocument(sql, tenantId, id),
  }));
  const [numbered] = documents;
  if (!numbered) {
    await finishOther();
    return;
  }
  const issuedAt = new Date();
  const key = await storeFiles(files, found, nfseOf(found, numbered.document_number, issuedAt));
  const issued = await transactionWithJobs(dependencies, session, (sql) =>
    markIssued(sql, tenantId, id, key, issuedAt),
  );
  if (issued.length === 0) await finishOther();
}

function nfseOf(
  { document, invoice, tenant_name, time_zone }: TaxDocumentToIssue,
  number: string,
  issuedAt: Date,
): NfseInput {
  const { customer } = invoice;
  return {
    issuerTaxId: SANDBOX_ISSUER,
    number: Number(number),
    code: securityCode(document.id),
    issuedAt,
    timeZone: time_zone,
    issuer: { name: tenant_name, address: SANDBOX_ADDRESS },
    customer: {
      name: customer.name,
      email: customer.email,
      ...(customer.tax_id !== undefined && { taxId: customer.tax_id }),
    },
    description: invoice.description,
    amountMinor: invoice.amount,
    serviceCode: document.service_code,
    nbsCode: SANDBOX_NBS,
    environment: HOMOLOGATION,
  };
}

/** Keeps XML and PDF, and gives the document's access key. */
async function storeFiles(
  files: FileStore,
  { document: { tenant_id: tenantId, id } }: TaxDocumentToIssue,
  nfse: NfseInput,
): Promise<string> {
  const [{ nfseKey }, { renderNfseXml }, { renderNfsePdf }] = await Promise.all([
    import('../artifacts/nfse.ts'),
    import('../artifacts/nfse-xml.ts'),
    import('../artifacts/nfse-pdf.ts'),
  ]);
  const xml = new TextEncoder().encode(renderNfseXml(nfse));
  await files.put(xmlPath(tenantId, id), xml, 'application/xml');
  await files.put(pdfPath(tenantId, id), await renderNfsePdf(nfse), 'application/pdf');
  return nfseKey(nfse);
}

/** Nine digits that are the same at every try. */
function securityCode(id: string): string {
  const number = createHash('sha256').update(id).digest().readUIntBE(0, 6);
  return String(number % 1_000_000_000).padStart(9, '0');
}
