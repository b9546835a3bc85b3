// The files of an invoice or tax document by their token. The QR image is drawn as it is asked for; PDF and XML are kept
// in Storage, the boleto's from the first time that somebody opens it.
import type { Database } from '../platform/db/database.ts';
import type { FileStore } from '../platform/storage/file-store.ts';
import type { InvoiceRow } from './invoices/queries.ts';
import { pdfPath, xmlPath } from './tax-documents/issue.ts';

const session = { role: 'worker', tenantId: null } as const;

export type OpenedFile = { text: string; contentType: string } | { location: string };

export async function openFile(
  token: string,
  name: string,
  database: Database,
  files: FileStore,
): Promise<OpenedFile | undefined> {
  if (!/^[0-9A-Za-z]{32}$/.test(token)) return undefined;
  if (name === 'nfse.pdf' || name === 'nfse.xml') return await openTaxDocument(token, name, database, files);
  if (name !== 'qr.svg' && name !== 'boleto.pdf') return undefined;
  const [rows] = await database.transaction(session, (sql) => [
    sql`
      select to_jsonb(i) as row, t.name as tenant_name
      from public.invoices i join public.tenants t on t.id = i.tenant_id
      where i.public_token = ${token} and i.status <> 'creating'`,
  ]);
  const [found] = rows ?? [];
  if (!found) return undefined;
  const row = found.row as InvoiceRow;
  const { pix, boleto } = row.artifact ?? {};
  if (name === 'qr.svg') {
    if (!pix) return undefined;
    const { qrSvg } = await import('./artifacts/pix.ts');
    return { text: qrSvg(pix.payload), contentType: 'image/svg+xml' };
  }
  if (!boleto) return undefined;
  const path = `${row.tenant_id}/${row.id}/boleto.pdf`;
  const kept = await files.sign(path);
  if (kept) return { location: kept };
  const { renderBoletoPdf } = await import('./artifacts/boleto-pdf.ts');
  const { customer } = row;
  const pdf = await renderBoletoPdf({
    payer: { name: customer.name, ...(customer.tax_id !== undefined && { taxId: customer.tax_id }) },
    beneficiary: { name: found.tenant_name },
    description: row.description,
    ourNumber: row.our_number ?? '',
    amountMinor: row.amount,
    currency: row.currency,
    issuedOn: row.created.slice(0, 10),
    dueDate: row.expires_at.slice(0, 10),
    digitableLine: boleto.digitableLine,
    barcode: boleto.barcode,
    ...(pix && { pixPayload: pix.payload }),
    ...(row.provider === 'sandbox' && { notice: 'SANDBOX: ESTE BOLETO NÃO PODE SER PAGO' }),
  });
  await files.put(path, pdf, 'application/pdf');
  const location = await files.sign(path);
  return location === undefined ? undefined : { location };
}

async function openTaxDocument(
  token: string,
  name: 'nfse.pdf' | 'nfse.xml',
  database: Database,
  files: FileStore,
) {
  const [rows] = await database.transaction(session, (sql) => [
    sql`select tenant_id, id from public.tax_documents where public_token = ${token} and issued_at is not null`,
  ]);
  const [row] = rows ?? [];
  if (!row) return undefined;
  const path = (name === 'nfse.pdf' ? pdfPath : xmlPath)(row.tenant_id, row.id);
  const location = await files.sign(path);
  return location === undefined ? undefined : { location };
}
