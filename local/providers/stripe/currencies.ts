/** Minimum and maximum amounts in minor units. */

/** From Stripe's table. Other currencies are not checked. */
const MIN_AMOUNTS: Record<string, number> = {
  usd: 50,
  aed: 200,
  aud: 50,
  bgn: 100,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  inr: 50,
  jpy: 50,
  mxn: 1000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1000,
};
const WITHOUT_MINOR = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '));

export const MAX_AMOUNT = 99_999_999;

export const minAmount = (currency: string, own: Record<string, number>): number =>
  own[currency] ?? MIN_AMOUNTS[currency] ?? 1;

export const isCurrency = (text: string): boolean => {
  try {
    return /^[a-z]{3}$/.test(text) && Intl.supportedValuesOf('currency').includes(text.toUpperCase());
  } catch {
    return false;
  }
};

/** `$0.50 usd`, the format of error messages. */
export function inWords(amount: number, currency: string): string {
  const whole = WITHOUT_MINOR.has(currency);
  const symbol = { usd: '$', eur: '€', gbp: '£' }[currency] ?? '';
  return `${symbol}${whole ? amount : (amount / 100).toFixed(2)} ${currency}`;
}
