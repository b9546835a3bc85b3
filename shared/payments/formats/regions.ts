// Countries, currencies and routing regions. The lists come from a small maintained package because Intl differs between runtimes:
// Deno 2.1.4 still has HRK and BGN, lacks SLE and XCG, and treats region codes such as EU and ZZ as countries.
import { countries } from 'countries-list';

export type Region = 'br' | 'us' | 'eu';

/** Codes in the package that ISO 3166-1 only reserves (Ascension, Tristan da Cunha) or leaves user-assigned (Kosovo). */
const NOT_ASSIGNED: ReadonlySet<string> = new Set(['AC', 'TA', 'XK']);

/** ISO 4217 funds and units of account, which the package lists among a country's currencies. */
const FUNDS: ReadonlySet<string> = new Set(['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW']);

/** Venezuela's second code, active in addition to VES since 2021. */
const SECOND_CODES = ['VED'];

const COUNTRIES: ReadonlySet<string> = new Set(
  Object.keys(countries).filter((code) => !NOT_ASSIGNED.has(code)),
);

const CURRENCIES: ReadonlySet<string> = new Set(
  Object.values(countries)
    .flatMap((country): readonly string[] => country.currency)
    .filter((code) => !FUNDS.has(code))
    .concat(SECOND_CODES),
);

/** The members of the European Union (alpha-2). */
export const EU_MEMBERS: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/** Whether the code is an assigned ISO 3166-1 alpha-2 code in upper case. */
export function isCountry(code: string): boolean {
  return COUNTRIES.has(code);
}

/** Whether the code is an ISO 4217 code of an active currency in upper case. Excludes funds, metals, test codes and `XXX`. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** The routing region of a country (alpha-2, upper case). Undefined outside Brazil, the US and the EU. */
export function regionOf(country: string): Region | undefined {
  if (country === 'BR') return 'br';
  if (country === 'US') return 'us';
  return EU_MEMBERS.has(country) ? 'eu' : undefined;
}
