// Request and response schemas of payouts, and the validation rules that span several fields.
import { z } from 'zod';
import { email, text } from '../../platform/validation.ts';
import { isTaxId } from '../formats/documents.ts';
import { isAbaRoutingNumber, isIban, isPhone, isPixKey } from '../formats/payout-accounts.ts';
import { isCountry, isCurrency, regionOf } from '../formats/regions.ts';
import { invalidFields } from '../requests/errors.ts';
import {
  amount,
  bodyErrors,
  type CrossFieldError,
  controlFields,
  controlResponse,
  failureReasonResponse,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  oneOf,
  optional,
  validOrAbsent,
} from '../requests/fields.ts';
import { payoutStatuses } from './states.ts';

const keyType = oneOf(['cpf', 'cnpj', 'email', 'phone', 'evp']);
const key = text({ maxLength: 77, filled: true, opaque: true });
const country = text()
  .refine(isCountry, { error: 'must be an ISO 3166-1 alpha-2 code in upper case' })
  .meta({ pattern: '^[A-Z]{2}$' });
const accountNumber = optional(text({ maxLength: 34, filled: true }));
const document = text({ maxLength: 50, filled: true });
const currency = text()
  .refine(isCurrency, { error: 'must be an ISO 4217 code in upper case' })
  .meta({ pattern: '^[A-Z]{3}$' });

const addressLine = optional(text({ maxLength: 255, filled: true }));
const address = objectOf({
  line1: addressLine,
  city: addressLine,
  state: addressLine,
  postal_code: addressLine,
  country: optional(country),
});

const pixAccount = objectOf({ type: z.literal('pix'), key_type: keyType, key });

const internationalAccount = objectOf({
  type: z.literal('bank_transfer'),
  country,
  iban: accountNumber,
  account_number: accountNumber,
  routing_number: accountNumber,
  account_type: optional(oneOf(['checking', 'savings'])).describe('Default: checking.'),
  bic: optional(text({ maxLength: 11, filled: true })),
});

export const payoutSchema = objectOf({
  beneficiary: objectOf({
    name: text({ maxLength: 255, filled: true }),
    document: document.describe('BR: CPF or CNPJ without punctuation.'),
    phone: text()
      .refine(isPhone, { error: 'must be a valid E.164 number, such as +5511987654321' })
      .meta({ pattern: '^\\+[1-9][0-9]{1,14}$' }),
    email: optional(email).meta({
      type: ['string', 'null'],
      description: 'Receipts are sent to this address.',
    }),
    type: optional(oneOf(['person', 'business'])).describe('Default: person.'),
    address: optional(address).describe('Required for some countries and currencies.'),
    bank_account: z.discriminatedUnion('type', [pixAccount, internationalAccount], {
      error: (issue) => (issue.input === undefined ? 'is required' : 'must have type pix or bank_transfer'),
    }),
  }),
  amount,
  currency,
  purpose: oneOf(['prize', 'commission', 'vendor_payment', 'other']),
  ...controlFields,
  // The OpenAPI generator drops null when a type is given.
  metadata: controlFields.metadata.meta({ type: ['object', 'null'] }),
}).meta({ id: 'PayoutRequest' });

/** The fields that cross-field rules use. Invalid fields are treated as absent. */
const relatedFields = z
  .object({
    beneficiary: validOrAbsent(
      z.object({
        document: validOrAbsent(document),
        bank_account: validOrAbsent(
          z.discriminatedUnion('type', [
            z.object({ type: z.literal('pix'), key_type: validOrAbsent(keyType), key: validOrAbsent(key) }),
            z.object({
              type: z.literal('bank_transfer'),
              country: validOrAbsent(country),
              iban: validOrAbsent(accountNumber),
              account_number: validOrAbsent(accountNumber),
              routing_number: validOrAbsent(accountNumber),
            }),
          ]),
        ),
      }),
    ),
    currency: validOrAbsent(currency),
  })
  .catch({});
type RelatedFields = z.output<typeof relatedFields>;
type Account = NonNullable<NonNullable<RelatedFields['beneficiary']>['bank_account']>;

/** A payout in a response. */
export const payoutResponse = z
  .object({
    id: z.string(),
    status: z.enum(payoutStatuses),
    amount: minor('As requested.'),
    currency: z.string(),
    region: z.string(),
    beneficiary: z.record(z.string(), z.unknown()),
    purpose: z.string(),
    provider: z.string(),
    ...controlResponse,
    metadata: metadataResponse,
    failure_reason: failureReasonResponse,
    created: millisecondTime,
  })
  .meta({ id: 'Payout' });

export type PayoutResponse = z.output<typeof payoutResponse>;
export type PayoutInput = z.output<typeof payoutSchema> & { region: string };

/** Parses a request body. Throws `validation` with every invalid field. */
export function parsePayout(body: unknown): PayoutInput {
  const result = payoutSchema.safeParse(body);
  const details = bodyErrors(body, result.error, crossFieldErrors(relatedFields.parse(body)));
  if (!result.success || details.length > 0) throw invalidFields(details);
  const input = result.data;
  const account = input.beneficiary.bank_account;
  const from = account.type === 'pix' ? 'BR' : account.country;
  const region = regionOf(from) ?? from.toLowerCase();
  return { ...input, region };
}

function crossFieldErrors({ beneficiary = {}, currency }: RelatedFields): CrossFieldError[] {
  const { bank_account: account, document: taxId } = beneficiary;
  if (!account) return [];
  const faults =
    account.type === 'pix' ? faultsOfPix(account, currency) : faultsOfTransfer(account, currency);
  const brazilian = account.type === 'pix' || account.country === 'BR';
  if (brazilian && taxId !== undefined && !isTaxId(taxId)) {
    const message = 'must be a valid CPF (11 digits) or CNPJ (14 characters) without punctuation';
    faults.push({ field: 'beneficiary.document', message });
  }
  return faults;
}

const AT = 'beneficiary.bank_account';

function faultsOfPix(
  { key_type: type, key: given }: Extract<Account, { type: 'pix' }>,
  currency: string | undefined,
): CrossFieldError[] {
  const faults: CrossFieldError[] = [];
  if (currency && currency !== 'BRL')
    faults.push({ field: 'currency', message: 'must be BRL for a pix account' });
  if (type && given !== undefined && !isPixKey(type, given))
    faults.push({ field: `${AT}.key`, message: `must be a valid PIX key of type ${type}` });
  return faults;
}

function faultsOfTransfer(
  {
    iban,
    account_number: number,
    routing_number: routing,
    country: to,
  }: Extract<Account, { type: 'bank_transfer' }>,
  currency: string | undefined,
): CrossFieldError[] {
  const faults: CrossFieldError[] = [];
  if (currency === 'BRL') faults.push({ field: `${AT}.type`, message: 'must be pix for BRL' });
  if (iban !== undefined) {
    if (to && !isIban(iban, to))
      faults.push({ field: `${AT}.iban`, message: `must be a valid IBAN for ${to}` });
  } else if (number === undefined || routing === undefined) {
    const missing = number === undefined ? 'account_number' : 'routing_number';
    faults.push({
      field: `${AT}.${missing}`,
      message: 'is required when iban is absent',
      needs: [`${AT}.iban`],
    });
  } else if (to === 'US' && !isAbaRoutingNumber(routing)) {
    faults.push({ field: `${AT}.routing_number`, message: 'must be a valid ABA routing number' });
  }
  return faults;
}
