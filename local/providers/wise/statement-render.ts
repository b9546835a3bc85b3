/** Statement entries: one per movement or, in the flat format, an additional one for its fee. */
import { renderAmount } from './money.ts';
import type { Entry } from './state.ts';
import { fullTime } from './times.ts';

type Line = Pick<Entry, 'amount' | 'fee' | 'running'> & { type: string; description: string };

function renderLine(currency: string, entry: Entry, line: Line) {
  const { exchange } = entry;
  const zeroed = (minor: number) => ({ ...renderAmount(currency, minor), zero: minor === 0 });
  return {
    type: line.amount < 0 ? 'DEBIT' : 'CREDIT',
    date: fullTime(entry.atMs),
    amount: zeroed(line.amount),
    totalFees: zeroed(line.fee),
    details: {
      type: line.type,
      description: line.description,
      ...(entry.recipient === null ? {} : { recipient: entry.recipient }),
      ...(entry.paymentReference === null ? {} : { paymentReference: entry.paymentReference }),
      ...(entry.type === 'CONVERSION' && exchange !== null
        ? {
            sourceAmount: renderAmount(exchange.from.currency, exchange.from.minor),
            targetAmount: renderAmount(exchange.to.currency, exchange.to.minor),
            rate: exchange.rate,
          }
        : {}),
    },
    exchangeDetails:
      exchange === null
        ? null
        : {
            toAmount: renderAmount(exchange.to.currency, exchange.to.minor),
            fromAmount: renderAmount(exchange.from.currency, exchange.from.minor),
            rate: exchange.rate,
          },
    runningBalance: zeroed(line.running),
    referenceNumber: entry.referenceNumber,
    attachment: null,
    activityAssetAttributions: [],
  };
}

export function renderEntry(currency: string, entry: Entry, kind: 'COMPACT' | 'FLAT') {
  const { amount, fee, running, type, description } = entry;
  if (kind === 'COMPACT' || fee === 0) {
    return [renderLine(currency, entry, { amount, fee, running, type, description })];
  }
  const feeLine = {
    amount: -fee,
    fee: 0,
    running,
    type: 'UNKNOWN',
    description: 'Wise Charges for: transfer',
  };
  return [
    renderLine(currency, entry, { amount: amount + fee, fee: 0, running: running + fee, type, description }),
    renderLine(
      currency,
      { ...entry, exchange: null, referenceNumber: `FEE-${entry.referenceNumber}` },
      feeLine,
    ),
  ];
}
