// What people of finance do with invoices and payouts.
import { minorDigitsOf } from '../../../shared/payments/formats/currencies.ts';
import { paymentMethods } from '../../../shared/payments/providers/charge-port.ts';
import { KEY, KEY_WRITES } from '../api/access.ts';
import { asJson, asNumber, asText, type Json, memberOf } from '../api/json.ts';
import { type Message, t } from '../kit/language.ts';
import type { View } from '../view.ts';
import { choices } from './options.ts';
import { invoices, payoutActs, payouts, waitingPayouts } from './payments.ts';
import { type Act, below, type Field, type Resource } from './resource.ts';

const INVOICES = '/payments/invoices';

/** Objects of the members with dots in their names. */
export function nested(values: Json): Json {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const names = path.split('.');
    const last = names.pop() ?? path;
    let part = body;
    for (const name of names) {
      const inner = { ...asJson(part[name]) };
      part[name] = inner;
      part = inner;
    }
    part[last] = value;
  }
  return body;
}

/** CPF and CNPJ as people copy them, without the punctuation. */
const withoutPunctuation = (value: unknown): string => asText(value).replaceAll(/[.\-/\s]/g, '');

const controls: Field[] = [{ name: 'cost_center' }, { name: 'contractor_reference' }];

const ADDRESS = ['line1', 'number', 'complement', 'district', 'city', 'state', 'postal_code'] as const;
const addressLabels = {
  line1: 'Street',
  number: 'Building number',
  complement: 'Address line 2',
  district: 'District',
  city: 'City',
  state: 'State (two letters)',
  postal_code: 'Postal code',
} as const;

/** The fields of an address, by the path of its object. */
const addressFields = (at: string, more: (name: (typeof ADDRESS)[number]) => Partial<Field> = () => ({})) =>
  ADDRESS.map((name): Field => ({ name: `${at}.${name}`, label: addressLabels[name], ...more(name) }));

const newInvoice: Act = {
  name: 'new',
  label: 'Create invoice',
  scope: KEY_WRITES,
  method: 'POST',
  target: () => INVOICES,
  fields: [
    { name: 'customer.name', required: true },
    { name: 'customer.email', as: 'email', required: true },
    {
      name: 'customer.country',
      label: 'Country',
      required: true,
      value: 'BR',
      help: 'Two letters, such as BR.',
    },
    { name: 'customer.tax_id', label: 'CPF or CNPJ', help: 'Required for an NFS-e.' },
    { name: 'amount', as: 'money', required: true },
    { name: 'currency', required: true, value: 'BRL' },
    { name: 'description', as: 'textarea', required: true, help: 'The customer sees it.' },
    {
      name: 'payment_method.type',
      as: 'select',
      required: true,
      options: choices(paymentMethods),
      value: 'pix',
    },
    { name: 'payment_method.due_date', label: 'Due date', as: 'date', help: 'For Pix and boleto.' },
    {
      name: 'tax_document.service_code',
      label: 'Code of the service',
      help: 'Issues an NFS-e once the invoice is paid. Leave empty for none.',
    },
    ...addressFields('customer.address', (name) =>
      name === 'line1' ? { help: 'An NFS-e needs the address of the customer.' } : {},
    ),
    ...controls,
  ],
  body: ({ 'tax_document.service_code': service, 'customer.tax_id': taxId, ...values }) => ({
    ...nested({ ...values, ...(taxId !== undefined && { 'customer.tax_id': withoutPunctuation(taxId) }) }),
    ...(service !== undefined && {
      tax_document: { type: 'nfse', auto_issue: true, service_code: service },
    }),
  }),
  done: 'The invoice was created.',
};

const amountLeft = ({ amount, amount_refunded: refunded, amount_refund_pending: pending }: Json): number =>
  (asNumber(amount) ?? 0) - (asNumber(refunded) ?? 0) - (asNumber(pending) ?? 0);

/** Only in currencies with two decimals, as the field shows them. */
const refundable = (record: Json): number | undefined =>
  minorDigitsOf(asText(record.currency)) === 2 ? amountLeft(record) : undefined;

const refund: Act = {
  name: 'refund',
  label: 'Refund',
  scope: KEY_WRITES,
  method: 'POST',
  target: below(INVOICES, '/refunds'),
  text: (record) =>
    ['pending', 'issued'].includes(asText(documentOf(record).status))
      ? 'The customer gets the money back. This cannot be undone. The NFS-e keeps the whole amount: cancel it if it has to change.'
      : 'The customer gets the money back. This cannot be undone.',
  danger: true,
  fields: [
    { name: 'amount', as: 'money', from: refundable, help: 'Filled in is what is left to refund.' },
    { name: 'currency', as: 'hidden' },
    { name: 'reason', as: 'textarea' },
  ],
  // The currency is only for reading the amount.
  body: ({ currency: _, ...values }) => values,
  when: (record) => record.status === 'paid' && amountLeft(record) > 0,
  done: 'The refund was requested.',
};

const documentOf = ({ tax_document: document }: Json): Json => asJson(document);

const requestDocument: Act = {
  name: 'nfse',
  label: 'Request NFS-e',
  scope: KEY_WRITES,
  method: 'POST',
  target: below(INVOICES, '/tax-documents'),
  text: ({ amount_refunded: refunded }) =>
    (asNumber(refunded) ?? 0) > 0
      ? 'The NFS-e is issued for the whole amount, including what was refunded.'
      : 'The NFS-e is issued once the invoice is paid.',
  fields: [
    { name: 'service_code', label: 'Code of the service', required: true },
    ...addressFields('customer_address', (name) => ({
      from: (record) => memberOf(record, `customer.address.${name}`),
    })),
    {
      name: 'taxes.retain_iss',
      label: 'Does the customer withhold ISS?',
      as: 'select',
      options: () => [
        { value: 'true', text: t('yes') },
        { value: 'false', text: t('no') },
      ],
      help: 'Taxes that you leave empty are those of the settings.',
    },
    { name: 'taxes.iss', label: 'ISS in percent', as: 'decimal' },
    { name: 'taxes.pis', label: 'Withheld PIS in percent', as: 'decimal' },
    { name: 'taxes.cofins', label: 'Withheld COFINS in percent', as: 'decimal' },
    { name: 'taxes.csll', label: 'Withheld CSLL in percent', as: 'decimal' },
    { name: 'taxes.inss', label: 'Withheld INSS in percent', as: 'decimal' },
    { name: 'taxes.ir', label: 'Withheld income tax in percent', as: 'decimal' },
  ],
  body: ({ 'taxes.retain_iss': withheld, ...values }) => ({
    type: 'nfse',
    ...nested({ ...values, ...(withheld !== undefined && { 'taxes.retain_iss': withheld === 'true' }) }),
  }),
  when: (record) =>
    ['open', 'paid'].includes(asText(record.status)) &&
    !['pending', 'issued'].includes(asText(documentOf(record).status)),
  done: 'The NFS-e was requested.',
};

const cancelDocument: Act = {
  name: 'cancel-nfse',
  label: 'Cancel NFS-e',
  scope: KEY_WRITES,
  method: 'POST',
  target: (record, { document }) =>
    below(INVOICES, `/tax-documents/${encodeURIComponent(asText(document))}/cancel`)(record),
  text: 'The city cancels the NFS-e. This cannot be undone.',
  danger: true,
  fields: [
    { name: 'document', as: 'hidden', from: (record) => documentOf(record).id },
    { name: 'reason', as: 'textarea' },
  ],
  body: ({ document: _, ...values }) => values,
  when: (record) => documentOf(record).status === 'issued',
  done: 'The cancellation of the NFS-e was requested.',
};

export const personInvoices: Resource = {
  ...invoices,
  acts: [newInvoice],
  recordActs: [refund, requestDocument, cancelDocument, ...(invoices.recordActs ?? [])],
  none: 'No invoices',
  hint: 'Create one, or let your system create them.',
};

/** Whether the person who looks at the payout requested it. */
export const isOwnPayout = ({ requested_by: by }: Json, { workspace: { personId } }: View): boolean =>
  personId !== undefined && asJson(by).kind === 'person' && asJson(by).id === personId;

const decisions = payoutActs.map(
  (act): Act => ({
    ...act,
    when: (record, view) =>
      (act.when?.(record, view) ?? true) && !(act.name === 'approve' && isOwnPayout(record, view)),
  }),
);

const ACCOUNT = 'beneficiary.bank_account';

/** A phone number as people write it, in E.164. Without a country, it is Brazilian. */
function phoneNumber(text: string): string {
  const plain = text.replaceAll(/[\s().-]/g, '');
  return /^[1-9]{2}9?\d{8}$/.test(plain) ? `+55${plain}` : plain;
}

/** The kind of a key that can be only one. Eleven digits are a CPF or a phone number. */
function kindOfKey(key: string): string | undefined {
  if (key.includes('@')) return 'email';
  if (/^\+\d/.test(key)) return 'phone';
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) return 'evp';
  return /^\d{14}$/.test(withoutPunctuation(key)) ? 'cnpj' : undefined;
}

function pixKey(key: string, chosen: string): Json {
  const kind = chosen || kindOfKey(key);
  if (kind === undefined) return {};
  const isNumber = kind === 'cpf' || kind === 'cnpj';
  const plain = kind === 'phone' ? phoneNumber(key) : isNumber ? withoutPunctuation(key) : key;
  return { [`${ACCOUNT}.key_type`]: kind, ...(key && { [`${ACCOUNT}.key`]: plain }) };
}

const requestPayout: Act = {
  name: 'new',
  label: 'Request payout',
  scope: 'request:payouts',
  method: 'POST',
  target: () => '/payments/payouts',
  text: 'If it needs approval, another person has to approve it before it is sent.',
  copies: '/payments/payouts',
  fields: [
    { name: 'beneficiary.name', required: true },
    { name: 'beneficiary.document', label: 'CPF or CNPJ', required: true, help: 'Abroad: the tax number.' },
    { name: 'beneficiary.phone', label: 'Phone', required: true, help: 'Such as +55 11 98765-4321.' },
    { name: 'beneficiary.email', label: 'Email', as: 'email', help: 'Receipts are sent to this address.' },
    { name: 'amount', as: 'money', required: true },
    { name: 'currency', required: true, value: 'BRL' },
    {
      name: 'purpose',
      as: 'select',
      required: true,
      options: choices(['prize', 'commission', 'vendor_payment', 'other']),
    },
    {
      name: `${ACCOUNT}.type`,
      label: 'Pay by',
      as: 'select',
      required: true,
      options: choices(['pix', 'bank_transfer']),
      value: 'pix',
    },
    {
      name: `${ACCOUNT}.key_type`,
      label: 'Kind of Pix key',
      as: 'select',
      options: () => [
        ...['cpf', 'cnpj', 'email', 'phone'].map((value) => ({ value })),
        { value: 'evp', text: t('random key') },
      ],
      help: 'Only for Pix. Needed if the key is a CPF or a phone number.',
    },
    { name: `${ACCOUNT}.key`, label: 'Pix key', help: 'Only for Pix.' },
    { name: `${ACCOUNT}.country`, label: 'Country', help: 'Only for bank transfers.' },
    { name: `${ACCOUNT}.iban`, label: 'IBAN', help: 'Only for bank transfers.' },
    { name: `${ACCOUNT}.account_number`, label: 'Account number', help: 'Without an IBAN.' },
    { name: `${ACCOUNT}.routing_number`, label: 'Routing number', help: 'Without an IBAN.' },
    { name: `${ACCOUNT}.bic`, label: 'BIC', help: 'Only for bank transfers.' },
    ...controls,
  ],
  body: ({ 'beneficiary.document': document, 'beneficiary.phone': phone, ...values }) => {
    const isPix = values[`${ACCOUNT}.type`] === 'pix';
    return nested({
      ...values,
      'beneficiary.phone': phoneNumber(asText(phone)),
      'beneficiary.document': isPix ? withoutPunctuation(document) : document,
      ...(isPix && pixKey(asText(values[`${ACCOUNT}.key`]), asText(values[`${ACCOUNT}.key_type`]))),
    });
  },
  done: 'The payout was requested.',
};

const note = (record: Json, view: View): Message | undefined => {
  if (record.approval !== 'waiting') return undefined;
  return isOwnPayout(record, view)
    ? 'This payout waits for approval. You requested it, so another person has to approve it.'
    : 'This payout waits for approval.';
};

/** From the admin API, which knows who requested a payout and whether it waits for approval. */
export const personPayouts: Resource = {
  ...waitingPayouts,
  path: '/payments/payouts',
  title: 'Payouts',
  lead: 'What you pay to others.',
  acts: [requestPayout],
  recordActs: [...decisions, ...(payouts.recordActs ?? [])],
  links: [
    {
      label: 'Request again',
      scope: 'request:payouts',
      href: ({ id }) => `/payments/payouts/new?copy=${encodeURIComponent(asText(id))}`,
      when: ({ status }) => status === 'failed' || status === 'canceled',
    },
  ],
  note,
  sections: (payouts.sections ?? []).map((section) => ({ ...section, scope: KEY })),
  none: 'No payouts yet',
  hint: 'Payouts appear here once someone requests one.',
};

const personWaitingPayouts: Resource = { ...waitingPayouts, note, recordActs: decisions };

export const personPayments: readonly Resource[] = [personWaitingPayouts, personInvoices, personPayouts];
