// Serializes a ledger entry for responses.
import type { RowAs } from '../../platform/db/row.ts';
import { toMilliseconds } from '../../platform/instants.ts';
import type { LedgerEntryResponse } from './schema.ts';

/** A row of `balance_transactions`. */
export type LedgerEntryRow = RowAs<'balance_transactions', never, { type: EntryType }>;

/** An entry with the name of its payer or beneficiary. */
export type NamedLedgerEntry = LedgerEntryRow & { counterparty: string | null };

export function serializeLedgerEntry(row: NamedLedgerEntry): LedgerEntryResponse {
  return {
    id: row.id,
    type: row.type,
    amount: row.amount,
    currency: row.currency,
    fee: row.fee,
    net: row.net,
    available_on: row.available_on,
    created: toMilliseconds(row.created),
    source: sourceOf(row),
    counterparty: row.counterparty,
    cost_center: row.cost_center,
    our_number: row.our_number,
    contractor_reference: row.contractor_reference,
    refund_id: row.refund_id,
    reason: row.reason,
  };
}

export function sourceOf({ invoice_id, payout_id }: LedgerEntryRow): LedgerEntryResponse['source'] {
  if (invoice_id) return { resource: 'invoice', id: invoice_id };
  return payout_id ? { resource: 'payout', id: payout_id } : null;
}

/** The types of ledger entries. */
export const entryTypes = ['charge', 'payout', 'fee', 'adjustment'] as const;
type EntryType = (typeof entryTypes)[number];
