// Endpoints of /balance-transactions, its exports, and /balance.
import type { ExportFormat } from '../../shared/payments/ledger/exports/options.ts';
import { type EndpointRequest, type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { parseKeysetQuery } from '../../shared/platform/lists/keyset-list.ts';
import { read } from './idempotent-endpoint.ts';

const reads = () => import('../../shared/payments/ledger/reads.ts');

async function exportLedger(format: ExportFormat, { context, query, requestContext }: EndpointRequest) {
  const [{ parseExport }, { exportHeaders, openExport }] = await Promise.all([
    import('../../shared/payments/ledger/exports/options.ts'),
    import('../../shared/payments/ledger/exports/open-export.ts'),
  ]);
  const options = parseExport(query, format);
  const headers = exportHeaders(options);
  if (requestContext.method === 'HEAD') return { status: 200, headers };
  return { status: 200, headers, stream: await openExport(context(200), options) };
}

export function balanceTransactionEndpoints() {
  return {
    listBalanceTransactions: endpoint({
      ...read,
      path: '/balance-transactions',
      async handle({ context, query }) {
        const { ledgerFilters, listLedger, serializeLedgerEntry } = await reads();
        const page = await listLedger(context(200), parseKeysetQuery(query, 'btxn', ledgerFilters));
        return { status: 200, body: { data: page.rows.map(serializeLedgerEntry), has_more: page.hasMore } };
      },
    }),
    exportBalanceTransactionsCsv: endpoint({
      ...read,
      path: '/balance-transactions.csv',
      handle: (request) => exportLedger('csv', request),
    }),
    exportBalanceTransactionsOfx: endpoint({
      ...read,
      path: '/balance-transactions.ofx',
      handle: (request) => exportLedger('ofx', request),
    }),
    getBalanceTransaction: endpoint({
      ...read,
      path: '/balance-transactions/:id',
      async handle({ context, params }) {
        const { getLedgerEntry, serializeLedgerEntry } = await reads();
        const row = await getLedgerEntry(context(200), params.id);
        return { status: 200, body: serializeLedgerEntry(row) };
      },
    }),
    getBalance: endpoint({
      ...read,
      path: '/balance',
      handle: async ({ context }) => ({ status: 200, body: await (await reads()).getBalance(context(200)) }),
    }),
  } satisfies Endpoints;
}
