// What POST /payouts takes, and the rules that concern more than one field.
import { z } from 'zod';
import type { ErrorDetail } from '../../platform/errors.ts';
import { email, text } from '../../platform/validation.ts';
import { issueDetails } from '../../platform/zod-issues.ts';
import {
  amount,
  controlFields,
  controlResponse,
  invalidFields,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  oneOf,
  optional,
  ourNumberFault,
} from '../fields.ts';
import { isAbaRoutingNumber, isIban } from '../formats/bank-accounts.ts';
import { isTaxId } from '../formats/documents.ts';
import { isPhone } from '../formats/phones.ts';
import { isPixKey } from '../formats/pix-keys.ts';
import { isCountry, isCurrency, regionOf } from '../formats/regions.ts';
import { payoutStatuses } from './states.ts';

const pixAccount = objectOf({
  type: z.literal('pix'),
  key_type: oneOf(['cpf', 'cnpj', 'email', 'phone', 'evp']),
  key: text({ maxLength: 77, filled: true }),
});

const internationalAccount = objectOf({
  type: z.literal('bank_transfer'),
  country: text().refine(isCountry, { error: 'must be an ISO 3166-1 alpha-2 code in upper case' }),
  iban: optional(text({ maxLength: 34, filled: true })),
  account_number: optional(text({ maxLength: 34, filled: true })),
  routing_number: optional(text({ maxLength: 34, filled: true })),
});

export const payoutSchema = objectOf({
  beneficiary: objectOf({
    name: text({ maxLength: 255, filled: true }),
    document: text({ maxLength: 50, filled: true }).describe('BR: CPF or CNPJ without punctuation.'),
    phone: text().refine(isPhone, { error: 'must be a valid E.164 number, such as +5511987654321' }),
    email: optional(email).describe('Receipts are sent there.'),
    bank_account: z.discriminatedUnion('type', [pixAccount, internationalAccount], {
      error: (issue) =>
        issue.input === undefined ? 'is required' : 'must have the type pix or bank_transfer',
    }),
  }),
  amount,
  currency: text().refine(isCurrency, { error: 'must be an ISO 4217 code in upper case' }),
  purpose: oneOf(['prize', 'commission', 'vendor_payment', 'other']),
  ...controlFields,
}).meta({ id: 'PayoutRequest' });

/** A payout in an answer. */
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
    created: millisecondTime,
  })
  .meta({ id: 'Payout' });

export type PayoutResponse = z.output<typeof payoutResponse>;
export type PayoutInput = z.output<typeof payoutSchema> & { region: string };

/** Checks a body. Throws `validation` with every fault. */
export function parsePayout(body: unknown): PayoutInput {
  const result = payoutSchema.safeParse(body);
  const forbidden = ourNumberFault(body);
  if (!result.success) throw invalidFields([...issueDetails(result.error, 'body'), ...forbidden]);
  const input = result.data;
  const details = [...crossFieldFaults(input), ...forbidden];
  if (details.length > 0) throw invalidFields(details);
  const account = input.beneficiary.bank_account;
  const country = account.type === 'pix' ? 'BR' : account.country;
  const region = regionOf(country) ?? country.toLowerCase();
  return { ...input, region };
}

function crossFieldFaults({ beneficiary, currency }: z.output<typeof payoutSchema>): ErrorDetail[] {
  const account = beneficiary.bank_account;
  const details: ErrorDetail[] = [];
  const fault = (field: string, message: string) => details.push({ field, message });
  const at = 'beneficiary.bank_account';
  if (account.type === 'pix') {
    if (currency !== 'BRL') fault('currency', 'must be BRL for a pix account');
    if (!isPixKey(account.key_type, account.key))
      fault(`${at}.key`, `must be a valid key of the type ${account.key_type}`);
  } else {
    if (currency === 'BRL') fault(`${at}.type`, 'must be pix for BRL');
    const { iban, account_number: number, routing_number: routing, country } = account;
    if (iban !== undefined) {
      if (!isIban(iban, country)) fault(`${at}.iban`, `must be a valid IBAN of ${country}`);
    } else if (number === undefined || routing === undefined) {
      fault(
        `${at}.${number === undefined ? 'account_number' : 'routing_number'}`,
        'is required without an iban',
      );
    } else if (country === 'US' && !isAbaRoutingNumber(routing)) {
      fault(`${at}.routing_number`, 'must be a valid ABA routing number');
    }
  }
  const brazilian = account.type === 'pix' || account.country === 'BR';
  if (brazilian && !isTaxId(beneficiary.document)) {
    fault(
      'beneficiary.document',
      'must be a valid CPF (11 digits) or CNPJ (14 characters) without punctuation',
    );
  }
  return details;
}
