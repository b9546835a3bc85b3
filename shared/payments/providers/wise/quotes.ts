// Quotes: what a payout costs in the currency that pays for it. Each serves one transfer and holds for half an hour.
import { toMinor, toUnits } from '../decimal.ts';
import { InvalidOrder, type PayoutOrder, ProviderRejected } from '../provider.ts';
import { type VendorAnswer, WholeNumber } from '../vendor-http.ts';
import { faultsOf, hasCode, refusalOf, type WiseClient } from './client.ts';
import { type Quote, quoteSchema } from './wire.ts';

/** A quote by which the beneficiary gets the payout's amount. Not an order. */
export async function createQuote(
  wise: WiseClient,
  { currency, amountMinor }: PayoutOrder,
  signal: AbortSignal,
): Promise<Quote> {
  return await wise.ask(
    quoteSchema,
    {
      method: 'POST',
      path: `/profiles/${wise.profileId}/quotes`,
      body: {
        sourceCurrency: wise.sourceCurrency,
        targetCurrency: currency,
        targetAmount: toUnits(amountMinor, currency),
        preferredPayIn: 'BALANCE',
      },
    },
    signal,
    refusalOfQuote,
  );
}

/** The quote for this recipient, on which alone its prices are final. Throws when it would pay out another amount. */
export async function quoteForRecipient(
  wise: WiseClient,
  quoteId: string,
  recipient: { id: string; type: string },
  { amountMinor, currency }: PayoutOrder,
  signal: AbortSignal,
): Promise<Quote> {
  const quote = await wise.ask(
    quoteSchema,
    {
      method: 'PATCH',
      path: `/profiles/${wise.profileId}/quotes/${quoteId}`,
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: {
        targetAccount: new WholeNumber(recipient.id),
        // Otherwise banks on the way take their fees from what the beneficiary gets.
        ...(recipient.type.startsWith('swift') && { payOut: 'SWIFT_OUR' }),
      },
    },
    signal,
    refusalOfQuote,
  );
  const blocked = quote.notices.find(({ type }) => type === 'BLOCKED');
  if (blocked) throw new ProviderRejected(blocked.text ?? 'Wise blocks payouts by this quote.');
  if (quote.targetAmount !== undefined && toMinor(quote.targetAmount, currency) !== amountMinor)
    throw new ProviderRejected(
      `Wise would pay out ${quote.targetAmount} ${currency} instead of ${toUnits(amountMinor, currency)}.`,
    );
  return quote;
}

/** The quote of a transfer; nothing where Wise does not keep it any more. */
export async function findQuote(
  wise: WiseClient,
  quoteId: string | undefined,
  signal: AbortSignal,
): Promise<Quote | undefined> {
  if (quoteId === undefined) return undefined;
  const path = `/profiles/${wise.profileId}/quotes/${quoteId}`;
  const answer = await wise.call({ method: 'GET', path }, signal);
  const quote = quoteSchema.safeParse(answer.body);
  return answer.status === 200 && quote.success ? quote.data : undefined;
}

/** Whether the quote can make no transfer any more. */
export async function isExpired(wise: WiseClient, quoteId: string, signal: AbortSignal): Promise<boolean> {
  const quote = await findQuote(wise, quoteId, signal);
  return quote?.status === 'EXPIRED';
}

export interface Cost {
  /** All that is taken, fees included. */
  sourceAmountMinor: number;
  /** In the currency of the source. */
  feeMinor: number | undefined;
}

/** What is taken when it is paid in this way, such as `BALANCE`. */
export function costBy(quote: Quote, payIn: string): Cost | undefined {
  const options = quote.paymentOptions.filter((option) => option.payIn === payIn);
  const option = options.find(({ payOut }) => payOut === quote.payOut) ?? options[0];
  const source = option?.sourceAmount ?? quote.sourceAmount;
  if (source === undefined) return undefined;
  const fee = option?.price?.total?.value?.amount ?? option?.fee?.total;
  return {
    sourceAmountMinor: toMinor(source, quote.sourceCurrency),
    feeMinor: fee === undefined ? undefined : toMinor(fee, quote.sourceCurrency),
  };
}

/** What Wise finds wrong with an amount or a currency is the caller's to correct. */
function refusalOfQuote(answer: VendorAnswer): Error {
  const fields = new Map([
    ['targetAmount', 'amount'],
    ['targetCurrency', 'currency'],
  ]);
  const faults = faultsOf(answer.body).flatMap(({ path, message, code }) => {
    const field = fields.get(path ?? '');
    return field ? [{ field, message: `is refused by Wise: ${message || code}` }] : [];
  });
  if (hasCode(answer, 'error.route.not.supported'))
    faults.push({
      field: 'currency',
      message: 'is refused by Wise: it does not pay out in it from the balance',
    });
  return faults.length > 0 ? new InvalidOrder(faults) : refusalOf(answer);
}
