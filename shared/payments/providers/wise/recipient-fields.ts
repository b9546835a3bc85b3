// Maps request members to fields of Wise's recipient forms. Forms differ by currency, and Wise defines their keys.
import type { Beneficiary } from '../payout-port.ts';

type BankTransfer = Extract<Beneficiary['bank_account'], { type: 'bank_transfer' }>;

/** A beneficiary paid by bank transfer. */
export interface Payee extends Omit<Beneficiary, 'bank_account'> {
  bank_account: BankTransfer;
}

export interface Member {
  /** The member's path in the request. */
  path: string;
  value(payee: Payee): string | undefined;
  /** Other names that forms use for a value. */
  synonyms?: Record<string, string>;
  /** Whether the member identifies the account or the bank. */
  identifies?: 'account' | 'bank';
  /** Sent if the form has the field, even if it is optional. */
  always?: true;
}

const AT = 'beneficiary.bank_account';
const bare = (text: string | undefined): string | undefined => text?.replace(/[\s-]/g, '') || undefined;

const name: Member = { path: 'beneficiary.name', value: (payee) => payee.name };
const type: Member = {
  path: 'beneficiary.type',
  value: (payee) => payee.type && (payee.type === 'person' ? 'PRIVATE' : 'BUSINESS'),
};
const document: Member = { path: 'beneficiary.document', value: (payee) => payee.document };
const phone: Member = { path: 'beneficiary.phone', value: (payee) => payee.phone };
const email: Member = { path: 'beneficiary.email', value: (payee) => payee.email, always: true };
const iban: Member = {
  path: `${AT}.iban`,
  value: (payee) => bare(payee.bank_account.iban)?.toUpperCase(),
  identifies: 'account',
};
const accountNumber: Member = {
  path: `${AT}.account_number`,
  value: (payee) => bare(payee.bank_account.account_number),
  identifies: 'account',
};
/** SWIFT forms accept an IBAN as account number. */
const accountNumberOrIban: Member = {
  ...accountNumber,
  value: (payee) => iban.value(payee) ?? accountNumber.value(payee),
};
const routingNumber: Member = {
  path: `${AT}.routing_number`,
  value: (payee) => bare(payee.bank_account.routing_number),
  identifies: 'bank',
};
const bic: Member = {
  path: `${AT}.bic`,
  value: (payee) => bare(payee.bank_account.bic)?.toUpperCase(),
  identifies: 'bank',
  always: true,
};
const accountType: Member = {
  path: `${AT}.account_type`,
  value: (payee) => payee.bank_account.account_type ?? 'checking',
  synonyms: { checking: 'current', savings: 'saving' },
};
const address = (member: keyof NonNullable<Beneficiary['address']>): Member => ({
  path: `beneficiary.address.${member}`,
  value: (payee) => payee.address?.[member]?.trim() || undefined,
});

/** Keyed by lower-case field key, because Wise spells some keys in more than one way. */
const members = new Map<string, Member>([
  ['accountholdername', name],
  ['legaltype', type],
  ['email', email],
  ['phonenumber', phone],
  ['phone', phone],
  ['taxid', document],
  ['cpf', document],
  ['cnpj', document],
  ['cuit', document],
  ['rut', document],
  ['businessnumber', document],
  ['iban', iban],
  ['accountnumber', accountNumber],
  ['clabe', accountNumber],
  ['abartn', routingNumber],
  ['routingnumber', routingNumber],
  ['sortcode', routingNumber],
  ['bsbcode', routingNumber],
  ['ifsccode', routingNumber],
  ['bankcode', routingNumber],
  ['swiftcode', bic],
  ['bic', bic],
  ['accounttype', accountType],
  ['country', { path: `${AT}.country`, value: (payee) => payee.bank_account.country }],
  ['address.country', address('country')],
  ['address.countrycode', address('country')],
  ['address.state', address('state')],
  ['address.statecode', address('state')],
  ['address.city', address('city')],
  ['address.postcode', address('postal_code')],
  ['address.firstline', address('line1')],
]);

/** The request member that fills a field of a form of this type, or undefined if there is no such member. */
export function requestMemberFor(formType: string, key: string): Member | undefined {
  const member = members.get(key.toLowerCase());
  return member === accountNumber && formType.startsWith('swift') ? accountNumberOrIban : member;
}

/** The field name for error messages: the request member, or Wise's own key if no member fills the field. */
export const pathOf = (formType: string, key: string): string =>
  requestMemberFor(formType, key)?.path ?? `beneficiary.${key}`;
