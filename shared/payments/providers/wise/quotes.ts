// Quotes: the cost of a payout in the source currency. Each quote is valid for one transfer and for 30 minutes.
import { toMajorUnits, toMinorUnits } from '../../formats/currencies.ts';
import { InvalidOrder, ProviderRejected } from '../errors.ts';
import type { PayoutOrder } from '../payout-port.ts';
import { type ProviderResponse, WholeNumber } from '../provider-http.ts';
import { faultsOf, hasCode, type WiseClient, wiseRejection } from './client.ts';
import { type Quote, quoteSchema } from './wire.ts';

/** Creates a quote for the amount that the beneficiary receives. Throws `InvalidOrder` if Wise rejects the amount or currency. */
export async function createQuote(wise: WiseClient, { currency, amountMinor }: PayoutOrder): Promise<Quote> {
  const path = `/profiles/${wise.profileId}/quotes`;
  const body = {
    sourceCurrency: wise.sourceCurrency,
    targetCurrency: currency,
    targetAmount: toMajorUnits(amountMinor, currency),
    preferredPayIn: 'BALANCE',
  };
  return await wise.ask(quoteSchema, { method: 'POST', path, body }, quoteError);
}

/** Sets the quote's recipient, which makes its prices final. Throws `ProviderRejected` if Wise blocks it or would pay another amount. */
export async function quoteForRecipient(
  wise: WiseClient,
  quoteId: string,
  recipient: { id: string; type: string },
  { amountMinor, currency }: PayoutOrder,
): Promise<Quote> {
  const path = `/profiles/${wise.profileId}/quotes/${quoteId}`;
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const body = {
    targetAccount: new WholeNumber(recipient.id),
    // By default, intermediary banks deduct their fees from the amount that the beneficiary receives.
    ...(recipient.type.startsWith('swift') && { payOut: 'SWIFT_OUR' }),
  };
  const quote = await wise.ask(quoteSchema, { method: 'PATCH', path, headers, body }, quoteError);
  const blocked = quote.notices.find(({ type }) => type === 'BLOCKED');
  if (blocked) throw new ProviderRejected(blocked.text ?? 'Wise blocks this payout.');
  if (quote.targetAmount !== undefined && toMinorUnits(quote.targetAmount, currency) !== amountMinor)
    throw new ProviderRejected(
      `Wise would pay out ${quote.targetAmount} ${currency} instead of ${toMajorUnits(amountMinor, currency)}.`,
    );
  return quote;
}

/** The quote of a transfer, or undefined if Wise does not return it. */
export async function findQuote(wise: WiseClient, quoteId: string | undefined): Promise<Quote | undefined> {
  if (quoteId === undefined) return undefined;
  const path = `/profiles/${wise.profileId}/quotes/${quoteId}`;
  const answer = await wise.call({ method: 'GET', path });
  const quote = quoteSchema.safeParse(answer.body);
  return answer.status === 200 && quote.success ? quote.data : undefined;
}

/** Whether the quote is too old to create a transfer. */
export async function isExpired(wise: WiseClient, quoteId: string): Promise<boolean> {
  const quote = await findQuote(wise, quoteId);
  return quote?.status === 'EXPIRED';
}

export interface Cost {
  /** The total amount charged, including fees. */
  sourceAmountMinor: number;
  /** In the source currency. */
  feeMinor: number | undefined;
}

/** The cost for a pay-in method such as `BALANCE`. Undefined if the quote has no source amount. */
export function costBy(quote: Quote, payIn: string): Cost | undefined {
  const options = quote.paymentOptions.filter((option) => option.payIn === payIn);
  const option = options.find(({ payOut }) => payOut === quote.payOut) ?? options[0];
  const source = option?.sourceAmount ?? quote.sourceAmount;
  if (source === undefined) return undefined;
  const fee = option?.price?.total?.value?.amount ?? option?.fee?.total;
  return {
    sourceAmountMinor: toMinorUnits(source, quote.sourceCurrency),
    feeMinor: fee === undefined ? undefined : toMinorUnits(fee, quote.sourceCurrency),
  };
}

/** Errors about the amount or currency become `InvalidOrder`, because the caller can correct them. */
function quoteError(answer: ProviderResponse): Error {
  const fields = new Map([
    ['targetAmount', 'amount'],
    ['targetCurrency', 'currency'],
  ]);
  const faults = faultsOf(answer.body).flatMap(({ path, message, code }) => {
    const field = fields.get(path ?? '');
    return field ? [{ field, message: `was rejected by Wise: ${message || code}` }] : [];
  });
  if (hasCode(answer, 'error.route.not.supported'))
    faults.push({
      field: 'currency',
      message: 'is not supported by Wise for payouts from this balance',
    });
  return faults.length > 0 ? new InvalidOrder(faults) : wiseRejection(answer);
}
