// What the number format of a workbook's cell says about its value.
import { currencyOf } from '../values/number-text.ts';

/** Texts, escaped signs, conditions and colors, and space for alignment. */
const LITERAL = /"[^"]*"|\\.|\[[^\]]*\]|[_*]./g;
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const DAY_SECONDS = 86_400;
/** Formats of times can hide the day of a value this large. */
const YEAR_DAYS = 366;
/** Locale of US dollars. */
const UNITED_STATES = '409';

const firstSection = (format: string): string => format.split(';', 1)[0] ?? '';

/** `14:30` or `14:30:15` for a value that is shown as a time or a duration, which can have more than 24 hours. */
export function clockIn(format: string, value: number): string | undefined {
  const section = firstSection(format);
  const bare = section.replaceAll(LITERAL, '');
  const isElapsed = ELAPSED.test(section);
  const isClock = /[hs]/i.test(bare) && !/[yd]|mmm/i.test(bare) && value < YEAR_DAYS;
  if (value < 0 || !(isElapsed || isClock)) return undefined;
  const all = Math.round(value * DAY_SECONDS);
  const seconds = isElapsed ? all : all % DAY_SECONDS;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[2] === 0 ? parts.slice(0, 2) : parts;
  return shown.map((part) => String(part).padStart(2, '0')).join(':');
}

/** The currency of a format such as `[$US$-409] #,##0.00` or `"R$" #,##0.00`, or of a shown amount. */
export function currencyIn(format: string): string | undefined {
  const section = firstSection(format);
  const [, sign, locale] = /\[\$([^\]-]+)(?:-([^\]]*))?\]/.exec(section) ?? [];
  if (sign?.trim() === '$') return locale === UNITED_STATES ? 'USD' : undefined;
  const texts = sign ?? section.replaceAll(/\[[^\]]*\]|[_*].|["\\]/g, '');
  const [found] = /US\$|U\$|R\$|€|£|\b[A-Z]{3}\b/.exec(texts) ?? [];
  const currency = found === undefined ? undefined : currencyOf(found);
  return currency !== undefined && CURRENCIES.has(currency) ? currency : undefined;
}

/** Whether a format adds zeros or signs to a code, such as `00000`, `000\.000\.000\-00` and `"M-"0`. */
export function isMask(format: string): boolean {
  const section = firstSection(format);
  const bare = section.replaceAll(LITERAL, '');
  if (!bare.includes('0') || /[#?.,%e@]/i.test(bare) || currencyIn(format) !== undefined) return false;
  return bare.replaceAll(/[^0]/g, '').length > 1 || /"[^"]*[^"\s][^"]*"|\\\S/.test(section);
}
