// /payouts

import { listStatement, parseListQuery, toPage } from '../../shared/payments/list.ts';
import { notFound } from '../../shared/payments/not-found.ts';
import { payoutFilters, payoutSource } from '../../shared/payments/payouts/list.ts';
import { type PayoutRow, payoutSnapshot } from '../../shared/payments/payouts/queries.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint } from './idempotent-endpoint.ts';

const docs = () => import('./openapi.ts');
/** Loaded when a payout is made: the data of all countries' phone numbers comes with it. */
const operations = () => import('../../shared/payments/payouts/operations.ts');

export function payoutEndpoints({ providers, renderer }: Dependencies): Endpoint[] {
  const filters = payoutFilters(providers.has);
  return [
    idempotentEndpoint(renderer, {
      path: '/payouts',
      successStatus: 201,
      body: 'required',
      docs: async () => (await docs()).createPayoutDocs,
      run: async ({ context, json }, keyed) =>
        (await operations()).createPayout(context, keyed, json, providers),
    }),
    {
      method: 'get',
      path: '/payouts',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).listPayoutsDocs,
      async handle({ context, query }) {
        const list = parseListQuery(query, 'po', filters);
        const [rows] = await context.transaction((sql) => [
          listStatement(sql, payoutSource(sql), context.tenantId, list),
        ]);
        const snapshots = (rows ?? []).map(({ snapshot }) => snapshot as PayoutRow);
        const { rows: page, hasMore } = toPage(snapshots, list.page);
        return { status: 200, body: { data: page.map(renderer.payout), has_more: hasMore } };
      },
    },
    {
      method: 'get',
      path: '/payouts/:id',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).getPayoutDocs,
      async handle({ context, params }) {
        const [rows] = await context.transaction((sql) => [
          payoutSnapshot(sql, context.tenantId, params.id ?? ''),
        ]);
        const row = rows?.[0]?.snapshot as PayoutRow | undefined;
        if (!row) throw notFound('payout');
        return { status: 200, body: renderer.payout(row) };
      },
    },
    idempotentEndpoint(renderer, {
      path: '/payouts/:id/cancel',
      successStatus: 200,
      body: 'optional',
      docs: async () => (await docs()).cancelPayoutDocs,
      run: async ({ context, params, json }, keyed) =>
        (await operations()).cancelPayout(context, keyed, params.id ?? '', json, providers),
    }),
  ];
}
