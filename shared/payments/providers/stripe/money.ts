// Converts amounts between our minor units and Stripe's, which deviate from ISO 4217 for some currencies.
import { minorDigitsOf } from '../../formats/currencies.ts';
import { InvalidOrder } from '../errors.ts';

/** Currencies without decimals at Stripe. ISK and UGX have none in ISO 4217 either, but two at Stripe. */
const WITHOUT_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const THREE_DECIMALS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** Number of decimals of Stripe's unit of a currency (upper case). */
function digitsAtStripe(currency: string): number {
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return THREE_DECIMALS.has(currency) ? 3 : 2;
}

/** Converts minor units to Stripe's units. Throws `InvalidOrder` if Stripe cannot represent the amount. */
export function toStripe(amountMinor: number, currency: string): number {
  const amount = scaled(amountMinor, digitsAtStripe(currency) - minorDigitsOf(currency));
  const step = THREE_DECIMALS.has(currency) ? 10 : 1;
  if (Number.isInteger(amount) && amount % step === 0) return amount;
  throw new InvalidOrder([
    { field: 'amount', message: `has more decimal places than Stripe accepts for ${currency}` },
  ]);
}

/** Converts Stripe's units to minor units. `currency` is in lower case, as in Stripe's responses. */
export function fromStripe(amount: number, currency: string): number {
  const ours = currency.toUpperCase();
  return Math.round(scaled(amount, minorDigitsOf(ours) - digitsAtStripe(ours)));
}

function scaled(amount: number, digits: number): number {
  return digits < 0 ? amount / 10 ** -digits : amount * 10 ** digits;
}
