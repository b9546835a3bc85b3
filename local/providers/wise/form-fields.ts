/** Fields of recipient forms, with their values and conditions. */
import { countries } from 'countries-list';
import { isValidIBAN } from 'ibantools';

/** Current values by key: `accountHolderName`, or `address.city` for details. */
export type Draft = Readonly<Record<string, string>>;

export interface Field {
  key: string;
  name: string;
  type: 'text' | 'select' | 'radio' | 'date';
  required: boolean;
  /** Whether other fields depend on it, so that the form must be requested again. */
  refresh?: boolean;
  example?: string;
  min?: number;
  max?: number;
  regexp?: string;
  /** Allowed values with their names. May depend on the draft. */
  values?: (draft: Draft) => readonly (readonly [string, string])[];
  /** Whether the form contains the field. */
  when?: (draft: Draft) => boolean;
  /** Additional check that a pattern cannot express, such as check digits. */
  passes?: (value: string) => boolean;
}

export const text = (key: string, name: string, rest: Partial<Field> = {}): Field => ({
  key,
  name,
  type: 'text',
  required: true,
  ...rest,
});

export const select = (
  key: string,
  name: string,
  values: readonly (readonly [string, string])[],
  rest: Partial<Field> = {},
): Field => ({ key, name, type: 'select', required: true, values: () => values, ...rest });

const NAME = "^[0-9A-Za-zÀ-ÖØ-öø-ÿ\\-_()'*,.\\s]+$";

/** First and last name with at least two characters each, without digits. */
export const isPersonName = (name: string): boolean =>
  !/\d/.test(name) &&
  name
    .trim()
    .split(/\s+/)
    .filter((word) => word.length > 1).length > 1;

export const accountHolder: Field = text('accountHolderName', 'Full name of the account holder', {
  min: 2,
  max: 140,
  regexp: NAME,
});

export const email: Field = text('email', 'Their email (optional)', {
  required: false,
  example: 'example@example.ex',
  regexp: '^[^\\s]+@[^\\s]+\\.[^\\s]{2,}$',
});

const LEGAL_TYPES = [
  ['PRIVATE', 'Person'],
  ['BUSINESS', 'Business'],
] as const;

export const legalType: Field = select('legalType', 'Recipient type', LEGAL_TYPES);
export const legalTypeThatMatters: Field = { ...legalType, refresh: true };
export const personOnly: Field = select('legalType', 'Recipient type', LEGAL_TYPES.slice(0, 1));

export const isBusiness = (draft: Draft): boolean => draft.legalType === 'BUSINESS';

export const iban: Field = text('IBAN', 'IBAN', {
  example: 'DE12345678901234567890',
  min: 14,
  max: 42,
  passes: (value) => isValidIBAN(value.replace(/\s/g, '').toUpperCase()),
});

export const accountTypes = (...names: string[]): Field =>
  select(
    'accountType',
    'Account type',
    names.map((name) => [name, name] as const),
  );

/** The ninth digit of a routing number is a check digit. */
export const isAba = (digits: string): boolean =>
  [...digits].reduce((sum, digit, index) => sum + Number(digit) * ([3, 7, 1][index % 3] ?? 0), 0) % 10 === 0;

/** The eighteenth digit of a CLABE is a check digit. */
export function isClabe(digits: string): boolean {
  const weighed = [...digits.slice(0, 17)].map(
    (digit, index) => (Number(digit) * ([3, 7, 1][index % 3] ?? 0)) % 10,
  );
  const sum = weighed.reduce((total, one) => total + one, 0);
  return (10 - (sum % 10)) % 10 === Number(digits[17]);
}

/** States by country, for countries that require one. */
const STATES: Readonly<Record<string, string>> = {
  US: 'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY',
  CA: 'AB BC MB NB NL NT NS NU ON PE QC SK YT',
  AU: 'ACT NSW NT QLD SA TAS VIC WA',
  BR: 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO',
};

const statesOf = (draft: Draft) =>
  (STATES[draft['address.country'] ?? ''] ?? '')
    .split(' ')
    .filter((code) => code !== '')
    .map((code) => [code, code] as const);

export const addressFields: readonly Field[] = [
  select(
    'address.country',
    'Country',
    Object.entries(countries).map(([code, { name }]) => [code, name] as const),
    { refresh: true, example: 'Choose a country' },
  ),
  text('address.city', 'City', { min: 1, max: 255, regexp: '^.{1,255}$' }),
  {
    ...select('address.state', 'State', []),
    values: statesOf,
    when: (draft) => statesOf(draft).length > 0,
  },
  text('address.firstLine', 'Recipient address', { min: 1, max: 255, regexp: '^.{1,255}$' }),
  text('address.postCode', 'Post code', { min: 1, max: 32, regexp: '^.{1,32}$' }),
];
