// All that reading the ledger takes: loaded when it is read first, so that a function starts with its routes alone.
export { getBalance } from './balance.ts';
export { getLedgerEntry } from './get.ts';
export { ledgerFilters, listLedger } from './list.ts';
export { serializeLedgerEntry } from './serialize.ts';
