import { toMilliseconds } from '../../platform/instants.ts';
import { fileUrl, payLinkUrl } from '../artifacts/file-paths.ts';
import { dayInSaoPaulo } from '../formats/sao-paulo.ts';
import { providerNamed } from '../provider-registry/registry.ts';
import { serializeDueTerms } from './due-terms.ts';
import type { InvoiceRow, InvoiceSnapshot } from './queries.ts';
import type { InvoiceResponse } from './schema.ts';
import type { InvoiceStatus } from './states.ts';

/** `functionsUrl` is the public base URL of the payer's files. */
export function serializeInvoice(row: InvoiceSnapshot, functionsUrl: string): InvoiceResponse {
  const autoIssue = row.tax_document_request?.auto_issue ?? false;
  const fee = row.status === 'paid' ? (row.fee ?? 0) : null;
  return {
    id: row.id,
    // Queries never return invoices in `creating`, which have no number yet.
    status: row.status as InvoiceStatus,
    amount: row.amount,
    currency: row.currency,
    region: row.region,
    customer: row.customer,
    description: row.description,
    payment_method: {
      type: row.payment_method_type,
      ...serializeArtifact(row, functionsUrl),
      ...serializeDueTerms(row.payment_method),
    },
    tax_document: row.tax_document && { ...row.tax_document, auto_issue: autoIssue },
    cost_center: row.cost_center,
    contractor_reference: row.contractor_reference,
    metadata: row.metadata ?? {},
    our_number: row.our_number ?? '',
    fee,
    net: fee === null ? null : row.amount - fee,
    amount_refunded: row.amount_refunded ?? 0,
    amount_refund_pending: row.amount_refund_pending ?? 0,
    dispute: row.dispute ? serializeDispute(row.dispute) : null,
    paid_at: row.paid_at && toMilliseconds(row.paid_at),
    ...paidMembers(row),
    failure_reason: row.failure_reason,
    created: toMilliseconds(row.created),
  };
}

function serializeDispute({ opened_at, closed_at, ...dispute }: NonNullable<InvoiceResponse['dispute']>) {
  return {
    ...dispute,
    opened_at: toMilliseconds(opened_at),
    closed_at: closed_at && toMilliseconds(closed_at),
  };
}

/** Events of invoices that were paid before Placar kept these members lack them. */
function paidMembers({ status, amount, paid_at: paidAt, region, ...row }: InvoiceRow) {
  if (status !== 'paid')
    return { paid_on: null, paid_amount: null, fine: null, interest: null, discount: null };
  return {
    paid_on:
      row.paid_on ?? (paidAt && (region === 'br' ? dayInSaoPaulo(new Date(paidAt)) : paidAt.slice(0, 10))),
    paid_amount: row.paid_amount ?? amount,
    fine: row.fine ?? 0,
    interest: row.interest ?? 0,
    discount: row.discount ?? 0,
  };
}

/** Pages that expire before the invoice are behind a link of ours. */
const checkoutUrl = ({ provider, public_token: token }: InvoiceRow, url: string, functionsUrl: string) =>
  providerNamed(provider)?.pagesExpire ? payLinkUrl(functionsUrl, token) : url;

function serializeArtifact(row: InvoiceRow, functionsUrl: string) {
  const { pix, boleto, checkout } = row.artifact ?? {};
  const file = (name: string) => fileUrl(functionsUrl, row.public_token, name);
  const expires = { expires_at: toMilliseconds(row.expires_at) };
  return {
    ...(boleto && {
      boleto: {
        digitable_line: boleto.digitableLine,
        barcode: boleto.barcode,
        pdf_url: file('boleto.pdf'),
        ...expires,
      },
    }),
    ...(pix && { pix: { qr_code: pix.payload, qr_code_image_url: file('qr.png'), ...expires } }),
    ...(checkout && {
      [row.payment_method_type]: { checkout_url: checkoutUrl(row, checkout.url, functionsUrl), ...expires },
    }),
  };
}
