// Endpoints of /balance-transactions and /balance.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { parseKeysetQuery } from '../../shared/platform/lists/keyset-list.ts';

const reads = () => import('../../shared/payments/ledger/reads.ts');

export function balanceTransactionEndpoints() {
  return {
    listBalanceTransactions: endpoint({
      method: 'get',
      path: '/balance-transactions',
      scopes: ['payments:read'],
      body: 'none',
      async handle({ context, query }) {
        const { ledgerFilters, listLedger, serializeLedgerEntry } = await reads();
        const page = await listLedger(context(200), parseKeysetQuery(query, 'btxn', ledgerFilters));
        return { status: 200, body: { data: page.rows.map(serializeLedgerEntry), has_more: page.hasMore } };
      },
    }),
    getBalanceTransaction: endpoint({
      method: 'get',
      path: '/balance-transactions/:id',
      scopes: ['payments:read'],
      body: 'none',
      async handle({ context, params }) {
        const { getLedgerEntry, serializeLedgerEntry } = await reads();
        const row = await getLedgerEntry(context(200), params.id);
        return { status: 200, body: serializeLedgerEntry(row) };
      },
    }),
    getBalance: endpoint({
      method: 'get',
      path: '/balance',
      scopes: ['payments:read'],
      body: 'none',
      handle: async ({ context }) => ({ status: 200, body: await (await reads()).getBalance(context(200)) }),
    }),
  } satisfies Endpoints;
}
