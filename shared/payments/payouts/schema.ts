// Request and response schemas of payouts, and the validation rules that span several fields.
import { z } from 'zod';
import { email, oneOf, text } from '../../platform/validation.ts';
import { isTaxId } from '../formats/documents.ts';
import { isAbaRoutingNumber, isIban, isPhone, isPixKey } from '../formats/payout-accounts.ts';
import { isCountry, isCurrency, regionOf } from '../formats/regions.ts';
import {
  amount,
  type CrossFieldError,
  controlFields,
  controlResponse,
  failureReasonResponse,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  optional,
  type ParsedBody,
  parseBody,
  type ValidPart,
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

export interface PayoutRequest extends Pick<ParsedBody<unknown>, 'errors'> {
  /** Undefined if the body has errors. */
  input: PayoutInput | undefined;
  /** The valid members that the choice of a provider depends on. */
  draft: { region: string | undefined; currency: string | undefined; amount: number | undefined };
}

export function parsePayout(body: unknown): PayoutRequest {
  const { data, valid, errors } = parseBody(payoutSchema, body, crossFieldErrors);
  const { currency, amount: amountMinor, beneficiary: { bank_account: account } = {} } = valid;
  const from = account?.type === 'bank_transfer' ? account.country : account?.type && 'BR';
  const region = from === undefined ? undefined : (regionOf(from) ?? from.toLowerCase());
  const input = data && region !== undefined ? { ...data, region } : undefined;
  return { input, draft: { region, currency, amount: amountMinor }, errors };
}

type ValidPayout = ValidPart<z.output<typeof payoutSchema>>;
type Account = NonNullable<NonNullable<ValidPayout['beneficiary']>['bank_account']>;
type AccountOf<Type> = Extract<Account, { type?: Type | undefined }>;

function crossFieldErrors({ beneficiary = {}, currency }: ValidPayout): CrossFieldError[] {
  const { bank_account: account, document: taxId } = beneficiary;
  const isPix = account?.type === 'pix';
  const faults: CrossFieldError[] = [];
  if (isPix) faults.push(...faultsOfPix(account, currency));
  else if (account?.type === 'bank_transfer') faults.push(...faultsOfTransfer(account, currency));
  const brazilian = isPix || (account?.type === 'bank_transfer' && account.country === 'BR');
  if (brazilian && taxId !== undefined && !isTaxId(taxId)) {
    const message = 'must be a valid CPF (11 digits) or CNPJ (14 characters) without punctuation';
    faults.push({ field: 'beneficiary.document', message });
  }
  return faults;
}

const AT = 'beneficiary.bank_account';

function faultsOfPix(
  { key_type: type, key: given }: AccountOf<'pix'>,
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
  { iban, account_number: number, routing_number: routing, country: to }: AccountOf<'bank_transfer'>,
  currency: string | undefined,
): CrossFieldError[] {
  const faults: CrossFieldError[] = [];
  const fault = (member: string, message: string, needs: string[] = []) =>
    faults.push({ field: `${AT}.${member}`, message, needs });
  if (currency === 'BRL') fault('type', 'must be pix for BRL');
  if (iban !== undefined) {
    if (to && !isIban(iban, to)) fault('iban', `must be a valid IBAN for ${to}`);
    return faults;
  }
  const required = 'is required when iban is absent';
  if (number === undefined) fault('account_number', required, [`${AT}.iban`]);
  if (routing === undefined) fault('routing_number', required, [`${AT}.iban`]);
  else if (to === 'US' && !isAbaRoutingNumber(routing))
    fault('routing_number', 'must be a valid ABA routing number', [`${AT}.iban`]);
  return faults;
}
