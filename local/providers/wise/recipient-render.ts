/** Renders recipients in the two formats of Wise. */
import { createHash } from 'node:crypto';
import { formOf } from './forms.ts';
import type { Recipient } from './state.ts';

/** Details that are always present in the older format, with null if not applicable. */
const OLD_DETAILS =
  'email legalType accountNumber sortCode abartn accountType bankgiroNumber ifscCode bsbCode institutionNumber transitNumber phoneNumber bankCode russiaRegion routingNumber branchCode cpf cardNumber idType idNumber idCountryIso3 idValidFrom idValidTo clabe swiftCode dateOfBirth clearingNumber bankName branchName businessNumber province city rut token cnpj payinReference pspReference orderId idDocumentType idDocumentNumber targetProfile taxId iban bic IBAN BIC interacAccount'.split(
    ' ',
  );

const addressOf = ({ details }: Recipient) => ({
  country: details['address.country'] ?? null,
  countryCode: details['address.country'] ?? null,
  firstLine: details['address.firstLine'] ?? null,
  postCode: details['address.postCode'] ?? null,
  city: details['address.city'] ?? null,
  state: details['address.state'] ?? null,
});

/** The `/v1` format, for older clients. */
export function renderOldRecipient(recipient: Recipient, user: number) {
  const { details } = recipient;
  return {
    id: recipient.id,
    business: null,
    profile: recipient.profile,
    accountHolderName: recipient.accountHolderName,
    currency: recipient.currency,
    country: recipient.country,
    type: recipient.type,
    details: {
      address: addressOf(recipient),
      ...Object.fromEntries(OLD_DETAILS.map((name) => [name, details[name] ?? null])),
      iban: details.IBAN ?? null,
    },
    user,
    active: recipient.active,
    ownedByCustomer: recipient.ownedByCustomer,
  };
}

/** The account number, under any of its names in this form. */
export function bankAccountOf({ details }: Recipient): string {
  const code = details.sortCode ?? details.abartn ?? details.bsbCode ?? details.ifscCode ?? details.swiftCode;
  const number = details.IBAN ?? details.clabe ?? details.accountNumber ?? '';
  return code === undefined ? number : `(${code}) ${number}`;
}

/** Changes only if the name or the details change. */
const hashOf = ({ accountHolderName, details }: Recipient): string =>
  createHash('sha256')
    .update(JSON.stringify([accountHolderName, Object.entries(details).sort()]))
    .digest('hex');

/** The current format. Its type names differ from those in requests. */
export function renderNewRecipient(recipient: Recipient) {
  const { details, currency, type } = recipient;
  const { legalType, ...rest } = details;
  const shown = Object.entries(rest).filter(([key]) => !key.startsWith('address.'));
  const account = bankAccountOf(recipient);
  return {
    id: recipient.id,
    creatorId: recipient.profile,
    profileId: recipient.profile,
    name: {
      fullName: recipient.accountHolderName,
      givenName: null,
      familyName: null,
      middleName: null,
      patronymicName: null,
      cannotHavePatronymicName: null,
    },
    currency,
    country: recipient.country,
    type: formOf(currency, type)?.className ?? type,
    legalEntityType: legalType === 'BUSINESS' ? 'INSTITUTION' : 'PERSON',
    active: recipient.active,
    details: {
      reference: null,
      ...Object.fromEntries(shown),
      ...(details['address.country'] === undefined ? {} : { address: addressOf(recipient) }),
      hashedByLooseHashAlgorithm: createHash('sha256').update(account).digest('hex'),
    },
    commonFieldMap: { accountNumberField: details.IBAN === undefined ? 'accountNumber' : 'IBAN' },
    hash: hashOf(recipient),
    accountSummary: account,
    longAccountSummary: `${currency} account ending in ${account.slice(-4)}`,
    displayFields: shown.map(([key, value]) => ({ key: `details/${key}`, label: key, value })),
    isInternal: false,
    ownedByCustomer: recipient.ownedByCustomer,
  };
}
