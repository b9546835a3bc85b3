// Invoices, payouts, the ledger, and accounts at payment providers.

import { ledgerNames } from '../../../shared/payments/ledger/exports/portuguese.ts';
import { providers } from '../../../shared/payments/provider-registry/registry.ts';
import type { ProviderDefinition } from '../../../shared/payments/providers/definition.ts';
import { KEY, KEY_WRITES } from '../api/access.ts';
import { asJson, asText, type Json, memberOf } from '../api/json.ts';
import { money } from '../kit/format.ts';
import { calendarDate, moment } from '../kit/format-time.ts';
import { listed, tName } from '../kit/language.ts';
import { choices } from './options.ts';
import { type Act, below, type Column, type Field, type Resource } from './resource.ts';

const invoiceStatuses = ['open', 'paid', 'canceled', 'failed'];
const payoutStatuses = ['created', 'incoming_payment_waiting', 'processing', 'paid', 'failed', 'canceled'];
const dates = { from: 'created[gte]', to: 'created[lte]' };

/** When an open invoice expires. The API keeps the time, which means nothing once the invoice is paid. */
function expiry({ status, payment_method: method }: Json): string {
  const ms = Date.parse(asText(memberOf(method, `${asText(asJson(method).type)}.expires_at`)));
  const either = Number.isNaN(ms) ? Date.parse(asText(memberOf(method, 'boleto.expires_at'))) : ms;
  return status === 'open' && !Number.isNaN(either) ? moment(new Date(either)) : '';
}

/** The due date is a member of the part that is named as the type. */
function dueDate({ payment_method: method }: Json): string {
  const due = asText(memberOf(method, `${asText(asJson(method).type)}.due_date`));
  return due && calendarDate(due);
}

export const invoices: Resource = {
  path: '/payments/invoices',
  api: '/payments/invoices',
  scope: KEY,
  title: 'Invoices',
  lead: 'What customers pay.',
  named: 'our_number',
  paging: 'payments',
  filters: [
    { name: 'status', label: 'Status', values: invoiceStatuses },
    { name: 'our_number', label: 'Number' },
  ],
  dates,
  live: true,
  columns: [
    { name: 'our_number' },
    { name: 'customer.name' },
    { name: 'amount' },
    { name: 'status' },
    { name: 'payment_method.type', as: 'name' },
    { name: 'created' },
    { name: 'paid_at' },
  ],
  more: [
    { name: 'customer.email' },
    { name: 'description' },
    { name: 'failure_reason' },
    { name: 'fee' },
    { name: 'net' },
    { name: 'amount_refunded' },
    { name: 'cost_center' },
    { name: 'contractor_reference' },
    { name: 'payment_method.due_date', label: 'Due date', as: 'date', text: dueDate },
    { name: 'payment_method.expires_at', label: 'Expires', text: expiry },
    { name: 'tax_document.status', as: 'status', label: 'Tax document' },
    { name: 'id' },
  ],
  links: [
    {
      label: 'Events',
      scope: KEY,
      href: ({ id }) => `/events?${new URLSearchParams({ q: asText(id) })}`,
    },
  ],
  recordActs: [
    {
      name: 'cancel',
      label: 'Cancel invoice',
      scope: KEY_WRITES,
      method: 'POST',
      target: below('/payments/invoices', '/cancel'),
      text: 'The customer can no longer pay the invoice, and its tax document is canceled. This cannot be undone.',
      danger: true,
      fields: [{ name: 'reason', as: 'textarea' }],
      when: ({ status }) => status === 'open',
      done: 'The invoice was canceled.',
    },
  ],
  sections: [
    {
      title: 'Refunds',
      api: below('/payments/invoices', '/refunds?limit=25'),
      columns: [
        { name: 'created' },
        { name: 'amount' },
        { name: 'status' },
        { name: 'reason' },
        { name: 'failure_reason' },
      ],
      none: 'No refunds',
    },
    {
      title: 'Ledger',
      api: ({ id }) => `/payments/balance-transactions?limit=25&source=${encodeURIComponent(asText(id))}`,
      columns: [
        { name: 'created' },
        { name: 'type', as: 'name' },
        { name: 'amount' },
        { name: 'fee' },
        { name: 'net' },
      ],
      none: 'No entries',
    },
  ],
  none: 'Nothing waits for you',
  hint: 'Invoices appear here once your system creates them.',
};

/** Decisions by a second person. */
export const payoutActs: Act[] = [
  {
    name: 'approve',
    label: 'Approve',
    scope: 'approve:payouts',
    method: 'POST',
    target: below('/v1/admin/payouts', '/approve'),
    text: 'The payout is sent to its provider. Money that has been sent cannot be recalled.',
    danger: true,
    when: ({ approval }) => approval === 'waiting',
    done: 'The payout was approved.',
  },
  {
    name: 'reject',
    label: 'Reject',
    scope: 'approve:payouts',
    method: 'POST',
    target: below('/v1/admin/payouts', '/reject'),
    text: 'The payout is not sent. This cannot be undone.',
    danger: true,
    fields: [{ name: 'reason', as: 'textarea', required: true }],
    when: ({ approval }) => approval === 'waiting',
    done: 'The payout was rejected.',
  },
];

const payoutColumns: Column[] = [
  { name: 'our_number' },
  { name: 'beneficiary.name' },
  { name: 'amount' },
  { name: 'status' },
  { name: 'purpose', as: 'name' },
  { name: 'created' },
];

/** The API calls a rejected payout failed, since it was not sent either. */
const rejection = ({ approval }: Json): string => (approval === 'rejected' ? tName('rejected') : '');

/** Payouts that wait for a decision or for money. */
export const waitingPayouts: Resource = {
  path: '/payments/payouts/waiting',
  api: '/v1/admin/payouts',
  scope: 'read:payouts',
  title: 'Waiting payouts',
  lead: 'Payouts that wait for approval, or for money at their provider.',
  named: 'our_number',
  paging: 'pages',
  filters: [
    { name: 'waiting', label: 'Waiting for', values: ['approval', 'funding'] },
    { name: 'status', label: 'Status', values: payoutStatuses },
  ],
  columns: [
    { name: 'our_number' },
    { name: 'beneficiary_name', label: 'Beneficiary' },
    { name: 'amount' },
    { name: 'status', text: rejection },
    { name: 'approval', as: 'status', label: 'Approval' },
    { name: 'purpose', as: 'name' },
    { name: 'requested_by.label' },
    { name: 'created_at' },
  ],
  more: [
    { name: 'provider' },
    { name: 'failure_reason', label: 'Reason' },
    { name: 'contractor_reference' },
    {
      name: 'funding.source_amount',
      text: ({ funding }) => {
        const { source_amount: amountMinor, source_currency: currency } = asJson(funding);
        return currency === undefined ? '' : money(Number(amountMinor), asText(currency));
      },
    },
    { name: 'funding.reference', as: 'code' },
    { name: 'funding.fund_by', as: 'time' },
    { name: 'id' },
  ],
  recordActs: payoutActs,
  none: 'Nothing waits for you',
};

/** All payouts, for a client. */
const payoutsByClient: Resource = {
  ...waitingPayouts,
  path: '/payments/payouts',
  title: 'Payouts',
  lead: 'What you pay to others.',
  none: 'No payouts yet',
  hint: 'Payouts appear here once your system creates them.',
};

export const payouts: Resource = {
  path: '/payments/payouts',
  otherwise: payoutsByClient,
  api: '/payments/payouts',
  scope: KEY,
  title: 'Payouts',
  lead: 'What you pay to others.',
  named: 'our_number',
  paging: 'payments',
  filters: [
    { name: 'status', label: 'Status', values: payoutStatuses },
    { name: 'our_number', label: 'Number' },
  ],
  dates,
  live: true,
  columns: payoutColumns,
  more: [
    { name: 'provider' },
    { name: 'failure_reason' },
    { name: 'cost_center' },
    { name: 'contractor_reference' },
    { name: 'id' },
  ],
  recordActs: [
    {
      name: 'cancel',
      label: 'Cancel payout',
      scope: KEY_WRITES,
      method: 'POST',
      target: below('/payments/payouts', '/cancel'),
      text: 'The payout is not sent. This cannot be undone.',
      danger: true,
      fields: [{ name: 'reason', as: 'textarea' }],
      when: ({ status }) => status === 'created' || status === 'incoming_payment_waiting',
      done: 'The payout was canceled.',
    },
  ],
  sections: [
    {
      title: 'Ledger',
      api: ({ id }) => `/payments/balance-transactions?limit=25&source=${encodeURIComponent(asText(id))}`,
      columns: [
        { name: 'created' },
        { name: 'type', as: 'name' },
        { name: 'amount' },
        { name: 'fee' },
        { name: 'net' },
      ],
      none: 'No entries',
    },
  ],
  none: 'No payouts yet',
  hint: 'Payouts appear here once your system creates them.',
};

const sourcePath = (row: Record<string, unknown>): string | undefined => {
  const id = asText((row.source as { id?: unknown } | null)?.id);
  if (id.startsWith('inv_')) return `/payments/invoices/${id}`;
  return id.startsWith('po_') ? `/payments/payouts/${id}` : undefined;
};

/** Admins write reasons of their own. */
const nameOfReason = (reason: string): string =>
  Object.hasOwn(ledgerNames, reason) ? tName(reason) : reason;

export const ledger: Resource = {
  path: '/payments/ledger',
  api: '/payments/balance-transactions',
  scope: KEY,
  title: 'Ledger',
  lead: 'All incoming and outgoing amounts. Entries never change.',
  named: 'id',
  paging: 'payments',
  filters: [{ name: 'type', label: 'Type', values: ['charge', 'payout', 'fee', 'adjustment'] }],
  dates,
  live: true,
  columns: [
    { name: 'type', as: 'name' },
    { name: 'counterparty', label: 'Payer or beneficiary', href: sourcePath },
    { name: 'created' },
    { name: 'amount' },
    { name: 'fee' },
    { name: 'net' },
    { name: 'available_on' },
  ],
  more: [
    { name: 'reason', text: ({ reason }) => nameOfReason(asText(reason)) },
    { name: 'source.id', as: 'code', href: sourcePath },
    { name: 'our_number' },
    { name: 'cost_center' },
    { name: 'id' },
  ],
  acts: [
    {
      name: 'adjust',
      label: 'Adjust balance',
      scope: 'manage:payments',
      method: 'POST',
      target: () => '/v1/admin/balance-adjustments',
      text: 'Adds an entry to the ledger. Entries cannot be removed, only offset by another entry.',
      danger: true,
      fields: [
        { name: 'amount', as: 'money', required: true, help: 'A negative amount lowers the balance.' },
        { name: 'currency', required: true, value: 'BRL' },
        { name: 'reason', as: 'textarea', required: true },
      ],
      done: 'Saved.',
      goTo: 'list',
    },
  ],
  none: 'No entries yet',
  hint: 'The first payment creates the first entry.',
};

/** Texts of fields that only some providers have. Without one: the name of the field, and its providers. */
const TEXTS: Readonly<Record<string, Pick<Field, 'label' | 'help'>>> = {
  profile_id: { label: 'Profile id' },
  source_currency: { label: 'Currency of the balance', help: 'For Wise, such as EUR.' },
  municipal_service_code: { label: 'Code of the municipal service', help: 'For NFS-e with Asaas.' },
  municipal_service_name: { label: 'Name of the municipal service', help: 'For NFS-e with Asaas.' },
  withdrawal_token: { help: 'For Asaas, if withdrawal validation is already set up.' },
};

/** The fields with which accounts are connected: the keys of all providers, then the settings of each. */
function connectionFields(): Field[] {
  const forProviders = (some: readonly ProviderDefinition[]): Pick<Field, 'help' | 'helpValues'> => ({
    help: 'For {providers}.',
    helpValues: () => ({
      providers: listed(
        some.map(({ title }) => title),
        'conjunction',
      ),
    }),
  });
  const keys = (['api_key', 'token'] as const).map(
    (name): Field => ({
      ...forProviders(providers.filter(({ keyMember }) => keyMember === name)),
      name,
      as: 'secret',
    }),
  );
  return [
    ...keys,
    ...providers.flatMap((provider) =>
      [...provider.settings, ...provider.extras].map(
        (field): Field => ({
          ...forProviders([provider]),
          ...field,
          ...TEXTS[field.name],
        }),
      ),
    ),
  ];
}

const SETTINGS = providers.flatMap(({ settings }) => settings.map(({ name }) => name));

/** The body of a connection, with the settings of its provider in one object. */
function withSettings(values: Json): Json {
  const settings = Object.entries(values).filter(([name]) => SETTINGS.includes(name));
  const others = Object.entries(values).filter(([name]) => !SETTINGS.includes(name));
  return {
    ...Object.fromEntries(others),
    ...(settings.length > 0 && { settings: Object.fromEntries(settings) }),
  };
}

export const accounts: Resource = {
  path: '/payments/providers',
  api: '/v1/admin/provider-accounts',
  scope: 'read:payments',
  title: 'Providers',
  lead: 'Accounts for incoming and outgoing payments.',
  named: 'provider',
  paging: 'pages',
  columns: [
    { name: 'provider' },
    { name: 'status' },
    { name: 'reason', as: 'english' },
    { name: 'balance', as: 'money', label: 'Balance' },
    { name: 'webhook_state', as: 'name', label: 'Webhook' },
    { name: 'checked_at', label: 'Checked' },
    { name: 'reconciled_at', label: 'Compared' },
  ],
  acts: [
    {
      name: 'connect',
      label: 'Connect, or replace the key',
      scope: 'manage:payments',
      method: 'PUT',
      target: (_, { provider }) => `/v1/admin/provider-accounts/${encodeURIComponent(asText(provider))}`,
      text: 'The key is checked at the provider and stored encrypted. It cannot be read afterwards. Without a profile, currency or service, the account keeps its settings; with one of them, these replace all settings.',
      fields: [
        {
          name: 'provider',
          as: 'select',
          required: true,
          options: choices(providers.map(({ name }) => name)),
        },
        ...connectionFields(),
      ],
      body: ({ provider: _, ...values }) => withSettings(values),
      done: 'The account is being checked.',
      goTo: 'list',
    },
    {
      name: 'approval',
      label: 'Set approval rule',
      scope: 'manage:payments',
      method: 'PUT',
      target: () => '/v1/admin/payout-approval-rules',
      text: 'Payouts above the amount wait for approval by a second person. An empty amount removes the rule. Raising or removing it also needs approve:payouts.',
      fields: [
        { name: 'currency', required: true, value: 'BRL' },
        { name: 'above_amount', as: 'money' },
      ],
      body: ({ above_amount: above = null, currency }) => ({ currency, above_amount: above }),
      done: 'Saved.',
      goTo: 'list',
    },
    {
      name: 'route',
      label: 'Set route',
      scope: 'manage:payments',
      method: 'PUT',
      target: () => '/v1/admin/provider-routes',
      text: 'Which providers an order can use, in order of preference. Without providers, the default applies again.',
      fields: [
        {
          name: 'kind',
          label: 'Kind',
          as: 'select',
          required: true,
          options: choices(['charge', 'payout', 'tax_document']),
        },
        { name: 'region', label: 'Region', required: true, value: 'br' },
        { name: 'currency', required: true, value: 'BRL' },
        {
          name: 'method',
          label: 'Payment method',
          as: 'select',
          options: choices(['pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer']),
        },
        {
          name: 'providers',
          label: 'Providers',
          as: 'lines',
          help: 'One per line: {providers}.',
          helpValues: () => ({
            providers: listed([...providers.map(({ name }) => name), 'sandbox'], 'disjunction'),
          }),
        },
      ],
      done: 'Saved.',
      goTo: 'list',
    },
  ],
  recordActs: [
    {
      name: 'reconcile',
      label: 'Compare with the provider',
      scope: 'manage:payments',
      method: 'POST',
      target: below('/v1/admin/provider-accounts', '/reconcile'),
      direct: true,
      done: 'The comparison has begun.',
    },
    {
      name: 'withdrawal-token',
      label: 'New withdrawal token',
      scope: 'manage:payments',
      method: 'POST',
      target: below('/v1/admin/provider-accounts', '/withdrawal-token'),
      text: 'Creates the address and the token to enter in the withdrawal validation of Asaas. The token is shown once, and the previous one becomes invalid.',
      danger: true,
      when: ({ provider }) => provider === 'asaas',
      secrets: ['address', 'token'],
      done: 'Created.',
    },
    {
      name: 'disconnect',
      label: 'Disconnect',
      scope: 'manage:payments',
      method: 'DELETE',
      target: below('/v1/admin/provider-accounts'),
      text: 'New orders no longer go to this account, and its key is deleted. Orders that the provider already has are completed.',
      danger: true,
      done: 'The account is being disconnected.',
      goTo: 'list',
    },
  ],
  none: 'No provider is connected',
  hint: 'Asaas for charges, Pix payouts and NFS-e in Brazil; Stripe for cards abroad; Wise for payouts in other currencies. You need an API key of your account there.',
};
