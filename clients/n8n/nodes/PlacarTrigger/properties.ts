import type { INodeProperties } from 'n8n-workflow';
import { events } from '../../generated/operations.ts';
import { propertyOf } from '../../shared/fields.ts';
import { type Interface, settingsOf } from './webhooks.ts';

const propertiesFor = (kind: Interface): INodeProperties[] => {
  const displayOptions = { show: { interface: [kind] } };
  return [
    {
      displayName: 'Events',
      name: 'events',
      type: 'multiOptions',
      options: events[kind].map((value) => ({ name: value, value })),
      default: [],
      ...(kind === 'records'
        ? { required: true, description: 'The events that run the workflow' }
        : {
            description:
              'The events that run the workflow. Without a choice: all but those of refunds and disputes.',
          }),
      displayOptions,
    },
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: settingsOf(kind).map(propertyOf),
      displayOptions,
    },
  ];
};

export const properties: INodeProperties[] = [
  {
    displayName: 'Interface',
    name: 'interface',
    type: 'options',
    options: [
      { name: 'Records', value: 'records', description: 'Leads, deals, users and points' },
      { name: 'Payments', value: 'payments', description: 'Invoices, tax documents and payouts' },
    ],
    default: 'records',
  },
  ...propertiesFor('records'),
  ...propertiesFor('payments'),
];
