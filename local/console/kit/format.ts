// Formats numbers, money and times for people.

const LOCALE = 'en';
const whole = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });

export const number = (value: number | string | bigint): string => whole.format(BigInt(value));
export const shortNumber = (value: number): string => compact.format(value);

function formatMoney(currency: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return new Intl.NumberFormat(LOCALE, { style: 'currency', currency, ...options });
}

/** Formats minor units (`bigint` columns arrive as strings) in the currency's format. */
export function money(amountMinor: number | string, currency: string): string {
  const format = formatMoney(currency);
  return format.format(Number(amountMinor) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Formats major units, without cents if the amount is whole. */
export const wholeMoney = (amount: number | string, currency: string): string =>
  formatMoney(currency, Number.isInteger(Number(amount)) ? { maximumFractionDigits: 0 } : {}).format(
    Number(amount),
  );

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`;

const STEPS: [limitSeconds: number, seconds: number, unit: string][] = [
  [60, 1, 's'],
  [3600, 60, 'min'],
  [86_400, 3600, 'h'],
  [Number.POSITIVE_INFINITY, 86_400, 'd'],
];

/** `5 min ago`, `in 2 h`. The page's script updates it in the same format. */
export function relative(at: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 2) return 'now';
  const [, size, unit] = STEPS.find(([limit]) => distance < limit) ?? [0, 1, 's'];
  const text = `${Math.floor(distance / size)} ${unit}`;
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** `2026-05-01 12:00:03 UTC`. */
export const absolute = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Initials for an avatar. */
export const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .map(([letter]) => letter)
    .filter((_, index, all) => index === 0 || index === all.length - 1)
    .join('')
    .toUpperCase();

/** `stage_changed` as `stage changed`. */
export const words = (name: string): string => name.replaceAll('_', ' ');

/** A number of a metric such as `deals_won`: `3 deals won`, `1 deal won`. */
export function metricCount(value: number, metric: string): string {
  const singular = (text: string) =>
    text.replace(/^(\w+?)(ies|s)\b/, (_, stem, end) => stem + (end === 'ies' ? 'y' : ''));
  return `${whole.format(value)} ${value === 1 ? singular(words(metric)) : words(metric)}`;
}
