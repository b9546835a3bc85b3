// Webhooks of both interfaces, and their deliveries.
import { paymentsEventTypes } from '../../../shared/payments/webhooks/event-types.ts';
import { eventTypes } from '../../../shared/records/events/event-types.ts';
import { KEY, KEY_WRITES, type Scope } from '../api/access.ts';
import { asRows, asText, type Json } from '../api/json.ts';
import { type Message, t } from '../kit/language.ts';
import { paymentMembers, recordMembers } from './event-members.ts';
import { conditionsOf } from './items.ts';
import { eventOptions } from './options.ts';
import { type Act, below, type Field, type Resource } from './resource.ts';

interface Interface {
  path: string;
  api: string;
  read: Scope;
  write: Scope;
  paging: Resource['paging'];
  title: Message;
  lead: Message;
  events: readonly string[];
  /** Webhooks of payments always get a secret, and have a separate call to rotate it. */
  isPayments: boolean;
}

const fieldsOf = ({ events, isPayments }: Interface, isNew: boolean): Field[] => [
  { name: 'url', as: 'url', required: true, help: 'An https address that accepts POST.' },
  {
    name: 'events',
    as: 'choices',
    options: eventOptions(events),
    ...(isPayments ? { help: 'None selected: all events.' } : { required: true }),
  },
  { name: 'description' },
  {
    name: 'filters',
    as: 'items',
    items: conditionsOf(isPayments ? paymentMembers : recordMembers),
    help: 'Only events that match all of them are sent.',
  },
  { name: 'changed', as: 'lines', help: 'One member per line. At least one of them must have changed.' },
  { name: 'ordered', as: 'checkbox', help: 'Sends the events of one record in order.' },
  {
    name: 'fold_seconds',
    as: 'integer',
    help: 'Combines changes of one record within this many seconds, 1 to 300.',
  },
  ...(isNew
    ? []
    : [
        {
          name: 'active',
          as: 'checkbox',
          help: 'Reactivating it also resets earlier failures.',
        } as const,
      ]),
];

/** Sends null instead of an empty list, which means no restriction. */
function bodyOf(values: Json, { isPayments }: Interface): Json {
  const { events, changed, filters, ...rest } = values;
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  return {
    ...rest,
    events: isPayments && isEmpty(events) ? null : events,
    changed: isEmpty(changed) ? null : changed,
    filters: isEmpty(filters) ? null : filters,
  };
}

function actsOf(of: Interface): Pick<Resource, 'acts' | 'recordActs'> {
  const { api, write: scope, isPayments } = of;
  const post = (name: string, label: Message, done: Message, when?: Act['when']): Act => ({
    name,
    label,
    scope,
    method: 'POST',
    target: below(api, `/${name}`),
    direct: true,
    ...(when && { when }),
    done,
  });
  const rotate: Act = {
    name: 'rotate',
    label: 'Rotate secret',
    scope,
    method: isPayments ? 'POST' : 'PATCH',
    target: below(api, isPayments ? '/rotate-secret' : ''),
    text: 'Creates a new secret and shows it once. Deliveries are signed with it from then on.',
    danger: true,
    ...(!isPayments && { body: () => ({ secret: 'generate' }) }),
    secrets: ['secret'],
    done: 'Saved.',
  };
  return {
    acts: [
      {
        name: 'new',
        label: 'Create webhook',
        scope,
        method: 'POST',
        target: () => api,
        fields: fieldsOf(of, true),
        body: (values) => ({ ...bodyOf(values, of), ...(!isPayments && { secret: 'generate' }) }),
        secrets: ['secret'],
        done: 'Created.',
      },
    ],
    recordActs: [
      {
        name: 'edit',
        label: 'Edit',
        scope,
        method: 'PATCH',
        target: below(api),
        fields: fieldsOf(of, false),
        body: (values) => bodyOf(values, of),
        done: 'Saved.',
      },
      post('test', 'Send a test', 'A test event is being sent.'),
      post(
        'pause',
        'Pause',
        'Paused. Events are kept until you resume.',
        ({ status }) => status === 'active',
      ),
      post('resume', 'Resume', 'Resumed.', ({ status }) => status === 'paused' || status === 'suspended'),
      {
        name: 'replay',
        label: 'Replay',
        scope,
        method: 'POST',
        target: below(api, '/replay'),
        text: 'Sends past events again. Receivers recognize them by the id of the event.',
        fields: [
          { name: 'since', as: 'moment', required: true },
          { name: 'failed', as: 'checkbox', value: 'true' },
        ],
        done: 'The events are being sent again.',
      },
      rotate,
      {
        name: 'delete',
        label: 'Delete',
        scope,
        method: 'DELETE',
        target: below(api),
        text: 'The webhook receives no more events, and its deliveries are no longer listed. This cannot be undone.',
        danger: true,
        done: 'Deleted.',
        goTo: 'list',
      },
    ],
  };
}

/** The meaning of its state, and the next step. */
const NOTES: Readonly<Record<string, Message>> = {
  suspended:
    'Five attempts in a row failed. Events are kept, and one of them is tried from time to time. Repair the receiver, then resume.',
  deactivated: 'This webhook receives nothing. Edit it and set Active to use it again.',
  paused: 'Paused. Events are kept until you resume.',
};

function webhooksOf(of: Interface): Resource {
  const { path, api, read: scope, paging, title, lead } = of;
  return {
    path,
    api,
    scope,
    title,
    lead,
    named: 'url',
    paging,
    columns: [
      { name: 'url', as: 'text' },
      { name: 'status' },
      { name: 'events', text: ({ events }) => (events === null ? t('all') : '') },
      { name: 'description' },
      { name: 'created_at' },
    ],
    more: [
      { name: 'active' },
      { name: 'ordered' },
      { name: 'fold_seconds' },
      { name: 'changed' },
      { name: 'header_names' },
      { name: 'updated_at' },
      { name: 'public_key', as: 'code' },
    ],
    ...actsOf(of),
    note: ({ status }) => NOTES[asText(status)],
    sections: [
      {
        title: 'Latest deliveries',
        api: below(api, '/deliveries'),
        columns: (webhook) => [
          {
            name: 'event_type',
            as: 'event',
            href: (row) => `${path}/${asText(webhook.id)}/deliveries/${asText(row.id)}`,
          },
          { name: 'status' },
          { name: 'response_status' },
          { name: 'error', as: 'english' },
          { name: 'created_at' },
          { name: 'next_attempt_at' },
        ],
        none: 'No deliveries yet',
      },
    ],
    none: 'No webhooks yet',
    hint: 'Create one to receive events on your own server as they happen.',
  };
}

function deliveriesOf({ path, api, read: scope, write, paging }: Interface): Resource {
  return {
    path: `${path}/:webhook/deliveries`,
    api: `${api}/:webhook/deliveries`,
    scope,
    title: 'Deliveries',
    lead: 'What was sent, and how the receiver responded.',
    named: 'event_type',
    paging,
    filters: [{ name: 'status', label: 'Status', values: ['pending', 'delivered', 'failed'] }],
    columns: [
      { name: 'event_type', as: 'event' },
      { name: 'status' },
      { name: 'response_status' },
      { name: 'response_time_ms', as: 'number' },
      { name: 'error', as: 'english' },
      { name: 'created_at' },
      { name: 'next_attempt_at' },
    ],
    more: [{ name: 'event_id', label: 'Event id', href: ({ event_id: id }) => `/events/${asText(id)}` }],
    recordActs: [
      {
        name: 'replay',
        label: 'Send again',
        scope: write,
        method: 'POST',
        target: below(`${api}/:webhook/deliveries`, '/replay'),
        direct: true,
        done: 'The delivery is being resent.',
      },
    ],
    sections: [
      {
        title: 'Attempts',
        api: () => undefined,
        rows: function attempts(record) {
          return asRows(record.attempts);
        },
        columns: [
          { name: 'at' },
          { name: 'status', as: 'http', label: 'Response' },
          { name: 'duration_ms', as: 'number' },
          { name: 'error', as: 'english' },
        ],
        none: 'No attempts yet',
      },
    ],
    none: 'No deliveries yet',
  };
}

const payments = {
  path: '/webhooks/payments',
  title: 'Payment webhooks',
  lead: 'Addresses that receive events of invoices, tax documents and payouts.',
  events: paymentsEventTypes,
  isPayments: true,
} as const;
const byClient: Interface = {
  ...payments,
  api: '/v1/admin/payment-webhooks',
  read: 'read:payments',
  write: 'manage:payments',
  paging: 'pages',
};
const byKey: Interface = {
  ...payments,
  api: '/payments/webhooks',
  read: KEY,
  write: KEY_WRITES,
  paging: 'payments',
};
const records: Interface = {
  path: '/webhooks',
  api: '/v1/webhooks',
  read: 'read:webhooks',
  write: 'write:webhooks',
  paging: 'pages',
  title: 'Webhooks',
  lead: 'Addresses that receive events of leads, deals, users and points.',
  events: eventTypes,
  isPayments: false,
};

/** The more specific paths first. */
export const webhooks: Resource[] = [
  { ...deliveriesOf(byClient), otherwise: deliveriesOf(byKey) },
  { ...webhooksOf(byClient), otherwise: webhooksOf(byKey) },
  deliveriesOf(records),
  webhooksOf(records),
];
