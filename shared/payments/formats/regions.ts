// Countries, currencies, and the regions by which charges are routed.
// The lists come from a small maintained package because Intl differs between runtimes: Deno 2.1.4
// still has HRK and BGN, has no SLE or XCG, and takes region codes like EU and ZZ for countries.
import { countries } from 'countries-list';

export type Region = 'br' | 'us' | 'eu';

/** Entries of the package that ISO 3166-1 only reserves (Ascension, Tristan da Cunha) or leaves to users (Kosovo). */
const NOT_ASSIGNED: ReadonlySet<string> = new Set(['AC', 'TA', 'XK']);

/** ISO 4217 funds and units of account, which the package lists beside their country's money. */
const FUNDS: ReadonlySet<string> = new Set(['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW']);

/** Venezuela's second code, active beside VES since 2021. */
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

/** An assigned ISO 3166-1 alpha-2 code in upper case. */
export function isCountry(code: string): boolean {
  return COUNTRIES.has(code);
}

/** An ISO 4217 code of money in use, in upper case; not funds, metals, test codes or `XXX`. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** The routing region of a country (alpha-2, upper case); undefined for those outside Brazil, the US and the EU. */
export function regionOf(country: string): Region | undefined {
  if (country === 'BR') return 'br';
  if (country === 'US') return 'us';
  return EU_MEMBERS.has(country) ? 'eu' : undefined;
}
