// The files of an invoice or tax document by their token. The QR image is drawn as it is asked for; PDF and XML are kept
// in Storage, the boleto's from the first time that somebody opens it.
import { type Database, WORKER_SESSION } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { pdfPath, xmlPath } from '../artifacts/file-paths.ts';
import { selectInvoiceByToken } from '../invoices/queries.ts';
import type { InvoiceRow } from '../invoices/serialize.ts';
import {
  type Artifact,
  fetchProviderFile,
  type PaymentProvider,
  type Providers,
} from '../providers/provider.ts';
import { selectIssuedByToken } from '../tax-documents/queries.ts';

/** Longest that a provider may take to give a file. */
const FETCH_TIMEOUT_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

export type OpenedFile = { text: string; contentType: string } | { location: string };

interface OpenOptions {
  database: Database;
  files: FileStore;
  providers: Providers;
  /** Whether only to tell what there is, and to keep nothing. */
  looksOnly: boolean;
}

type Open = (token: string, options: OpenOptions) => Promise<OpenedFile | undefined>;

const openers: Readonly<Record<string, Open>> = {
  'qr.svg': openQrImage,
  'boleto.pdf': openBoleto,
  'nfse.pdf': openTaxDocument(pdfPath),
  'nfse.xml': openTaxDocument(xmlPath),
};

/** Gives nothing for what is no file, or nobody's. */
export async function openFile(
  token: string,
  name: string,
  options: OpenOptions,
): Promise<OpenedFile | undefined> {
  if (!/^[0-9A-Za-z]{32}$/.test(token) || !Object.hasOwn(openers, name)) return undefined;
  return await openers[name]?.(token, options);
}

async function openQrImage(token: string, { database }: OpenOptions): Promise<OpenedFile | undefined> {
  const [found] = await database.transaction(WORKER_SESSION, (sql) => selectInvoiceByToken(sql, token));
  const pix = found?.row.artifact?.pix;
  if (!pix) return undefined;
  const { qrSvg } = await import('../artifacts/pix.ts');
  return { text: qrSvg(pix.payload), contentType: 'image/svg+xml' };
}

async function openBoleto(
  token: string,
  { database, files, providers, looksOnly }: OpenOptions,
): Promise<OpenedFile | undefined> {
  const [found] = await database.transaction(WORKER_SESSION, (sql) => selectInvoiceByToken(sql, token));
  const boleto = found?.row.artifact?.boleto;
  if (!found || !boleto) return undefined;
  const { row, account, tenant_name: beneficiary } = found;
  const path = `${row.tenant_id}/${row.id}/boleto.pdf`;
  const kept = await files.sign(path);
  if (kept) return { location: kept };
  if (looksOnly) return { text: '', contentType: 'application/pdf' };
  const { pdfUrl } = boleto;
  const pdf = pdfUrl
    ? await fetchFrom(await providers.of(row, account), pdfUrl)
    : await drawBoleto(row, boleto, beneficiary);
  await files.put(path, pdf, 'application/pdf');
  return await signed(path, files);
}

/** Whatever keeps a provider from giving a file may be over when the payer opens it again. */
async function fetchFrom(provider: PaymentProvider, url: string): Promise<Uint8Array> {
  try {
    return await fetchProviderFile(provider, url, AbortSignal.timeout(FETCH_TIMEOUT_MS));
  } catch (cause) {
    throw new ApiError('unavailable', 'The provider does not give the file at the moment; please retry.', {
      effect: 'none',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      reason: 'provider_silent',
      cause,
    });
  }
}

async function drawBoleto(
  row: InvoiceRow,
  { digitableLine, barcode }: NonNullable<Artifact['boleto']>,
  beneficiary: string,
): Promise<Uint8Array> {
  const { renderBoletoPdf } = await import('../artifacts/boleto-pdf.ts');
  const { customer, artifact } = row;
  return await renderBoletoPdf({
    payer: { name: customer.name, ...(customer.tax_id !== undefined && { taxId: customer.tax_id }) },
    beneficiary: { name: beneficiary },
    description: row.description,
    ourNumber: row.our_number ?? '',
    amountMinor: row.amount,
    currency: row.currency,
    issuedOn: row.created.slice(0, 10),
    dueDate: row.expires_at.slice(0, 10),
    digitableLine,
    barcode,
    ...(artifact?.pix && { pixPayload: artifact.pix.payload }),
    ...(row.provider === 'sandbox' && { notice: 'SANDBOX: ESTE BOLETO NÃO PODE SER PAGO' }),
  });
}

function openTaxDocument(pathOf: (tenantId: string, id: string) => string): Open {
  return async (token, { database, files }) => {
    const [row] = await database.transaction(WORKER_SESSION, (sql) => selectIssuedByToken(sql, token));
    return row && signed(pathOf(row.tenant_id, row.id), files);
  };
}

async function signed(path: string, files: FileStore): Promise<OpenedFile | undefined> {
  const location = await files.sign(path);
  return location === undefined ? undefined : { location };
}
