// Converts a Wise transfer to a payout report: status, costs and refunds. Wise reports only the current status, so the report is
// derived from it and from the transfer's payments.

import { toMinorUnits } from '../../formats/currencies.ts';
import type { AdjustmentTotal, ProviderState } from '../order-report.ts';
import type { FundingNeeded, PayoutReport } from '../payout-port.ts';
import type { WiseClient } from './client.ts';
import { paymentsOf } from './funding.ts';
import { type Cost, costBy, findQuote } from './quotes.ts';
import { refundedMinor } from './statement.ts';
import { type Payment, type Transfer, timeOf } from './wire.ts';

type Status = 'created' | 'incoming_payment_waiting' | 'processing' | 'paid' | 'failed' | 'canceled';

/** Wise statuses that map directly to a payout status. The meaning of `cancelled` depends on the transfer's payments. */
const statuses = new Map<string, Status>([
  ['incoming_payment_waiting', 'incoming_payment_waiting'],
  ['incoming_payment_initiated', 'incoming_payment_waiting'],
  ['processing', 'processing'],
  ['funds_converted', 'processing'],
  ['outgoing_payment_sent', 'paid'],
  // Wise either retries the payment or refunds it later.
  ['bounced_back', 'paid'],
  ['funds_refunded', 'failed'],
  ['charged_back', 'failed'],
]);

const reasons = new Map<string, string>([
  ['cancelled', 'Wise canceled the transfer after it was funded.'],
  ['funds_refunded', 'The transfer did not reach the beneficiary, and Wise refunded it.'],
  ['charged_back', 'The payment that funded the transfer was charged back.'],
]);

/** Wise cancels transfers that are not funded within this time. */
const FUND_WITHIN_MS = 14 * 24 * 60 * 60_000;

interface FoundTransfer {
  transfer: Transfer;
  /** When we sent the request that read the transfer. The transfer had its status at that time. */
  at: Date;
}

export async function reportOf(wise: WiseClient, { transfer, at }: FoundTransfer): Promise<PayoutReport> {
  const report = (status: Status, more: Partial<ProviderState> = {}): PayoutReport => ({
    providerReference: transfer.id,
    state: { status, at, feeMinor: undefined, availableOn: undefined, reason: undefined, ...more },
  });
  // A transfer canceled before it was funded is a canceled payout; one canceled later is a failed payout.
  const status =
    transfer.status === 'cancelled'
      ? (await paymentsOf(wise, transfer.id)).length > 0
        ? 'failed'
        : 'canceled'
      : statuses.get(transfer.status);
  switch (status) {
    case undefined:
      wise.log.warn('unknown Wise transfer status', {
        transfer: transfer.id,
        state: transfer.status,
      });
      // `created` precedes all other statuses, so the payout keeps its status.
      return report('created');
    case 'incoming_payment_waiting':
      return { ...report(status), funding: await fundingOf(wise, transfer) };
    case 'paid': {
      const { feeMinor, adjustments } = await costsOf(wise, transfer);
      return { ...report(status, { feeMinor }), adjustments };
    }
    case 'failed':
      return {
        ...report(status, { reason: reasons.get(transfer.status) }),
        ...(transfer.status !== 'charged_back' && (await returnedOf(wise, transfer))),
      };
    default:
      return report(status);
  }
}

/** The bank transfer that users must send. Undefined if the transfer is not waiting for funding. */
async function fundingOf(wise: WiseClient, transfer: Transfer): Promise<FundingNeeded | undefined> {
  if (transfer.status !== 'incoming_payment_waiting') return undefined;
  if ((await paymentsOf(wise, transfer.id)).length > 0) return undefined;
  const quote = await findQuote(wise, transfer.quoteUuid);
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
 * Within one currency, the fee is the amount charged in addition to the payout. Between two currencies, the payout's ledger entry is
 * in the beneficiary's currency, in which the account may have no balance. The `conversion` adjustments move the entry to the source
 * currency and include the fee.
 */
async function costsOf(
  wise: WiseClient,
  transfer: Transfer,
): Promise<{ feeMinor: number | undefined; adjustments: AdjustmentTotal[] }> {
  const { sourceCurrency, targetCurrency, targetValue } = transfer;
  const cost = await paidCostOf(wise, transfer);
  // Money paid in by bank transfer was never on the balance.
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
        amountMinor: toMinorUnits(targetValue, targetCurrency),
      },
      { reason: 'conversion', currency: sourceCurrency, amountMinor: -cost.sourceAmountMinor },
    ],
  };
}

/**
 * The source amount is the sum of the payments, because late funding is converted at that day's rate. Without payments, it is the
 * quoted amount. The fee is the quoted fee for the payment method used. Without a quoted fee, it is the difference between source and
 * target amount, if both are in the same currency.
 */
async function paidCostOf(wise: WiseClient, transfer: Transfer): Promise<PaidCost | undefined> {
  const payments = await paymentsOf(wise, transfer.id);
  const quote = await findQuote(wise, transfer.quoteUuid);
  const quoted = quote && costBy(quote, payments[0]?.method ?? 'BALANCE');
  const sourceAmountMinor = sumMinor(transfer, payments) || quoted?.sourceAmountMinor;
  if (sourceAmountMinor === undefined) return undefined;
  const { sourceCurrency, targetCurrency, targetValue } = transfer;
  const difference =
    sourceCurrency === targetCurrency && targetValue !== undefined
      ? sourceAmountMinor - toMinorUnits(targetValue, targetCurrency)
      : undefined;
  const paidInMinor = sumMinor(transfer, payments.filter(isPaidIn));
  return { sourceAmountMinor, feeMinor: quoted?.feeMinor ?? difference, paidInMinor };
}

interface PaidCost extends Cost {
  /** The part that was not paid from the balance. */
  paidInMinor: number;
}

const isPaidIn = ({ method }: Payment): boolean => method !== undefined && method !== 'BALANCE';

const sumMinor = ({ sourceCurrency }: Transfer, payments: Payment[]): number =>
  payments
    .filter(({ currency }) => currency === undefined || currency === sourceCurrency)
    .reduce((sum, { amount }) => sum + toMinorUnits(amount ?? 0, sourceCurrency), 0);

/**
 * The amount refunded to the balance, according to the statement. If the statement cannot be read and Wise reports the transfer as
 * refunded, the full amount paid from the balance counts as refunded. Wise and intermediary banks kept the difference (`kept`).
 */
async function returnedOf(
  wise: WiseClient,
  transfer: Transfer,
): Promise<Pick<PayoutReport, 'adjustments' | 'kept'>> {
  const { sourceCurrency: currency } = transfer;
  const fromBalance = (await paymentsOf(wise, transfer.id)).filter((payment) => !isPaidIn(payment));
  const paidMinor = sumMinor(transfer, fromBalance);
  let returned = await refundedMinor(wise, transfer);
  if (returned === undefined && transfer.status === 'funds_refunded') {
    returned = paidMinor;
    wise.log.warn('Wise refund amount is unknown: a full refund is assumed', {
      transfer: transfer.id,
    });
  }
  return {
    adjustments: returned ? [{ reason: 'returned', currency, amountMinor: returned }] : [],
    kept:
      transfer.status === 'funds_refunded'
        ? { currency, amountMinor: Math.max(0, paidMinor - (returned ?? 0)) }
        : undefined,
  };
}
