/** Prices by pay-in and payout method, and their presentation in a quote. */
import { convert, renderAmount, toMajor } from './money.ts';
import type { AccountOptions } from './options.ts';
import type { PayIn, PayOut, Quote } from './state.ts';

export interface Price {
  /** In the source currency, like the next two. */
  fee: number;
  sourceAmount: number;
  /** The amount that is converted. */
  converted: number;
  targetAmount: number;
}

/** Target currency units for one source currency unit; undefined for an unknown currency. */
export function rateOf({ rates }: AccountOptions, source: string, target: string): number | undefined {
  const [from, to] = [rates[source], rates[target]];
  if (from === undefined || to === undefined) return undefined;
  return source === target ? 1 : Number((to / from).toPrecision(6));
}

type Priced = Pick<
  Quote,
  'sourceCurrency' | 'targetCurrency' | 'providedAmountType' | 'amount' | 'rate' | 'targetAccount'
>;

/** The recipient gets the target amount; the fee is in the source currency. */
export function priceOf(quote: Priced, options: AccountOptions, payIn: PayIn, payOut: PayOut): Price {
  const { fees } = options;
  const { fixed, percent } = payIn === 'BALANCE' ? fees.balance : fees.bankTransfer;
  const extra =
    (payOut === 'BANK_TRANSFER' ? 0 : fees.swift * (payOut === 'SWIFT_OUR' ? 2 : 1)) +
    (quote.targetAccount === null ? 0 : fees.withRecipient);
  const feeOf = (amount: number): number => fixed + extra + Math.round((amount * percent) / 100);
  const { sourceCurrency, targetCurrency, amount, rate } = quote;
  if (quote.providedAmountType === 'SOURCE') {
    const fee = feeOf(amount);
    const converted = amount - fee;
    const from = { currency: sourceCurrency, minor: converted };
    return { fee, sourceAmount: amount, converted, targetAmount: convert(from, targetCurrency, rate) };
  }
  const converted = convert({ currency: targetCurrency, minor: amount }, sourceCurrency, 1 / rate);
  const fee = feeOf(converted);
  return { fee, sourceAmount: converted + fee, converted, targetAmount: amount };
}

export function renderPaymentOption(
  quote: Quote,
  { payIn, payOut }: { payIn: PayIn; payOut: PayOut },
  price: Price,
  {
    disabledReason,
    deliveryMs,
  }: { disabledReason: { code: string; message: string } | null; deliveryMs: number },
) {
  const { sourceCurrency, targetCurrency } = quote;
  const fee = toMajor(sourceCurrency, price.fee);
  const label = `${fee} ${sourceCurrency}`;
  const value = { ...renderPriceValue(sourceCurrency, price.fee), label };
  return {
    disabled: disabledReason !== null,
    ...(disabledReason === null ? {} : { disabledReason }),
    estimatedDelivery: new Date(deliveryMs).toISOString().replace(/\.\d+/, ''),
    formattedEstimatedDelivery: 'in 2 days',
    estimatedDeliveryDelays: [],
    fee: { transferwise: fee, payIn: 0, discount: 0, partner: 0, total: fee },
    price: {
      priceSetId: 238,
      total: { type: 'TOTAL', label: 'Total fees', value },
      items: [{ type: 'TRANSFERWISE', label: 'Our fee', value }],
    },
    sourceAmount: toMajor(sourceCurrency, price.sourceAmount),
    targetAmount: toMajor(targetCurrency, price.targetAmount),
    sourceCurrency,
    targetCurrency,
    payIn,
    payOut,
    allowedProfileTypes: ['PERSONAL', 'BUSINESS'],
    payInProduct: payIn === 'BALANCE' ? 'BALANCE' : 'CHEAP',
    feePercentage: price.sourceAmount > 0 ? Number((price.fee / price.sourceAmount).toFixed(4)) : 0,
  };
}

function renderPriceValue(currency: string, minor: number) {
  const { value, currency: name } = renderAmount(currency, minor);
  return { amount: value, currency: name };
}
