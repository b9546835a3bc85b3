/** What an entry of the ledger is for. */
export const entryTypes = ['charge', 'payout', 'fee', 'adjustment'] as const;
export type EntryType = (typeof entryTypes)[number];
