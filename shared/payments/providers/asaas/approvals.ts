// Parses Asaas' withdrawal validation requests for transfers and refunds, and compares transfers with payouts.
import { z } from 'zod';
import { toMajorUnits, toMinorUnits } from '../../formats/currencies.ts';
import type { Beneficiary } from '../payout-port.ts';
import { pixKeyOf } from './payouts.ts';
import { refundIdIn } from './refund-reports.ts';

/** A transfer for which Asaas requests approval. */
interface TransferUnderReview {
  id: string;
  reference: string | undefined;
  /** In BRL, as reported by Asaas. */
  value: number;
  /** The PIX key in Asaas' format. */
  key: string | undefined;
}

const approvalRequest = z.object({
  type: z.literal('TRANSFER'),
  transfer: z.object({
    id: z.string(),
    // Asaas documents both names. It is unconfirmed which one the request contains.
    operationType: z.string().nullish(),
    type: z.string().nullish(),
    value: z.number(),
    externalReference: z.string().nullish(),
    bankAccount: z.object({ pixAddressKey: z.string().nullish() }).nullish(),
  }),
});

/** Returns undefined if the body is not a transfer approval request. */
export function readApproval(body: unknown): TransferUnderReview | undefined {
  const read = approvalRequest.safeParse(body);
  if (!read.success) return undefined;
  const { id, value, externalReference, bankAccount, operationType, type } = read.data.transfer;
  if ((operationType ?? type) !== 'PIX') return undefined;
  return {
    id,
    reference: externalReference ?? undefined,
    value,
    key: bankAccount?.pixAddressKey ?? undefined,
  };
}

/** A PIX refund for which Asaas requests approval. */
export interface RefundUnderReview {
  /** Asaas' id of the refund. */
  id: string;
  amountMinor: number;
  /** Asaas' id of the payment, if the request contains it. */
  payment: string | undefined;
  /** Our refund id, if the request contains the refund's description. */
  reference: string | undefined;
}

const refundToApprove = z.object({
  id: z.string().min(1).max(255),
  value: z.number(),
  payment: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish(),
  paymentId: z.string().nullish(),
  description: z.string().nullish(),
});
// The member's name is not documented; the other types name theirs after the type.
const refundRequest = z.object({
  type: z.literal('PIX_REFUND'),
  pixRefund: refundToApprove.optional().catch(undefined),
  refund: refundToApprove.optional().catch(undefined),
  pixTransaction: refundToApprove.optional().catch(undefined),
});

/** Returns undefined if the body is not a refund approval request. */
export function readRefundApproval(body: unknown): RefundUnderReview | undefined {
  const { pixRefund, refund, pixTransaction } = refundRequest.safeParse(body).data ?? {};
  const read = pixRefund ?? refund ?? pixTransaction;
  if (!read) return undefined;
  const { id, value, payment, paymentId, description } = read;
  return {
    id,
    amountMinor: toMinorUnits(value, 'BRL'),
    payment: payment ?? paymentId ?? undefined,
    reference: refundIdIn(description),
  };
}

/** Whether the amount and the PIX key match a payout exactly. */
export function transferMatches(
  { value, key }: TransferUnderReview,
  order: { amount: number; currency: string; beneficiary: Beneficiary },
): boolean {
  if (order.currency !== 'BRL' || toMajorUnits(order.amount, 'BRL') !== value || key === undefined)
    return false;
  const { pixAddressKey, pixAddressKeyType } = pixKeyOf(order);
  return (
    FORMS[pixAddressKeyType].test(key) &&
    bare(key, pixAddressKeyType) === bare(pixAddressKey, pixAddressKeyType)
  );
}

/** Notations that Asaas may use for each key type. Phone numbers and CPFs of eleven digits differ only in punctuation. */
const FORMS = {
  CPF: /^(\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/,
  CNPJ: /^([0-9A-Z]{12}\d{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-\d{2})$/i,
  PHONE: /^(\+55)?\s?(\d{10,11}|\(\d{2}\)\s?\d{4,5}-?\d{4})$/,
  EMAIL: /@/,
  EVP: /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i,
} as const;

function bare(key: string, type: keyof typeof FORMS): string {
  if (type === 'EMAIL') return key.toLowerCase();
  return (type === 'PHONE' ? key.replace(/^\+55/, '') : key).replace(/[^0-9A-Za-z]/g, '').toLowerCase();
}
