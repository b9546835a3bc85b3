// Charges at a payment provider: orders, acceptances and reports, and the operations.
import type { CustomerAddress } from '../requests/address.ts';
import type { DueTerms } from './due-terms.ts';
import type { OrderReport } from './order-report.ts';

export const paymentMethods = [
  'pix',
  'boleto',
  'bolepix',
  'card',
  'ach_debit',
  'sepa_debit',
  'bank_transfer',
] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** Payment methods by region. Any other method is a validation error, whether or not the region is live. */
export const methodsByRegion = {
  br: ['pix', 'boleto', 'bolepix', 'card'],
  us: ['card', 'ach_debit', 'bank_transfer'],
  eu: ['card', 'sepa_debit', 'bank_transfer'],
} as const satisfies Record<string, readonly PaymentMethod[]>;

/** The customer to charge, in the format of the request. */
export interface Customer {
  /** ISO 3166-1 alpha-2. */
  country: string;
  name: string;
  email: string;
  /** BR: CPF or CNPJ without punctuation. */
  tax_id?: string | undefined;
  phone?: string | undefined;
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

/** Payment instructions for the payer. The members depend on the method. */
export interface Artifact {
  pix?: { payload: string };
  /** `pdfUrl`: the provider's PDF, if any. It is downloaded once and served from our storage. */
  boleto?: { digitableLine: string; barcode: string; pdfUrl?: string };
  /** A hosted payment page for cards, debits and bank transfers. */
  checkout?: { url: string };
}

export interface AcceptedCharge extends OrderReport {
  artifact: Artifact;
}

/** A chargeback of a charge. */
export interface DisputeReport {
  /** The provider's id of the chargeback. */
  providerReference: string;
  status: 'open' | 'won' | 'lost';
  amountMinor: number;
  openedAt?: Date | undefined;
}

/** Operations on charges. */
export interface ChargePort {
  create(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge>;
  /** Finds the charge with this reference. Never creates anything. */
  find(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge | undefined>;
  /** Reads the state of a charge, without its artifact. */
  read(order: ChargeOrder, signal: AbortSignal): Promise<OrderReport | undefined>;
  /** Makes the charge unpayable. Returns false if it is already paid. Idempotent. */
  cancel(order: ChargeOrder, signal: AbortSignal): Promise<boolean>;
  /** For providers whose payment pages expire sooner than charges can. */
  pages?: PagePort;
}

/** Operations on the payment pages of a charge, of which at most one is open. */
export interface PagePort {
  /** The state of the charge's last page. */
  read(order: ChargeOrder, signal: AbortSignal): Promise<PageState>;
  /** Creates the n-th page once all earlier pages have expired. Calling it again with the same `page` returns the same page. */
  renew(order: ChargeOrder, page: NewPage, signal: AbortSignal): Promise<{ reference: string; url: string }>;
}

export type PageState = { status: 'open'; url: string } | { status: 'paid' | 'in_transit' | 'expired' };

export interface NewPage {
  /** The first page is 1. */
  n: number;
  /** When the page was first requested. Its lifetime starts at this time. */
  madeAt: Date;
}
