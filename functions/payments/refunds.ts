// Endpoints of /invoices/{id}/refunds.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { parseKeysetQuery } from '../../shared/platform/lists/keyset-list.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint, read } from './idempotent-endpoint.ts';

const reads = () => import('../../shared/payments/refunds/reads.ts');

export function refundEndpoints({ providers, functionsUrl }: Dependencies) {
  return {
    createRefund: idempotentEndpoint(functionsUrl, {
      path: '/invoices/:id/refunds',
      successStatus: 201,
      async load() {
        const { createRefund, parseRefund } = await import('../../shared/payments/refunds/writes.ts');
        return (attempt, { json, params }, context) =>
          createRefund(context, attempt, { invoiceId: params.id, ...parseRefund(json) }, providers);
      },
    }),
    listRefunds: endpoint({
      ...read,
      path: '/invoices/:id/refunds',
      async handle({ context, params, query }) {
        const { listRefunds, refundFilters, serializeRefund } = await reads();
        const page = await listRefunds(
          context(200),
          params.id,
          parseKeysetQuery(query, 'rfd', refundFilters),
        );
        return { status: 200, body: { data: page.rows.map(serializeRefund), has_more: page.hasMore } };
      },
    }),
    getRefund: endpoint({
      ...read,
      path: '/invoices/:id/refunds/:refund_id',
      async handle({ context, params: { id: invoiceId, refund_id: id } }) {
        const { getRefund, serializeRefund } = await reads();
        return { status: 200, body: serializeRefund(await getRefund(context(200), { invoiceId, id })) };
      },
    }),
  } satisfies Endpoints;
}
