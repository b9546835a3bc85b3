// What we order from payment providers: charges, refunds, payouts and tax documents.
import type { CustomerAddress } from '../requests/address.ts';
import type { DueTerms } from './due-terms.ts';

export type PaymentMethod =
  | 'pix'
  | 'boleto'
  | 'bolepix'
  | 'card'
  | 'ach_debit'
  | 'sepa_debit'
  | 'bank_transfer';

/** The kinds of orders. Statement lines and events refer to one of them. */
export type OrderKind = 'charge' | 'payout' | 'tax_document';

/** The customer to charge, as provided by the caller. */
export interface Customer {
  /** ISO 3166-1 alpha-2. */
  country: string;
  name: string;
  email: string;
  /** BR: CPF or CNPJ without punctuation. */
  taxId: string | undefined;
  phone: string | undefined;
  address?: CustomerAddress | undefined;
}

export interface ChargeOrder {
  /** Our invoice id. */
  reference: string;
  /** The provider's id of the charge, once known. */
  providerReference: string | undefined;
  /** When we created the invoice. The charge cannot be older at the provider. */
  createdAt: Date;
  /** Minor units. */
  amountMinor: number;
  currency: string;
  region: string;
  method: PaymentMethod;
  description: string;
  customer: Customer;
  /** When the artifact stops being payable. */
  expiresAt: Date;
  /** For an invoice with a due date. */
  due?: DueTerms | undefined;
  /** The payer's day, once known. */
  paidOn?: string | undefined;
  /** The provider's ids of later payment pages. `providerReference` is the first one. */
  laterReferences?: readonly string[] | undefined;
  returnUrl: string | undefined;
}

/** A refund to send. */
export interface RefundOrder {
  /** Our refund id. */
  reference: string;
  amountMinor: number;
  reason: string | undefined;
}

/** A payout to send. `beneficiary` has the format of the request (payouts/schema.ts). */
export interface PayoutOrder {
  /** Our payout id. */
  reference: string;
  /** The provider's id of the transfer, once known. */
  providerReference: string | undefined;
  /** When we created the payout. The transfer cannot be older at the provider. */
  createdAt: Date;
  amountMinor: number;
  currency: string;
  /** PIX cashouts are final once accepted; international transfers pass through more states. */
  kind: 'pix' | 'international';
  beneficiary: Beneficiary;
  /** Shown at the provider, for example the contractor's reference. */
  description: string;
}

export interface Beneficiary {
  name: string;
  document: string;
  /** E.164. */
  phone: string;
  email?: string | undefined;
  type?: 'person' | 'business' | undefined;
  address?:
    | {
        line1?: string | undefined;
        city?: string | undefined;
        state?: string | undefined;
        postal_code?: string | undefined;
        country?: string | undefined;
      }
    | undefined;
  bank_account:
    | { type: 'pix'; key_type: 'cpf' | 'cnpj' | 'email' | 'phone' | 'evp'; key: string }
    | {
        type: 'bank_transfer';
        country: string;
        iban?: string | undefined;
        account_number?: string | undefined;
        routing_number?: string | undefined;
        account_type?: 'checking' | 'savings' | undefined;
        bic?: string | undefined;
      };
}

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
