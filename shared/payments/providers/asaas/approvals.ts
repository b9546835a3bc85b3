// Asaas' withdrawal validation: what it asks of a transfer before it makes it.
import { z } from 'zod';
import { toMinor } from '../decimal.ts';
import type { Beneficiary } from '../provider.ts';
import { pixKeyOf } from './payouts.ts';

/** A transfer that Asaas asks about. */
export interface TransferUnderReview {
  id: string;
  reference: string | undefined;
  amountMinor: number;
  /** The PIX key as Asaas has it. */
  key: string | undefined;
}

const asked = z.object({
  type: z.literal('TRANSFER'),
  transfer: z.object({
    id: z.string(),
    value: z.number(),
    externalReference: z.string().nullish(),
    bankAccount: z.object({ pixAddressKey: z.string().nullish() }).nullish(),
  }),
});

/** Undefined for what is no transfer. */
export function readApproval(body: unknown): TransferUnderReview | undefined {
  const read = asked.safeParse(body);
  if (!read.success) return undefined;
  const { id, value, externalReference, bankAccount } = read.data.transfer;
  return {
    id,
    reference: externalReference ?? undefined,
    amountMinor: toMinor(value, 'BRL'),
    key: bankAccount?.pixAddressKey ?? undefined,
  };
}

/** Whether value and key are those of an order. */
export function transferMatches(
  { amountMinor, key }: TransferUnderReview,
  order: { amount: number; currency: string; beneficiary: Beneficiary },
): boolean {
  if (order.currency !== 'BRL' || order.amount !== amountMinor || key === undefined) return false;
  return bare(key) === bare(pixKeyOf(order).pixAddressKey);
}

/** Keys are shown with or without punctuation, phones with or without +55, e-mails in any case. */
function bare(key: string): string {
  if (key.includes('@')) return key.toLowerCase();
  const plain = key.replace(/[^0-9A-Za-z]/g, '').toLowerCase();
  return key.startsWith('+55') ? plain.slice(2) : plain;
}
