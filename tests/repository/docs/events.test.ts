// The pages name every type of event that there is.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { invoiceEvents, invoiceMoneyEvents } from '../../../shared/payments/invoices/states.ts';
import { payoutEvents } from '../../../shared/payments/payouts/states.ts';
import { taxDocumentEvents } from '../../../shared/payments/tax-documents/states.ts';
import { dealEvents } from '../../../shared/records/deals/states.ts';
import { eventTypes } from '../../../shared/records/events/event-types.ts';
import { leadEvents } from '../../../shared/records/leads/states.ts';
import { userEvents } from '../../../shared/records/users/states.ts';

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

test('docs/webhooks-reference.md lists it in the row of its resource', () => {
  const rows = page('webhooks-reference.md').split('\n');
  const named = (type: string) => {
    const [resource = '', change = ''] = type.split('.');
    const row = rows.find((line) => line.includes(`\`${resource}.\``) || line.includes(`; \`${resource}.\``));
    return rows.some((line) => line.includes(`\`${type}\``)) || new RegExp(`\\b${change}\\b`).test(row ?? '');
  };
  const all = [...eventTypes, ...invoiceEvents, ...invoiceMoneyEvents, ...payoutEvents, ...taxDocumentEvents];
  expect(all.filter((type) => !named(type))).toEqual([]);
});

test('docs/records.md lists it with the request that causes it', () => {
  const [, states = ''] = page('records.md').split('\n## States\n');
  const all = [...leadEvents, ...dealEvents, ...userEvents];
  expect(all.filter((type) => !states.includes(`\`${type}\``))).toEqual([]);
});
