// Valid bodies; bodies generated from schemas are rarely valid.

import type { Operation } from '../../support/documents/documented.ts';
import { activity, collaborator } from '../../support/gamification/sync.ts';
import { grant } from '../../support/oauth.ts';
import { invoice, pixPayout, TAX_CODES, transferPayout } from '../../support/payments/payments.ts';
import { routes } from '../../support/records/records-routes.ts';
import type { World } from './world.ts';

const nfse = { type: 'nfse', service_code: '01.07', taxes: TAX_CODES };
const unique = { contractor_reference: '{unique}' };

const payments: Record<string, object[]> = {
  '/invoices': [
    invoice({ tax_document: { auto_issue: true, ...nfse }, metadata: { a: 'b' }, ...unique }),
    invoice({ payment_method: { type: 'boleto', expires_in_seconds: 86_400 } }),
    invoice({ payment_method: { type: 'card', return_url: 'https://example.com/' }, amount: 4217 }),
    invoice({ payment_method: { type: 'bolepix' }, amount: 4213 }),
    invoice({ amount: 4219 }),
    invoice({ customer: { country: 'US', name: 'Ann', email: 'ann@example.com' }, currency: 'USD' }),
  ],
  '/payouts': [
    pixPayout(unique),
    pixPayout({ amount: 4217 }),
    transferPayout({ metadata: { a: 'b' } }),
    transferPayout({ amount: 4219 }),
  ],
  '/invoices/{id}/tax-documents': [
    { ...nfse, metadata: { a: 'b' } },
    { ...nfse, service_code: '99.99' },
  ],
};

const sync: object[] = [
  { action: 'sync_collaborators', collaborators: [collaborator('ana'), collaborator('{unique}')] },
  {
    action: 'sync_collaborators',
    collaborators: [
      collaborator('bia', { phone: '1', document: '2', team: 'a', role: 'b', metadata: { a: [1] } }),
    ],
  },
  {
    action: 'sync_activities',
    activities: [
      activity('{unique}', 'ana@example.com', { data: { a: 1 }, occurred_at: '2026-01-02T03:04:05-03:00' }),
      activity('known', 'ana@example.com', { activity_code: '999' }),
      activity('{unique}', 'nobody@example.com'),
    ],
  },
];

/** Bodies in another variant, for the same operations. */
const otherNames: Record<string, object[]> = {
  'POST /leads': [
    { name: 'Zoë', email: '{unique}@example.com', assigned_to: '{user}', score: 7, stage: 'new' },
  ],
  'PATCH /leads/:id': [
    { assigned_to: null, status: 'discarded' },
    { stage: 'qualified', score: null },
  ],
  'POST /leads/:id/convert': [{ deal_name: 'Big', deal_value: 5, pipeline_stage: '{stage}' }],
  'POST /deals': [
    { name: 'Z', value: 0, stage: '{stage}', currency: 'USD', products: [{ sku: 1 }], contact: null },
  ],
  'PATCH /deals/:id': [
    { stage_id: '{stage}', value: 1 },
    { stage: '{stage}', contact: { name: 'Z' } },
  ],
  'POST /users': [{ name: 'Z', email: '{unique}@example.com', role: 'seller' }],
  'PATCH /users/:id': [{ role: 'viewer' }, { name: 'Z', phone: null, team_id: null }],
  'POST /teams': [{ name: 'Z', manager_id: '{user}' }],
  'POST /activities': [
    { type: 'note', title: 'Z', opportunity_id: '{deal}', due_date: '2026-01-02T03:04:05Z' },
  ],
};

function ofRecords({ method, path, example: documented = {} }: Operation): object[] {
  if (path.startsWith('/admin/')) return [documented, ofOthers(documented)];
  const name = `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const { email, events, ...example } = routes.find((route) => route.name === name)?.example?.() ?? {};
  const base = {
    ...example,
    ...(email !== undefined && { email: '{unique}@example.com' }),
    // Frequent events would be sent to each of the many webhooks.
    ...(events !== undefined && { events: ['badge.earned'] }),
  };
  const closing = path.endsWith('/close') ? [{ result: 'lost', status: 'lost', loss_reason: 'Price' }] : [];
  return [base, ...closing, ...(otherNames[name] ?? [])];
}

/** The example with names and labels that no other record has. */
const ofOthers = (example: object): object =>
  Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      /^(name|label|code)$/.test(name) ? '{unique}' : value,
    ]),
  );

export function examplesOf(surface: string, operation: Operation, { clients }: World): object[] {
  if (surface === 'payments') return payments[operation.path] ?? [{ reason: 'a reason' }];
  if (surface === 'default-integration') return sync;
  if (surface === 'v1') return ofRecords(operation);
  return clients.flatMap((client) => [grant(client), grant(client, { scope: 'read:leads write:deals' })]);
}
