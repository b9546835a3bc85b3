// Endpoints of /invoices.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { parseKeysetQuery } from '../../shared/platform/lists/keyset-list.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint, read } from './idempotent-endpoint.ts';

const reads = () => import('../../shared/payments/invoices/reads.ts');
const writes = () => import('../../shared/payments/invoices/writes.ts');

export function invoiceEndpoints({ providers, functionsUrl }: Dependencies) {
  return {
    createInvoice: idempotentEndpoint(functionsUrl, {
      path: '/invoices',
      successStatus: 201,
      body: 'required',
      async load() {
        const { createInvoice, parseInvoice } = await writes();
        return (attempt, { json }, context) => createInvoice(context, attempt, parseInvoice(json), providers);
      },
    }),
    listInvoices: endpoint({
      ...read,
      path: '/invoices',
      async handle({ context, query }) {
        const { invoiceFilters, listInvoices, serializeInvoice } = await reads();
        const page = await listInvoices(context(200), parseKeysetQuery(query, 'inv', invoiceFilters));
        const data = page.rows.map((row) => serializeInvoice(row, functionsUrl));
        return { status: 200, body: { data, has_more: page.hasMore } };
      },
    }),
    getInvoice: endpoint({
      ...read,
      path: '/invoices/:id',
      async handle({ context, params }) {
        const { getInvoice, serializeInvoice } = await reads();
        const row = await getInvoice(context(200), params.id);
        return { status: 200, body: serializeInvoice(row, functionsUrl) };
      },
    }),
    cancelInvoice: idempotentEndpoint(functionsUrl, {
      path: '/invoices/:id/cancel',
      async load() {
        const { cancelInvoice, parseReason } = await writes();
        return (attempt, { json, params }, context) =>
          cancelInvoice(context, attempt, { id: params.id, reason: parseReason(json) }, providers);
      },
    }),
  } satisfies Endpoints;
}
