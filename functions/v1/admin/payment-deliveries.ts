// Operations of the admin API: deliveries of payment webhooks, and replays.
import { z } from 'zod';
import { paymentEvent } from '../../../shared/payments/events.ts';
import { getDelivery, getReplay } from '../../../shared/payments/webhooks/reads.ts';
import { deliveryResponse } from '../../../shared/payments/webhooks/schema.ts';
import { serializeDelivery } from '../../../shared/payments/webhooks/serialize.ts';
import * as writes from '../../../shared/payments/webhooks/writes.ts';
import { readList } from '../../../shared/records/list.ts';
import { deliveryList } from '../../../shared/records/webhooks/reads.ts';
import { checkReadable } from '../../../shared/webhooks/management/queries.ts';
import {
  replay,
  replayRequest,
  replayResponse,
  testResponse,
} from '../../../shared/webhooks/management/schema.ts';
import { deliveryStatuses } from '../../../shared/webhooks/management/states.ts';
import { withWebhookErrors } from '../../../shared/webhooks/management/webhook-errors.ts';
import { operation } from './operation.ts';
import { byTime, listQuery, reads, runOnce, writeAccess } from './payment-webhook-run.ts';
import { idIn, ifUnchanged } from './webhook-versions.ts';

const delivery = deliveryResponse.meta({ id: 'PaymentDelivery' });
const status = z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.');

/** Creates the operations. `functionsUrl` is that of the deployment. */
export function paymentDeliveryOperations(functionsUrl: string) {
  const render = paymentEvent(functionsUrl);
  return {
    testPaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/test',
      summary: 'Send a test event to a payment webhook',
      status: 202,
      data: testResponse,
      versioned: 'demanded',
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, functionsUrl, (attempt) => writes.testWebhook(attempt, id)),
        ),
    }),
    replayPaymentWebhook: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/replay',
      summary: 'Replay the deliveries of a payment webhook',
      status: 202,
      body: replayRequest,
      data: replay,
      versioned: 'demanded',
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, functionsUrl, (attempt) => writes.startReplay(attempt, id, request.body)),
        ),
    }),
    getPaymentReplay: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/replays/:replay_id',
      summary: 'Get the progress of a replay',
      data: replay,
      run: async ({ params }, context) => ({
        record: { ...(await getReplay(context, idIn(params.webhook_id), params.replay_id)) },
      }),
    }),
    listPaymentDeliveries: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/deliveries',
      summary: 'List the deliveries of a payment webhook',
      form: 'page',
      ...byTime,
      query: z.object({ status }),
      data: delivery,
      async run({ params, query, paging }, context) {
        const id = idIn(params.webhook_id);
        const conditions = [
          { op: 'eq', column: 'endpoint_id', value: id },
          ...(query.status ? [{ op: 'eq', column: 'status', value: query.status }] : []),
        ];
        const { records, total } = await withWebhookErrors(
          readList(context, deliveryList, listQuery(paging), conditions, (sql) =>
            checkReadable(sql, context.tenantId, id, null),
          ),
        );
        return { records: records.map((record) => ({ ...serializeDelivery(record, render) })), total };
      },
    }),
    getPaymentDelivery: operation({
      ...reads,
      path: '/payment-webhooks/:webhook_id/deliveries/:delivery_id',
      summary: 'Get a delivery of a payment webhook',
      data: delivery,
      async run({ params }, context) {
        const record = await getDelivery(context, idIn(params.webhook_id), params.delivery_id);
        return { record: { ...serializeDelivery(record, render) } };
      },
    }),
    replayPaymentDelivery: operation({
      ...writeAccess,
      method: 'post',
      path: '/payment-webhooks/:webhook_id/deliveries/:delivery_id/replay',
      summary: 'Replay a delivery of a payment webhook',
      status: 202,
      data: replayResponse,
      versioned: 'demanded',
      run: (request, caller) =>
        ifUnchanged(caller, request, (context, id) =>
          runOnce(context, functionsUrl, (attempt) =>
            writes.replayDelivery(attempt, id, request.params.delivery_id),
          ),
        ),
    }),
  };
}
