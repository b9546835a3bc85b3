/** Recipient forms: the details that Wise requires by currency, and the fields of a transfer. */
import { countries } from 'countries-list';
import { isValidIBAN } from 'ibantools';
import type { ErrorItem } from './desk.ts';
import type { PayOut } from './state.ts';

/** Current values by key: `accountHolderName`, or `address.city` for details. */
export type Draft = Readonly<Record<string, string>>;

export interface Field {
  key: string;
  required: boolean;
  /** Whether other fields depend on it, so that the form must be requested again. */
  refresh?: boolean;
  min?: number;
  max?: number;
  regexp?: string;
  /** Allowed values. May depend on the draft. */
  values?: (draft: Draft) => readonly string[];
  /** Whether the form contains the field. */
  when?: (draft: Draft) => boolean;
  /** A check that a pattern cannot express, such as check digits. Forms do not show it. */
  passes?: (value: string) => boolean;
}

export interface Form {
  type: string;
  currency: string;
  /** Type name in the format of recipients. */
  className: string;
  payOut: PayOut;
  fields: readonly Field[];
}

const text = (key: string, regexp: string, rest: Partial<Field> = {}): Field => ({
  key,
  required: true,
  regexp,
  ...rest,
});
const select = (key: string, values: readonly string[], rest: Partial<Field> = {}): Field => ({
  key,
  required: true,
  values: () => values,
  ...rest,
});

const accountHolder = text('accountHolderName', "^[0-9A-Za-zÀ-ÖØ-öø-ÿ\\-_()'*,.\\s]+$", { min: 2, max: 140 });
const email = text('email', '^[^\\s]+@[^\\s]+\\.[^\\s]{2,}$', { required: false });
const legalType = select('legalType', ['PRIVATE', 'BUSINESS']);
const COMMON = [accountHolder, email, legalType];
const isBusiness = (draft: Draft): boolean => draft.legalType === 'BUSINESS';

/** First and last name with at least two characters each, without digits. */
const isPersonName = (name: string): boolean =>
  !/\d/.test(name) &&
  name
    .trim()
    .split(/\s+/)
    .filter((word) => word.length > 1).length > 1;

const weighed = (digits: string): number[] =>
  [...digits].map((digit, index) => Number(digit) * ([3, 7, 1][index % 3] ?? 0));
const sumOf = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0);
/** The ninth digit of a routing number is a check digit. */
const isAba = (digits: string): boolean => sumOf(weighed(digits)) % 10 === 0;
/** The eighteenth digit of a CLABE is a check digit. */
const isClabe = (digits: string): boolean =>
  (10 - (sumOf(weighed(digits.slice(0, 17)).map((one) => one % 10)) % 10)) % 10 === Number(digits[17]);

/** Banks with their branches. */
const JAPANESE_BANKS: Record<string, string[]> = { '0001': ['001', '004'], '0005': ['001', '084'] };
const US_STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(
    ' ',
  );
const hasStates = (draft: Draft): boolean => draft['address.country'] === 'US';

const ADDRESS: readonly Field[] = [
  select('address.country', Object.keys(countries), { refresh: true }),
  text('address.city', '^.{1,255}$'),
  { ...select('address.state', US_STATES), when: hasStates },
  text('address.firstLine', '^.{1,255}$'),
  text('address.postCode', '^.{1,32}$'),
];

const form = (currency: string, type: string, className: string, fields: readonly Field[]): Form => ({
  ...{ type, currency, className },
  payOut: type === 'swift_code' ? 'SWIFT' : 'BANK_TRANSFER',
  fields: [...COMMON, ...fields],
});

const IBAN = text('IBAN', '^[0-9A-Za-z ]+$', {
  min: 14,
  max: 42,
  passes: (value) => isValidIBAN(value.replace(/\s/g, '').toUpperCase()),
});
const number = (regexp: string, rest: Partial<Field> = {}) => text('accountNumber', regexp, rest);

const FORMS: readonly Form[] = [
  form('EUR', 'iban', 'Iban', [IBAN]),
  form('GBP', 'sort_code', 'SortCode', [
    text('sortCode', '^\\d{2}-?\\d{2}-?\\d{2}$'),
    number('^\\d{8}$', { min: 8, max: 8 }),
  ]),
  form('GBP', 'iban', 'Iban', [IBAN]),
  form('USD', 'aba', 'Aba', [
    text('abartn', '^\\d{9}$', { min: 9, max: 9, passes: isAba }),
    number('^\\d{4,17}$'),
    select('accountType', ['CHECKING', 'SAVINGS']),
  ]),
  form('USD', 'swift_code', 'SwiftCode', [
    text('swiftCode', '^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?$', { min: 8, max: 11 }),
    number('^[0-9A-Za-z ]{4,34}$', { min: 4, max: 34 }),
  ]),
  form('CAD', 'canadian', 'Canadian', [
    text('institutionNumber', '^\\d{3}$'),
    text('transitNumber', '^\\d{5}$'),
    number('^\\d{7,12}$'),
    select('accountType', ['Checking', 'Savings']),
  ]),
  {
    ...form('AUD', 'australian', 'Australian', []),
    fields: [
      ...[accountHolder, email, { ...legalType, refresh: true }],
      text('bsbCode', '^\\d{3}-?\\d{3}$'),
      number('^\\d{4,9}$'),
      text('businessNumber', '^[0-9 ]{9,14}$', { when: isBusiness }),
    ],
  },
  form('MXN', 'mexican', 'Mexican', [text('clabe', '^\\d{18}$', { min: 18, max: 18, passes: isClabe })]),
  form('INR', 'indian', 'Indian', [
    text('ifscCode', '^[A-Za-z]{4}0[A-Za-z0-9]{6}$', { min: 11, max: 11 }),
    number('^[0-9A-Za-z]{6,20}$'),
  ]),
  form('JPY', 'japanese', 'Japanese', [
    select('bankCode', Object.keys(JAPANESE_BANKS), { refresh: true }),
    {
      ...select('branchCode', []),
      values: ({ bankCode }) => JAPANESE_BANKS[bankCode ?? ''] ?? [],
      when: ({ bankCode }) => JAPANESE_BANKS[bankCode ?? ''] !== undefined,
    },
    number('^\\d{7}$'),
    select('accountType', ['CURRENT', 'SAVING']),
  ]),
  form('THB', 'thailand', 'Thailand', [select('bankCode', ['002', '004']), number('^\\d{10,12}$')]),
];

/** Whether payments between these currencies require the recipient's address. */
export const needsAddress = (source: string | null, target: string): boolean =>
  ['USD', 'THB'].includes(target) || ['USD', 'AUD'].includes(source ?? '');

/** The forms of a currency, with the address if required. */
export const formsOf = (currency: string, withAddress: boolean): Form[] =>
  FORMS.filter((one) => one.currency === currency).map((one) =>
    withAddress ? { ...one, fields: [...one.fields, ...ADDRESS] } : one,
  );

export const formOf = (currency: string, type: string): Form | undefined =>
  formsOf(currency, needsAddress(null, currency)).find((one) => one.type === type);

/** Maximum length of a reference by payout currency. */
const REFERENCE_CHARACTERS: Record<string, number> = { EUR: 140, GBP: 18, USD: 10, AUD: 18, CAD: 15 };

/** What a transfer needs in addition to recipient and quote: its purpose, and the reference with its limit. */
export const transferFields = (targetCurrency: string): Field[] => [
  text('reference', '^[a-zA-Z0-9- ]*$', {
    required: false,
    max: REFERENCE_CHARACTERS[targetCurrency] ?? 35,
  }),
  ...(['INR', 'THB'].includes(targetCurrency)
    ? [select('transferPurpose', ['verification.transfers.purpose.other'], { refresh: true })]
    : []),
];

/** Missing and invalid fields, one error each. */
export function fieldErrors(fields: readonly Field[], draft: Draft): ErrorItem[] {
  return fields.flatMap((field) => {
    const { key, required, min = 0, max = Number.POSITIVE_INFINITY, regexp = '' } = field;
    const value = draft[key] ?? '';
    if (field.when?.(draft) === false || (value === '' && !required)) return [];
    const isPerson = key === 'accountHolderName' && !isBusiness(draft);
    const isValid =
      value.length >= Math.max(min, 1) &&
      value.length <= max &&
      new RegExp(regexp).test(value) &&
      (field.values?.(draft).includes(value) ?? true) &&
      (field.passes?.(value) ?? true) &&
      (!isPerson || isPersonName(value));
    return isValid ? [] : [{ code: 'NOT_VALID', message: `Please enter a valid ${key}.`, path: key }];
  });
}

/** Only minor version 1 of a form contains the name and the email. */
export const renderForm = ({ type, fields }: Form, draft: Draft, withName: boolean) => ({
  type,
  title: type,
  usageInfo: null,
  fields: renderFields(
    fields.filter((field) => withName || (field !== accountHolder && field !== email)),
    draft,
  ),
});

export const renderFields = (fields: readonly Field[], draft: Draft) =>
  fields
    .filter((field) => field.when?.(draft) ?? true)
    .map((field) => ({
      name: field.key,
      group: [
        {
          key: field.key,
          name: field.key,
          type: field.values ? 'select' : 'text',
          refreshRequirementsOnChange: field.refresh ?? false,
          required: field.required,
          minLength: field.min ?? null,
          maxLength: field.max ?? null,
          validationRegexp: field.regexp ?? null,
          valuesAllowed: field.values?.(draft).map((key) => ({ key, name: key })) ?? null,
        },
      ],
    }));
