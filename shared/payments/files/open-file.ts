// Serves the public files of invoices and tax documents by token. QR images are rendered per request. PDF and XML files are stored in
// Storage; a boleto's PDF is stored when it is first opened.
import { type Database, WORKER_SESSION } from '../../platform/db/database.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { boletoPath, isToken, pdfPath, xmlPath } from '../artifacts/file-paths.ts';
import { formatAmount, formatDate } from '../artifacts/portuguese.ts';
import { bankDayFrom } from '../formats/business-days.ts';
import { addDays, dayInSaoPaulo } from '../formats/sao-paulo.ts';
import { dueTermsOf } from '../invoices/due-terms.ts';
import { type InvoiceByToken, type InvoiceRow, selectInvoiceByToken } from '../invoices/queries.ts';
import type { Artifact } from '../providers/charge-port.ts';
import { type Discount, type DueTerms, lastDayOf } from '../providers/due-terms.ts';
import { fetchProviderFile, type PaymentProvider, type Providers } from '../providers/provider.ts';
import { payerMustRetry } from '../requests/errors.ts';
import { selectIssuedByToken } from '../tax-documents/queries.ts';

/** Timeout for downloading a file from a provider. */
const FETCH_TIMEOUT_MS = 15_000;

type OpenedFile = { content: ArrayBuffer; contentType: string } | { location: string };

interface OpenOptions {
  database: Database;
  files: FileStore;
  providers: Providers;
  /** For HEAD requests: checks whether the file exists, without creating it. */
  checkOnly: boolean;
}

/** A file that exists. */
interface FoundFile {
  /** Identifies the file when its openings are counted. */
  key: string;
  open(): Promise<OpenedFile | undefined>;
}

type Found = Promise<(Pick<FoundFile, 'open'> & { id: string }) | undefined>;
type Find = (token: string, options: OpenOptions) => Found;

const finders: Readonly<Record<string, Find>> = {
  'qr.png': findQrImage,
  'boleto.pdf': findBoleto,
  'nfse.pdf': findTaxDocument(pdfPath),
  'nfse.xml': findTaxDocument(xmlPath),
};

/** Returns undefined if the file name or the token is unknown. */
export async function findFile(
  token: string,
  name: string,
  options: OpenOptions,
): Promise<FoundFile | undefined> {
  if (!isToken(token) || !Object.hasOwn(finders, name)) return undefined;
  const found = await finders[name]?.(token, options);
  return found && { key: `${found.id}:${name}`, open: found.open };
}

async function findQrImage(token: string, { database }: OpenOptions): Found {
  const [found] = await database.transaction(WORKER_SESSION, (sql) => selectInvoiceByToken(sql, token));
  const pix = found?.row.artifact?.pix;
  if (!found || !pix) return undefined;
  return {
    id: found.row.id,
    async open() {
      const { qrPng } = await import('../artifacts/qr.ts');
      return { content: qrPng(pix.payload), contentType: 'image/png' };
    },
  };
}

async function findBoleto(token: string, options: OpenOptions): Found {
  const [found] = await options.database.transaction(WORKER_SESSION, (sql) =>
    selectInvoiceByToken(sql, token),
  );
  const boleto = found?.row.artifact?.boleto;
  if (!found || !boleto) return undefined;
  return { id: found.row.id, open: () => openBoleto(found, boleto, options) };
}

async function openBoleto(
  { row, account, tenant_name: beneficiary }: InvoiceByToken,
  boleto: NonNullable<Artifact['boleto']>,
  { files, providers, checkOnly }: OpenOptions,
): Promise<OpenedFile | undefined> {
  const path = boletoPath(row.tenant_id, row.id);
  const kept = await files.sign(path);
  if (kept) return { location: kept };
  if (checkOnly) return { content: new ArrayBuffer(0), contentType: 'application/pdf' };
  const { pdfUrl } = boleto;
  const pdf = pdfUrl
    ? await fetchFrom(await providers.of(row, account), pdfUrl)
    : await drawBoleto(row, boleto, beneficiary);
  await files.put(path, pdf, 'application/pdf');
  return await signed(path, files);
}

/** Every failure is retryable, because its cause may be gone when the payer opens the file again. */
async function fetchFrom(provider: PaymentProvider, url: string): Promise<Uint8Array> {
  try {
    return await fetchProviderFile(provider, url, AbortSignal.timeout(FETCH_TIMEOUT_MS));
  } catch (cause) {
    throw payerMustRetry('The provider cannot deliver the file at the moment.', cause);
  }
}

async function drawBoleto(
  row: InvoiceRow,
  { digitableLine, barcode }: NonNullable<Artifact['boleto']>,
  beneficiary: string,
): Promise<Uint8Array> {
  const { renderBoletoPdf } = await import('../artifacts/boleto-pdf.ts');
  const { customer, artifact } = row;
  const due = dueTermsOf(row.payment_method);
  return await renderBoletoPdf({
    payer: { name: customer.name, ...(customer.tax_id !== undefined && { taxId: customer.tax_id }) },
    beneficiary: { name: beneficiary },
    description: row.description,
    ourNumber: row.our_number ?? '',
    amountMinor: row.amount,
    currency: row.currency,
    issuedOn: dayInSaoPaulo(new Date(row.created)),
    dueDate: due?.dueDate ?? dayInSaoPaulo(new Date(row.expires_at)),
    ...(due && { instructions: dueInstructions(due, row.currency) }),
    digitableLine,
    barcode,
    ...(artifact?.pix && { pixPayload: artifact.pix.payload }),
    ...(row.provider === 'sandbox' && { notice: 'SANDBOX: ESTE BOLETO NÃO PODE SER PAGO' }),
  });
}

/** The due terms in Portuguese. */
function dueInstructions(terms: DueTerms, currency: string): string[] {
  const { dueDate, finePercent, interestPercentMonth, discount } = terms;
  const percent = (value: number) => `${String(value).replace('.', ',')}%`;
  const late = [
    ...(finePercent > 0 ? [`multa de ${percent(finePercent)}`] : []),
    ...(interestPercentMonth > 0 ? [`juros de ${percent(interestPercentMonth)} ao mês`] : []),
  ];
  const reductionOf = ({ amountMinor, percent: reduced = 0 }: Discount) =>
    amountMinor === undefined ? percent(reduced) : formatAmount(amountMinor, currency);
  const dayOf = ({ daysBeforeDue }: Discount) => formatDate(addDays(dueDate, -daysBeforeDue));
  return [
    ...(discount ? [`Até ${dayOf(discount)}, desconto de ${reductionOf(discount)}.`] : []),
    ...(late.length > 0 ? [`Após o vencimento, ${late.join(' e ')}.`] : []),
    `Não receber após ${formatDate(bankDayFrom(lastDayOf(terms)))}.`,
  ];
}

function findTaxDocument(pathOf: (tenantId: string, id: string) => string): Find {
  return async (token, { database, files }) => {
    const [row] = await database.transaction(WORKER_SESSION, (sql) => selectIssuedByToken(sql, token));
    return row && { id: row.id, open: () => signed(pathOf(row.tenant_id, row.id), files) };
  };
}

async function signed(path: string, files: FileStore): Promise<OpenedFile | undefined> {
  const location = await files.sign(path);
  return location === undefined ? undefined : { location };
}
