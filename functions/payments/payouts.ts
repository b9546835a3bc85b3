// Endpoints of /payouts. Approval: functions/v1/admin/payments.ts.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { parseKeysetQuery } from '../../shared/platform/lists/keyset-list.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint, read } from './idempotent-endpoint.ts';

const reads = () => import('../../shared/payments/payouts/reads.ts');
const writes = () => import('../../shared/payments/payouts/writes.ts');

export function payoutEndpoints({ providers, functionsUrl }: Dependencies) {
  return {
    createPayout: idempotentEndpoint(functionsUrl, {
      path: '/payouts',
      successStatus: 201,
      body: 'required',
      scopes: ['payments:write', 'request:payouts'],
      errorOf: async (error) => (await writes()).asTooManyWaiting(error),
      async load() {
        const { createPayout, parsePayout } = await writes();
        return (attempt, { json }, context) => createPayout(context, attempt, parsePayout(json), providers);
      },
    }),
    listPayouts: endpoint({
      ...read,
      path: '/payouts',
      async handle({ context, query }) {
        const { listPayouts, payoutFilters, serializePayout } = await reads();
        const page = await listPayouts(context(200), parseKeysetQuery(query, 'po', payoutFilters));
        return { status: 200, body: { data: page.rows.map(serializePayout), has_more: page.hasMore } };
      },
    }),
    getPayout: endpoint({
      ...read,
      path: '/payouts/:id',
      async handle({ context, params }) {
        const { getPayout, serializePayout } = await reads();
        const row = await getPayout(context(200), params.id);
        return { status: 200, body: serializePayout(row) };
      },
    }),
    cancelPayout: idempotentEndpoint(functionsUrl, {
      path: '/payouts/:id/cancel',
      async load() {
        const { cancelPayout, parseReason } = await writes();
        return (attempt, { json, params }, context) => {
          // Validated like the body of other cancellations, but not stored.
          parseReason(json);
          return cancelPayout(context, attempt, params, providers);
        };
      },
    }),
  } satisfies Endpoints;
}
