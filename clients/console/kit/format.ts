// Formats numbers, money and times in the language of the page.

import { minorDigitsOf } from '../../../shared/payments/formats/currencies.ts';
import { language, type Message, tCount, tName } from './language.ts';

/** English dates are `2 Mar 2026`, which reads the same everywhere. */
const dateLocale = () => (language() === 'en' ? 'en-GB' : language());

export const number = (value: number | string | bigint): string =>
  new Intl.NumberFormat(language()).format(BigInt(value));

/** With at most two decimals. */
export const decimal = (value: number): string =>
  new Intl.NumberFormat(language(), { maximumFractionDigits: 2 }).format(value);

export const shortNumber = (value: number): string =>
  new Intl.NumberFormat(language(), { notation: 'compact', maximumFractionDigits: 1 }).format(value);

/** As many as `Intl` shows. */
const MAX_DECIMALS = 20;

const formatMoney = (currency: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat =>
  new Intl.NumberFormat(language(), { style: 'currency', currency, ...options });

/** Formats minor units (`bigint` columns arrive as strings) in the currency's format. */
export function money(amountMinor: number | string, currency: string): string {
  const digits = minorDigitsOf(currency);
  const format = formatMoney(currency, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(Number(amountMinor) / 10 ** digits);
}

/** Formats major units in the currency's format. */
export const majorMoney = (amount: number, currency: string): string =>
  formatMoney(currency, { maximumFractionDigits: MAX_DECIMALS }).format(amount);

const STEPS: [limitSeconds: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [Number.POSITIVE_INFINITY, 86_400, 'day'],
];

/** `5min ago`, `in 2h`. The page's script updates it in the same format. */
export function relative(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  const [, size, unit] = STEPS.find(([limit]) => distance < limit) ?? [0, 1, 'second' as const];
  // A day is 24 hours here, so "yesterday" and "tomorrow" would be wrong.
  const format = new Intl.RelativeTimeFormat(language(), {
    style: 'narrow',
    numeric: distance < 2 ? 'auto' : 'always',
  });
  return format.format(distance < 2 ? 0 : Math.sign(seconds) * Math.floor(distance / size), unit);
}

/** `2 Mar 2026, 14:05:03 UTC`. */
export const absolute = (at: Date): string =>
  `${at.toLocaleString(dateLocale(), { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })} UTC`;

/** Initials for an avatar. */
export const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .map(([letter]) => letter)
    .filter((_, index, all) => index === 0 || index === all.length - 1)
    .join('')
    .toUpperCase();

const METRICS: Readonly<Record<string, [one: Message, many: Message]>> = {
  points: ['{count} point', '{count} points'],
  missions_completed: ['{count} mission completed', '{count} missions completed'],
  deals_created: ['{count} deal created', '{count} deals created'],
  deals_won: ['{count} deal won', '{count} deals won'],
  revenue_closed: ['{count} revenue closed', '{count} revenue closed'],
  leads_created: ['{count} lead created', '{count} leads created'],
  leads_qualified: ['{count} lead qualified', '{count} leads qualified'],
  activities_logged: ['{count} activity logged', '{count} activities logged'],
};

/** A number of a metric such as `deals_won`: `3 deals won`, `1 deal won`. */
export function metricCount(value: number, metric: string): string {
  const forms = METRICS[metric];
  return forms ? tCount(value, ...forms) : `${number(value)} ${tName(metric)}`;
}
