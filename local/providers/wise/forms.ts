/** Recipient forms: the required details by currency. */

import { BRAZILIAN_BANKS, JAPANESE_BANKS } from './banks.ts';
import {
  accountHolder,
  accountTypes,
  addressFields,
  email,
  type Field,
  iban,
  isAba,
  isBusiness,
  isClabe,
  legalType,
  legalTypeThatMatters,
  personOnly,
  select,
  text,
} from './form-fields.ts';
import type { PayOut } from './state.ts';

export interface Form {
  type: string;
  title: string;
  currency: string;
  /** Type name in the newer recipient format. */
  className: string;
  country: string | null;
  payOut: PayOut;
  fields: readonly Field[];
}

const digits = (count: string): string => `^\\d{${count}}$`;

const swift = (currency: string): Form => ({
  type: 'swift_code',
  title: 'Outside the country',
  currency,
  className: 'SwiftCode',
  country: null,
  payOut: 'SWIFT',
  fields: [
    accountHolder,
    email,
    legalType,
    text('swiftCode', 'SWIFT / BIC code', {
      example: 'BUKBGB22',
      min: 8,
      max: 11,
      regexp: '^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?$',
    }),
    text('accountNumber', 'IBAN / Account number', { min: 4, max: 34, regexp: '^[0-9A-Za-z ]{4,34}$' }),
  ],
});

const local = (
  currency: string,
  type: string,
  [className, title, country]: readonly [string, string, string | null],
  fields: readonly Field[],
): Form => ({ type, title, currency, className, country, payOut: 'BANK_TRANSFER', fields });

const ibanForm = (currency: string): Form =>
  local(currency, 'iban', ['Iban', 'IBAN', null], [accountHolder, email, legalType, iban]);

const FORMS: readonly Form[] = [
  ibanForm('EUR'),
  local(
    'GBP',
    'sort_code',
    ['SortCode', 'Local bank account', 'GB'],
    [
      accountHolder,
      email,
      legalType,
      text('sortCode', 'UK sort code', { example: '40-30-20', regexp: '^\\d{2}-?\\d{2}-?\\d{2}$' }),
      text('accountNumber', 'Account number', { example: '12345678', min: 8, max: 8, regexp: digits('8') }),
    ],
  ),
  ibanForm('GBP'),
  local(
    'USD',
    'aba',
    ['Aba', 'ACH or domestic wire', 'US'],
    [
      accountHolder,
      email,
      legalType,
      text('abartn', 'Routing number', {
        example: '020123456',
        min: 9,
        max: 9,
        regexp: digits('9'),
        passes: isAba,
      }),
      text('accountNumber', 'Account number', {
        example: '12345678',
        min: 4,
        max: 17,
        regexp: digits('4,17'),
      }),
      accountTypes('CHECKING', 'SAVINGS'),
    ],
  ),
  swift('USD'),
  local(
    'BRL',
    'brazil',
    ['Brazil', 'Local bank account', 'BR'],
    [
      accountHolder,
      email,
      personOnly,
      select('bankCode', 'Bank', BRAZILIAN_BANKS),
      text('branchCode', 'Branch', { example: '1234', regexp: '^\\d{1,5}(-?[0-9Xx])?$' }),
      text('accountNumber', 'Account number', { example: '12345678-9', regexp: '^[0-9Xx-]{4,21}$' }),
      accountTypes('CHECKING', 'SAVINGS'),
      text('cpf', 'Tax registration number (CPF)', { regexp: '^\\d{3}\\.?\\d{3}\\.?\\d{3}-?\\d{2}$' }),
      text('phoneNumber', 'Phone number', { example: '+55 21 5555 5555', regexp: '^\\+?[0-9 ()-]{8,20}$' }),
    ],
  ),
  local(
    'CAD',
    'canadian',
    ['Canadian', 'Local bank account', 'CA'],
    [
      accountHolder,
      email,
      legalType,
      text('institutionNumber', 'Institution number', { example: '006', regexp: digits('3') }),
      text('transitNumber', 'Transit number', { example: '04841', regexp: digits('5') }),
      text('accountNumber', 'Account number', { example: '3456712', regexp: digits('7,12') }),
      accountTypes('Checking', 'Savings'),
    ],
  ),
  local(
    'AUD',
    'australian',
    ['Australian', 'Local bank account', 'AU'],
    [
      accountHolder,
      email,
      legalTypeThatMatters,
      text('bsbCode', 'BSB code', { example: '023604', regexp: '^\\d{3}-?\\d{3}$' }),
      text('accountNumber', 'Account number', { example: '123456789', regexp: digits('4,9') }),
      text('businessNumber', 'ABN, ACN or ARBN', { regexp: '^[0-9 ]{9,14}$', when: isBusiness }),
    ],
  ),
  local(
    'MXN',
    'mexican',
    ['Mexican', 'Local bank account', 'MX'],
    [
      accountHolder,
      email,
      legalType,
      text('clabe', 'CLABE', {
        example: '032180000118359719',
        min: 18,
        max: 18,
        regexp: digits('18'),
        passes: isClabe,
      }),
    ],
  ),
  local(
    'INR',
    'indian',
    ['Indian', 'Local bank account', 'IN'],
    [
      accountHolder,
      email,
      legalType,
      text('ifscCode', 'IFSC code', {
        example: 'YESB0236041',
        min: 11,
        max: 11,
        regexp: '^[A-Za-z]{4}0[A-Za-z0-9]{6}$',
      }),
      text('accountNumber', 'Account number', { example: '678911234567891', regexp: '^[0-9A-Za-z]{6,20}$' }),
    ],
  ),
  local(
    'JPY',
    'japanese',
    ['Japanese', 'Local bank account', 'JP'],
    [
      accountHolder,
      email,
      legalType,
      select(
        'bankCode',
        'Bank',
        Object.keys(JAPANESE_BANKS).map((code) => [code, `Bank ${code}`] as const),
        {
          refresh: true,
        },
      ),
      {
        ...select('branchCode', 'Branch', []),
        values: ({ bankCode }) => JAPANESE_BANKS[bankCode ?? ''] ?? [],
        when: ({ bankCode }) => JAPANESE_BANKS[bankCode ?? ''] !== undefined,
      },
      text('accountNumber', 'Account number', { example: '1234567', regexp: digits('7') }),
      accountTypes('CURRENT', 'SAVING'),
    ],
  ),
  local(
    'THB',
    'thailand',
    ['Thailand', 'Local bank account', 'TH'],
    [
      accountHolder,
      email,
      legalType,
      select('bankCode', 'Bank', [
        ['002', 'Bangkok Bank'],
        ['004', 'Kasikornbank'],
      ]),
      text('accountNumber', 'Account number', { example: '9517384260', regexp: digits('10,12') }),
    ],
  ),
];

const ADDRESS_TARGETS = new Set(['USD', 'THB']);
const ADDRESS_SOURCES = new Set(['USD', 'AUD']);

/** Whether payments between these currencies require the recipient's address. */
export const needsAddress = (source: string | null, target: string): boolean =>
  ADDRESS_TARGETS.has(target) || ADDRESS_SOURCES.has(source ?? '');

/** The forms of a currency, with the address if required. */
export function formsOf(currency: string, withAddress: boolean): Form[] {
  return FORMS.filter((form) => form.currency === currency).map((form) =>
    withAddress ? { ...form, fields: [...form.fields, ...addressFields] } : form,
  );
}

/** Finds a form by type. Used to validate recipients without a route. */
export const formOf = (currency: string, type: string): Form | undefined =>
  formsOf(currency, needsAddress(null, currency)).find((form) => form.type === type);
