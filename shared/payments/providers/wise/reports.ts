// What a transfer means for a payout: its state, what it costs, what came back. Wise tells the present state alone, so that
// everything is decided from it and from what has paid for the transfer.

import type { PayoutStatus } from '../../payouts/states.ts';
import { toMinor } from '../decimal.ts';
import type { AdjustmentTotal, FundingNeeded, PayoutReport, ProviderState } from '../provider.ts';
import type { WiseClient } from './client.ts';
import { paymentsOf } from './funding.ts';
import { type Cost, costBy, findQuote } from './quotes.ts';
import { refundedMinor } from './statement.ts';
import { type Payment, type Transfer, timeOf } from './wire.ts';

/** States of which one is enough to know what they mean to us. */
const statuses = new Map<string, PayoutStatus>([
  ['incoming_payment_waiting', 'incoming_payment_waiting'],
  ['incoming_payment_initiated', 'incoming_payment_waiting'],
  ['processing', 'processing'],
  ['funds_converted', 'processing'],
  ['outgoing_payment_sent', 'paid'],
  // It is tried again, or given back later: not yet known which.
  ['bounced_back', 'paid'],
  ['funds_refunded', 'failed'],
  ['charged_back', 'failed'],
]);

const reasons = new Map<string, string>([
  ['cancelled', 'Wise canceled the transfer after it was paid for.'],
  ['funds_refunded', 'The transfer did not reach the beneficiary, and Wise gave the money back.'],
  ['charged_back', 'What had paid for the transfer was taken back.'],
]);

/** A transfer that nobody pays for is canceled after that. */
const FUND_WITHIN_MS = 14 * 24 * 60 * 60_000;

export interface FoundTransfer {
  transfer: Transfer;
  /** When we asked: it was in this state then. */
  at: Date;
}

export async function reportOf(
  wise: WiseClient,
  { transfer, at }: FoundTransfer,
  signal: AbortSignal,
): Promise<PayoutReport> {
  const report = (status: PayoutStatus, more: Partial<ProviderState> = {}): PayoutReport => ({
    providerReference: transfer.id,
    state: { status, at, feeMinor: undefined, availableOn: undefined, reason: undefined, ...more },
  });
  // Canceled before it was paid for, it never began; afterwards it failed.
  const status =
    transfer.status === 'cancelled'
      ? (await paymentsOf(wise, transfer.id, signal)).length > 0
        ? 'failed'
        : 'canceled'
      : statuses.get(transfer.status);
  switch (status) {
    case undefined:
      wise.log.warn('wise has a state of transfers that is unknown here', {
        transfer: transfer.id,
        state: transfer.status,
      });
      // The first of all states: wherever the payout is, this changes nothing.
      return report('created');
    case 'incoming_payment_waiting':
      return { ...report(status), funding: await fundingOf(wise, transfer, signal) };
    case 'paid': {
      const { feeMinor, adjustments } = await costsOf(wise, transfer, signal);
      return { ...report(status, { feeMinor }), adjustments };
    }
    case 'failed':
      return {
        ...report(status, { reason: reasons.get(transfer.status) }),
        ...(transfer.status !== 'charged_back' && (await returnedOf(wise, transfer, signal))),
      };
    default:
      return report(status);
  }
}

/** What people must send; nothing once something paid for it. */
async function fundingOf(
  wise: WiseClient,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<FundingNeeded | undefined> {
  if (transfer.status !== 'incoming_payment_waiting') return undefined;
  if ((await paymentsOf(wise, transfer.id, signal)).length > 0) return undefined;
  const quote = await findQuote(wise, transfer.quoteUuid, signal);
  const cost = quote && costBy(quote, 'BANK_TRANSFER');
  return (
    cost && {
      sourceAmountMinor: cost.sourceAmountMinor,
      sourceCurrency: transfer.sourceCurrency,
      reference: transfer.id,
      fundBy: new Date(timeOf(transfer.created).getTime() + FUND_WITHIN_MS),
    }
  );
}

/**
 * In one currency the fee is what was taken beside the amount. Between two, the payout's own entry is in that of the beneficiary,
 * whose balance we may not even have: the conversion takes it to the one that paid, fee included.
 */
async function costsOf(
  wise: WiseClient,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<{ feeMinor: number | undefined; adjustments: AdjustmentTotal[] }> {
  const { sourceCurrency, targetCurrency, targetValue } = transfer;
  const cost = await paidCostOf(wise, transfer, signal);
  // What people paid in by bank never was on the balance.
  const paidIn = cost?.paidInMinor ?? 0;
  const adjustments: AdjustmentTotal[] =
    paidIn > 0 ? [{ reason: 'received_outside', currency: sourceCurrency, amountMinor: paidIn }] : [];
  if (sourceCurrency === targetCurrency) return { feeMinor: cost?.feeMinor, adjustments };
  if (!cost || targetValue === undefined) return { feeMinor: 0, adjustments };
  return {
    feeMinor: 0,
    adjustments: [
      ...adjustments,
      {
        reason: 'conversion',
        currency: targetCurrency,
        amountMinor: toMinor(targetValue, targetCurrency),
      },
      { reason: 'conversion', currency: sourceCurrency, amountMinor: -cost.sourceAmountMinor },
    ],
  };
}

/**
 * All that was taken is what was paid, since who pays late pays by the rate of that day; the fee is the quote's for the way in
 * which it was paid. Each by the other where it is missing.
 */
async function paidCostOf(
  wise: WiseClient,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<PaidCost | undefined> {
  const payments = await paymentsOf(wise, transfer.id, signal);
  const quote = await findQuote(wise, transfer.quoteUuid, signal);
  const quoted = quote && costBy(quote, payments[0]?.method ?? 'BALANCE');
  const sourceAmountMinor = takenMinor(transfer, payments) || quoted?.sourceAmountMinor;
  if (sourceAmountMinor === undefined) return undefined;
  const { sourceCurrency, targetCurrency, targetValue } = transfer;
  const beside =
    sourceCurrency === targetCurrency && targetValue !== undefined
      ? sourceAmountMinor - toMinor(targetValue, targetCurrency)
      : undefined;
  const paidInMinor = takenMinor(transfer, payments.filter(isPaidIn));
  return { sourceAmountMinor, feeMinor: quoted?.feeMinor ?? beside, paidInMinor };
}

interface PaidCost extends Cost {
  /** What of it did not come from the balance. */
  paidInMinor: number;
}

const isPaidIn = ({ method }: Payment): boolean => method !== undefined && method !== 'BALANCE';

const takenMinor = ({ sourceCurrency }: Transfer, payments: Payment[]): number =>
  payments
    .filter(({ currency }) => currency === undefined || currency === sourceCurrency)
    .reduce((sum, { amount }) => sum + toMinor(amount ?? 0, sourceCurrency), 0);

/**
 * What came back to the balance, as the statement says; where the account may not read it, all that had been paid from there, once Wise
 * says that it was given back. What is missing of it then, Wise and the banks on the way kept.
 */
async function returnedOf(
  wise: WiseClient,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<Pick<PayoutReport, 'adjustments' | 'kept'>> {
  const { sourceCurrency: currency } = transfer;
  const fromBalance = (await paymentsOf(wise, transfer.id, signal)).filter((one) => !isPaidIn(one));
  const taken = takenMinor(transfer, fromBalance);
  let returned = await refundedMinor(wise, transfer, signal);
  if (returned === undefined && transfer.status === 'funds_refunded') {
    returned = taken;
    wise.log.warn('what wise gave back of a transfer cannot be read: taken for all that was paid', {
      transfer: transfer.id,
    });
  }
  return {
    adjustments: returned ? [{ reason: 'returned', currency, amountMinor: returned }] : [],
    kept:
      transfer.status === 'funds_refunded'
        ? { currency, amountMinor: Math.max(0, taken - (returned ?? 0)) }
        : undefined,
  };
}
