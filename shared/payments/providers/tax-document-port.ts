// Tax documents at a payment provider.
import type { Customer } from './charge-port.ts';

/** Taxes of a document in the format of the request. Rates are percentages. Absent members are not set. */
export interface DocumentTaxes {
  retain_iss?: boolean | undefined;
  iss?: number | undefined;
  /** Withheld by the customer, like the next four. */
  pis?: number | undefined;
  cofins?: number | undefined;
  csll?: number | undefined;
  inss?: number | undefined;
  ir?: number | undefined;
  /** Situation of PIS and COFINS. */
  pis_cofins_cst?: string | undefined;
  /** The issuer's own rates. */
  operation_pis?: number | undefined;
  operation_cofins?: number | undefined;
  /** Codes of IBS and CBS. Orders have the NBS code as nine digits. */
  nbs_code?: string | undefined;
  tax_situation_code?: string | undefined;
  tax_classification_code?: string | undefined;
  operation_indicator_code?: string | undefined;
}

export interface TaxDocumentOrder {
  /** Our tax document id. */
  reference: string;
  /** The issuing tenant. Only the sandbox uses it: real providers know the account's owner. */
  issuer: { tenantId: string; name: string; timeZone: string };
  /** The provider's id of the document, once known. */
  providerReference: string | undefined;
  serviceCode: string;
  /** The taxes to send: everything that applies on the issue date and nothing else. */
  taxes: DocumentTaxes;
  amountMinor: number;
  description: string;
  customer: Customer;
  /** The charge of the invoice, if it belongs to the same account. */
  charge: { reference: string; providerReference: string } | undefined;
  /** Issue date, `YYYY-MM-DD` in the tenant's time zone. */
  effectiveOn: string;
}

export interface TaxDocumentReport {
  providerReference: string;
  status: 'pending' | 'issued' | 'failed' | 'canceled';
  /** The municipality's failure message. */
  reason: string | undefined;
  /** Whether a cancellation was requested but not decided yet. */
  cancelPending: boolean;
  /** The municipality's message when it rejected the cancellation. */
  cancelRejectionMessage: string | undefined;
  issued: IssuedTaxDocument | undefined;
}

/** A document issued by the municipality, with files from the provider. */
export interface IssuedTaxDocument {
  number: string;
  /** The key for looking the document up at the tax authority. */
  accessKey: string;
  /** URLs for `fetchFile`. */
  pdfUrl: string;
  xmlUrl: string;
  taxes: IssuedTaxes;
}

/** IBS and CBS of an issued document in the format of responses: percentages, and amounts in minor units. Null if not known. */
export interface IssuedTaxes {
  state_ibs_percent: number | null;
  state_ibs_amount: number | null;
  municipal_ibs_percent: number | null;
  municipal_ibs_amount: number | null;
  cbs_percent: number | null;
  cbs_amount: number | null;
}

/** Operations on tax documents. */
export interface TaxDocumentPort {
  /** Issues the document if it is not already issued. */
  issue(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport>;
  find(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport | undefined>;
  /** Requests the cancellation at the municipality, which may decide later. Idempotent. */
  cancel(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport>;
}
