// /balance-transactions

import {
  type LedgerRow,
  ledgerFilters,
  ledgerSource,
  selectEntry,
} from '../../shared/payments/ledger/queries.ts';
import { listStatement, parseListQuery, toPage } from '../../shared/payments/list.ts';
import { notFound } from '../../shared/payments/not-found.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';
import type { Dependencies } from './dependencies.ts';

const docs = () => import('./openapi.ts');

export function balanceTransactionEndpoints({ providers, renderer }: Dependencies): Endpoint[] {
  return [
    {
      method: 'get',
      path: '/balance-transactions',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).listBalanceTransactionsDocs,
      async handle({ context, query }) {
        const list = parseListQuery(query, 'btxn', ledgerFilters(context.tenantId, providers));
        const [rows] = await context.transaction((sql) => [
          listStatement(sql, ledgerSource(sql), context.tenantId, list),
        ]);
        const { rows: page, hasMore } = toPage([...(rows ?? [])] as LedgerRow[], list.page);
        return { status: 200, body: { data: page.map(renderer.ledgerEntry), has_more: hasMore } };
      },
    },
    {
      method: 'get',
      path: '/balance-transactions/:id',
      scope: 'payments:read',
      successStatus: 200,
      body: 'none',
      docs: async () => (await docs()).getBalanceTransactionDocs,
      async handle({ context, params }) {
        const [rows] = await context.transaction((sql) => [
          selectEntry(sql, context.tenantId, params.id ?? ''),
        ]);
        const row = rows?.[0] as LedgerRow | undefined;
        if (!row) throw notFound('entry');
        return { status: 200, body: renderer.ledgerEntry(row) };
      },
    },
  ];
}
