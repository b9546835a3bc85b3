// Statements of balances: what moved them. Wise gives them to some accounts alone, and to others after a person approved.

import { toMinor } from '../decimal.ts';
import type { AdjustmentReason } from '../names.ts';
import { type Balance, type Page, ProviderOutcomeUnknown, type StatementLine } from '../provider.ts';
import { refusalOf, type WiseClient } from './client.ts';
import {
  balancesSchema,
  type StatementTransaction,
  statementSchema,
  type Transfer,
  timeOf,
  type WiseBalance,
} from './wire.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Longer ones are refused. */
const MAX_STATEMENT_MS = 469 * DAY_MS;

/** The balances that pay, that of the account's own currency first. */
export async function listBalances(wise: WiseClient, signal: AbortSignal): Promise<WiseBalance[]> {
  const path = `/profiles/${wise.profileId}/balances?types=STANDARD`;
  const balances = await wise.ask(balancesSchema, { method: 'GET', path }, signal);
  return balances.toSorted(
    (one, other) =>
      Number(other.currency === wise.sourceCurrency) - Number(one.currency === wise.sourceCurrency),
  );
}

export async function readBalances(wise: WiseClient, signal: AbortSignal): Promise<Balance[]> {
  const balances = await listBalances(wise, signal);
  return balances.map(({ currency, amount }) => ({ currency, amountMinor: toMinor(amount.value, currency) }));
}

/** One balance a page. Empty where the account may not read statements, which the log says once. */
export async function listStatement(
  wise: WiseClient,
  since: Date,
  page: string | undefined,
  signal: AbortSignal,
): Promise<Page<StatementLine>> {
  const balances = await listBalances(wise, signal);
  const at = page === undefined ? 0 : balances.findIndex(({ id }) => id === page);
  const balance = balances[at];
  if (!balance) return { items: [], next: undefined };
  const transactions = await readStatement(wise, balance, since, signal);
  if (!transactions) return { items: [], next: undefined };
  return {
    items: transactions.map((transaction) => lineOf(balance.currency, transaction)),
    next: balances[at + 1]?.id,
  };
}

/** What came back of a transfer so far; nothing where the account may not read statements. */
export async function refundedMinor(
  wise: WiseClient,
  { id, created, sourceCurrency }: Transfer,
  signal: AbortSignal,
): Promise<number | undefined> {
  const balance = (await listBalances(wise, signal)).find(({ currency }) => currency === sourceCurrency);
  if (!balance) return undefined;
  const transactions = await readStatement(wise, balance, timeOf(created), signal);
  return transactions
    ?.filter(({ referenceNumber, amount }) => transferOf(referenceNumber) === id && amount.value > 0)
    .reduce((sum, { amount }) => sum + toMinor(amount.value, sourceCurrency), 0);
}

/** Accounts whose log says already that they may not: once for each worker is enough. */
const told = new Set<string>();

async function readStatement(
  wise: WiseClient,
  { id, currency }: WiseBalance,
  since: Date,
  signal: AbortSignal,
): Promise<StatementTransaction[] | undefined> {
  const now = Date.now();
  const start = Math.max(since.getTime(), now - MAX_STATEMENT_MS + DAY_MS);
  const ask = (end: number) => {
    const query = new URLSearchParams({
      currency,
      intervalStart: new Date(start).toISOString(),
      intervalEnd: new Date(end).toISOString(),
      type: 'COMPACT',
    });
    const path = `/profiles/${wise.profileId}/balance-statements/${id}/statement.json?${query}`;
    return wise.call({ method: 'GET', path }, signal);
  };
  // To the end that Wise allows, since its clock is another than ours; to our present, should it refuse what is to come.
  let answer = await ask(start + MAX_STATEMENT_MS);
  if ([400, 422].includes(answer.status)) answer = await ask(Math.max(now, start));
  if (answer.status === 403) {
    if (!told.has(wise.accountId))
      wise.log.warn('wise gives this account no statements: its movements are not compared', {
        account: wise.accountId,
      });
    told.add(wise.accountId);
    return undefined;
  }
  if (answer.status >= 300) throw refusalOf(answer);
  const statement = statementSchema.safeParse(answer.body);
  if (statement.success) return statement.data.transactions;
  throw new ProviderOutcomeUnknown('Wise GET statement.json: the answer has another form');
}

/** `TRANSFER-123` is of the transfer 123, both what it took and what came back. */
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
  // Money that somebody sent us has a number of a transfer too, of theirs.
  const transfer = ['DEPOSIT', 'MONEY_ADDED'].includes(kind) ? undefined : transferOf(referenceNumber);
  return {
    // What a transfer took and what came back of it have the same number.
    id: `${referenceNumber}:${currency}:${type}:${date}`,
    at: timeOf(date),
    currency,
    amountMinor: toMinor(amount.value, currency),
    order: transfer === undefined ? undefined : { kind: 'payout', providerReference: transfer },
    reason: reasons.get(kind) ?? (amount.value > 0 ? 'received_outside' : 'balance_blocked'),
    description: details?.description ?? kind,
  };
}
