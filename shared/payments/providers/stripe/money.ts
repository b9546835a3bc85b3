// Amounts as Stripe writes them: its smallest units are those of ISO 4217, with a few exceptions.
import { minorDigitsOf } from '../../formats/currencies.ts';
import { InvalidOrder } from '../provider.ts';

/** Written without decimals. ISK and UGX have none either, and are written with two. */
const WITHOUT_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const THREE_DECIMALS = new Set('BHD JOD KWD OMR TND'.split(' '));

/** How many decimals Stripe's units of a currency (upper case) have. */
function digitsAtStripe(currency: string): number {
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return THREE_DECIMALS.has(currency) ? 3 : 2;
}

/** Our minor units in Stripe's. Throws `InvalidOrder` for what Stripe has no number for. */
export function toStripe(amountMinor: number, currency: string): number {
  const amount = scaled(amountMinor, digitsAtStripe(currency) - minorDigitsOf(currency));
  const step = THREE_DECIMALS.has(currency) ? 10 : 1;
  if (Number.isInteger(amount) && amount % step === 0) return amount;
  throw new InvalidOrder([{ field: 'amount', message: `is finer than Stripe takes of ${currency}` }]);
}

/** Stripe's units in our minor ones; `currency` as Stripe writes it, in lower case. */
export function fromStripe(amount: number, currency: string): number {
  const ours = currency.toUpperCase();
  return Math.round(scaled(amount, minorDigitsOf(ours) - digitsAtStripe(ours)));
}

function scaled(amount: number, digits: number): number {
  return digits < 0 ? amount / 10 ** -digits : amount * 10 ** digits;
}
