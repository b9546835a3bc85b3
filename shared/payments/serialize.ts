// Resources as callers see them, from the snapshots that answers, events and stored responses are made of.
import type { Snapshot } from './idempotency.ts';
import type { InvoiceRow } from './invoices/queries.ts';
import type { LedgerRow } from './ledger/queries.ts';
import type { PayoutRow } from './payouts/queries.ts';
import type { TaxDocumentRow } from './tax-documents/queries.ts';

const time = (value: string) => new Date(value).toISOString();

export interface Renderer {
  render(snapshot: Snapshot): Record<string, unknown>;
  invoice(row: InvoiceRow): Record<string, unknown>;
  taxDocument(row: TaxDocumentRow): Record<string, unknown>;
  payout(row: PayoutRow): Record<string, unknown>;
  ledgerEntry(row: LedgerRow): Record<string, unknown>;
  /** `data` of an event of this type. */
  event(type: string, data: unknown): Record<string, unknown>;
}

/** `functionsUrl` is the public address below which the payer's files open. */
export function createRenderer(functionsUrl: string): Renderer {
  const fileUrl = (token: string, name: string) => `${functionsUrl}/payments/files/${token}/${name}`;

  const artifactOf = ({ artifact, expires_at, public_token: token }: InvoiceRow) => {
    const { pix, boleto, card } = artifact ?? {};
    const expires = { expires_at: time(expires_at) };
    return {
      ...(boleto && {
        boleto: {
          digitable_line: boleto.digitableLine,
          barcode: boleto.barcode,
          pdf_url: fileUrl(token, 'boleto.pdf'),
          ...expires,
        },
      }),
      ...(pix && { pix: { qr_code: pix.payload, qr_code_image_url: fileUrl(token, 'qr.svg'), ...expires } }),
      ...(card && { card: { checkout_url: card.checkoutUrl, ...expires } }),
    };
  };

  const renderer: Renderer = {
    invoice(row) {
      const autoIssue = row.tax_document_request?.auto_issue ?? false;
      return {
        id: row.id,
        status: row.status,
        amount: Number(row.amount),
        currency: row.currency,
        region: row.region,
        payment_method: { type: row.payment_method_type, ...artifactOf(row) },
        tax_document: row.tax_document && { ...row.tax_document, auto_issue: autoIssue },
        cost_center: row.cost_center,
        contractor_reference: row.contractor_reference,
        metadata: row.metadata ?? {},
        our_number: row.our_number,
        created: time(row.created),
      };
    },
    taxDocument(row) {
      const { status, issued_at: issuedAt, public_token: token } = row;
      const issued = issuedAt !== null && {
        document_number: row.document_number,
        xml_url: fileUrl(token, 'nfse.xml'),
        pdf_url: fileUrl(token, 'nfse.pdf'),
        issued_at: time(issuedAt),
      };
      return {
        id: row.id,
        invoice_id: row.invoice_id,
        type: row.type,
        status,
        service_code: row.service_code,
        metadata: row.metadata ?? {},
        ...(row.failure_reason !== null && { failure_reason: row.failure_reason }),
        created: time(row.created),
        ...issued,
      };
    },
    payout: (row) => ({
      id: row.id,
      status: row.status,
      amount: Number(row.amount),
      currency: row.currency,
      region: row.region,
      beneficiary: row.beneficiary,
      purpose: row.purpose,
      provider: row.provider,
      cost_center: row.cost_center,
      our_number: row.our_number,
      contractor_reference: row.contractor_reference,
      metadata: row.metadata ?? {},
      created: time(row.created),
    }),
    ledgerEntry(row) {
      const { invoice_id: invoiceId, payout_id: payoutId } = row;
      const source = invoiceId
        ? { resource: 'invoice', id: invoiceId }
        : payoutId && { resource: 'payout', id: payoutId };
      return {
        id: row.id,
        type: row.type,
        amount: Number(row.amount),
        currency: row.currency,
        fee: Number(row.fee),
        net: Number(row.net),
        available_on: row.available_on,
        created: time(row.created),
        source,
        cost_center: row.cost_center,
        our_number: row.our_number,
        contractor_reference: row.contractor_reference,
      };
    },
    render({ kind, row }) {
      if (kind === 'invoice') return renderer.invoice(row as unknown as InvoiceRow);
      if (kind === 'payout') return renderer.payout(row as unknown as PayoutRow);
      return renderer.taxDocument(row as unknown as TaxDocumentRow);
    },
    event(type, data) {
      const kind = type.split('.')[0] as Snapshot['kind'];
      return renderer.render({ kind, row: data as Record<string, unknown> });
    },
  };
  return renderer;
}
