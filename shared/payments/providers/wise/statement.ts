// Balances and their statements. Not every Wise account can read statements, and some need manual approval (SCA) first.

import { toMinorUnits } from '../../formats/currencies.ts';
import type { Page, StatementLine } from '../accounts.ts';
import type { AdjustmentReason, Balance } from '../order-report.ts';
import { parsedBody, type WiseClient } from './client.ts';
import {
  balancesSchema,
  type StatementTransaction,
  statementSchema,
  type Transfer,
  timeOf,
  type WiseBalance,
} from './wire.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Wise rejects longer periods. */
const MAX_STATEMENT_MS = 469 * DAY_MS;

/** The account's standard balances, starting with the one in its source currency. */
async function listBalances(wise: WiseClient): Promise<WiseBalance[]> {
  const path = `/profiles/${wise.profileId}/balances?types=STANDARD`;
  const balances = await wise.ask(balancesSchema, { method: 'GET', path });
  return balances.toSorted(
    (one, other) =>
      Number(other.currency === wise.sourceCurrency) - Number(one.currency === wise.sourceCurrency),
  );
}

export async function readBalances(wise: WiseClient): Promise<Balance[]> {
  const balances = await listBalances(wise);
  return balances.map(({ currency, amount }) => ({
    currency,
    amountMinor: toMinorUnits(amount.value, currency),
  }));
}

/**
 * Each page contains the statement of one balance. The page is empty if the account may not read statements; each worker logs that
 * once per account.
 */
export async function listStatement(
  wise: WiseClient,
  since: Date,
  page: string | undefined,
): Promise<Page<StatementLine>> {
  const balances = await listBalances(wise);
  const at = page === undefined ? 0 : balances.findIndex(({ id }) => id === page);
  const balance = balances[at];
  if (!balance) return { items: [], next: undefined };
  const transactions = await readStatement(wise, balance, since);
  if (!transactions) return { items: [], next: undefined };
  return {
    items: transactions.map((transaction) => lineOf(balance.currency, transaction)),
    next: balances[at + 1]?.id,
  };
}

/** Amount refunded for a transfer so far, in minor units. Undefined if it cannot be read from a statement. */
export async function refundedMinor(
  wise: WiseClient,
  { id, created, sourceCurrency }: Transfer,
): Promise<number | undefined> {
  const balance = (await listBalances(wise)).find(({ currency }) => currency === sourceCurrency);
  if (!balance) return undefined;
  const transactions = await readStatement(wise, balance, timeOf(created));
  return transactions
    ?.filter(({ referenceNumber, amount }) => transferOf(referenceNumber) === id && amount.value > 0)
    .reduce((sum, { amount }) => sum + toMinorUnits(amount.value, sourceCurrency), 0);
}

/** Accounts for which this worker has logged that statements are unavailable. */
const loggedAccounts = new Set<string>();

async function readStatement(
  wise: WiseClient,
  { id, currency }: WiseBalance,
  since: Date,
): Promise<StatementTransaction[] | undefined> {
  const now = Date.now();
  const start = Math.max(since.getTime(), now - MAX_STATEMENT_MS + DAY_MS);
  const requestUntil = (end: number) => {
    const query = new URLSearchParams({
      currency,
      intervalStart: new Date(start).toISOString(),
      intervalEnd: new Date(end).toISOString(),
      type: 'COMPACT',
    });
    const path = `/profiles/${wise.profileId}/balance-statements/${id}/statement.json?${query}`;
    return wise.call({ method: 'GET', path });
  };
  // Wise's clock may differ from ours, so the period ends in the future. If Wise rejects that, it ends at our current time.
  let answer = await requestUntil(start + MAX_STATEMENT_MS);
  if ([400, 422].includes(answer.status)) answer = await requestUntil(Math.max(now, start));
  if (answer.status === 403) {
    if (!loggedAccounts.has(wise.accountId))
      wise.log.warn('Wise provides no statements for this account: balance movements are not compared', {
        account: wise.accountId,
      });
    loggedAccounts.add(wise.accountId);
    return undefined;
  }
  return parsedBody(statementSchema, answer, 'GET statement.json').transactions;
}

/** `TRANSFER-123` refers to transfer 123, for its debit and its refund. */
const transferOf = (referenceNumber: string): string | undefined =>
  /^TRANSFER-(\d+)$/.exec(referenceNumber)?.[1];

const reasons = new Map<string, AdjustmentReason>([
  ['CONVERSION', 'conversion'],
  ['INCOMING_CROSS_BALANCE', 'conversion'],
  ['OUTGOING_CROSS_BALANCE', 'conversion'],
  ['ACCRUAL_CHARGE', 'provider_fee'],
  ['CARD_ORDER_CHECKOUT', 'provider_fee'],
]);

function lineOf(
  currency: string,
  { type, date, amount, details, referenceNumber }: StatementTransaction,
): StatementLine {
  const kind = details?.type ?? 'UNKNOWN';
  // Incoming payments also have a transfer number, but it is the sender's.
  const transfer = ['DEPOSIT', 'MONEY_ADDED'].includes(kind) ? undefined : transferOf(referenceNumber);
  return {
    // A transfer's debit and refund have the same reference number.
    id: `${referenceNumber}:${currency}:${type}:${date}`,
    at: timeOf(date),
    currency,
    amountMinor: toMinorUnits(amount.value, currency),
    order: transfer === undefined ? undefined : { kind: 'payout', providerReference: transfer },
    reason: reasons.get(kind) ?? (amount.value > 0 ? 'received_outside' : 'balance_blocked'),
    description: details?.description ?? kind,
  };
}
