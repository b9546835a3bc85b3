// Payouts at a payment provider.
import type { OrderReport } from './order-report.ts';

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

/** The bank transfer that funds a payout manually. */
export interface FundingNeeded {
  sourceAmountMinor: number;
  sourceCurrency: string;
  /** The reference that the bank transfer must carry. */
  reference: string;
  fundBy: Date | undefined;
}

export interface PayoutReport extends OrderReport {
  /** Present while the payout waits for funding. */
  funding?: FundingNeeded | undefined;
  /** The part of a failed payout that the provider did not return. It is a fee if the payout was never paid. */
  kept?: { currency: string; amountMinor: number } | undefined;
}

/** Operations on payouts. */
export interface PayoutPort {
  /**
   * How to resend a payout whose outcome is unknown: `at_once` if the provider deduplicates, otherwise only after two lookups did
   * not find it.
   */
  resendPolicy: 'at_once' | 'after_two_lookups';
  create(order: PayoutOrder, signal: AbortSignal): Promise<PayoutReport>;
  /** Finds the payout with this reference. */
  find(order: PayoutOrder, signal: AbortSignal): Promise<PayoutReport | undefined>;
  /** Returns false if the payout can no longer be canceled. Idempotent. */
  cancel(order: PayoutOrder, signal: AbortSignal): Promise<boolean>;
}
