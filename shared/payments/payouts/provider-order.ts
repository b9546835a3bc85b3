import type { PayoutOrder } from '../providers/provider.ts';
import type { PayoutRow } from './serialize.ts';
import type { PayoutStatus } from './states.ts';

/** What the provider is asked for, the same at every try. */
export function payoutOrderOf(row: PayoutRow): PayoutOrder {
  const { id, amount, currency, beneficiary, provider_reference: providerReference } = row;
  const kind = beneficiary.bank_account.type === 'pix' ? 'pix' : 'international';
  return {
    reference: id,
    providerReference: providerReference ?? undefined,
    createdAt: new Date(row.created),
    amountMinor: amount,
    currency,
    kind,
    // Nearly every bank wants to know: a person, unless it is said.
    beneficiary: { type: 'person', ...beneficiary },
    description: row.contractor_reference ?? id,
  };
}

/** The state in which a payout starts; what the provider reports later comes as a notification. */
export const firstStatusOf = ({ kind }: PayoutOrder): PayoutStatus =>
  kind === 'pix' ? 'processing' : 'created';
