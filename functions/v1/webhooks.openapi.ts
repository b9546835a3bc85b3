// OpenAPI descriptions of webhooks.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import {
  deliveryResponse,
  newWebhook,
  webhookChange,
  webhookResponse,
} from '../../shared/records/webhooks/schema.ts';
import {
  keySetResponse,
  replay,
  replayRequest,
  replayResponse,
  testResponse,
} from '../../shared/webhooks/management/schema.ts';
import { deliveryStatuses } from '../../shared/webhooks/management/states.ts';
import { created, describeIn, listOf, paging, updated } from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';
import type { webhookEndpoints } from './webhooks.ts';

const tag = 'Webhooks';
const params = ['id'] as const;

export function webhookOperations(schemas: Schemas): OperationsOf<ReturnType<typeof webhookEndpoints>> {
  const { id: variant } = schemas;
  const describe = describeIn(variant);
  return {
    listWebhooks: describe({
      summary: 'List webhooks',
      tag,
      query: z.object({ ...paging(variant, ['created_at']), ...updated }),
      data: z.array(webhookResponse),
      list: listOf(variant),
    }),
    createWebhook: describe({
      entityTag: 'shown',
      summary: 'Create a webhook',
      tag,
      body: newWebhook(variants[variant]),
      status: 201,
      data: webhookResponse,
      writes: true,
      failures: [409, 422],
    }),
    getWebhook: describe({
      entityTag: 'conditional',
      summary: 'Get a webhook',
      tag,
      params,
      data: webhookResponse,
      failures: [404],
    }),
    listWebhookKeys: describe({
      summary: 'Get the public keys of a webhook',
      description: 'A JSON Web Key Set (RFC 7517), without an envelope.',
      tag,
      params,
      data: keySetResponse,
      list: 'plain',
      failures: [404],
    }),
    updateWebhook: describe({
      entityTag: 'conditional',
      summary: 'Update a webhook',
      tag,
      params,
      body: webhookChange(variants[variant]),
      data: webhookResponse,
      writes: true,
      failures: [404, 409, 422],
    }),
    deleteWebhook: describe({
      entityTag: 'demanded',
      summary: 'Delete a webhook and its delivery log',
      tag,
      params,
      writes: true,
      failures: [404],
    }),
    pauseWebhook: describe({
      summary: 'Pause a webhook',
      description:
        'Deliveries, including those of new events, wait until the webhook is resumed. After 30 days of waiting, they are dropped.',
      tag,
      params,
      data: webhookResponse,
      writes: true,
      failures: [404, 409],
    }),
    resumeWebhook: describe({
      summary: 'Resume a webhook',
      tag,
      params,
      data: webhookResponse,
      writes: true,
      failures: [404, 409],
    }),
    testWebhook: describe({
      summary: 'Send the event webhook.test to a webhook',
      tag,
      params,
      status: 202,
      data: testResponse,
      writes: true,
      failures: [404, 409],
    }),
    replayWebhook: describe({
      summary: "Replay a webhook's deliveries",
      description:
        'Replays the deliveries of all events since a given time, or the failed ones, with the same ids. ' +
        'Also delivers matching events that have no delivery yet, except those of silent imports.',
      tag,
      params,
      body: replayRequest,
      status: 202,
      data: replay,
      writes: true,
      failures: [404, 409],
    }),
    getReplay: describe({
      summary: 'Get the progress of a replay',
      tag,
      params: ['id', 'replay_id'],
      data: replay,
      failures: [404],
    }),
    listDeliveries: describe({
      summary: "List a webhook's deliveries",
      tag,
      params,
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        status: z.enum(deliveryStatuses).optional(),
      }),
      data: z.array(deliveryResponse),
      list: listOf(variant),
      failures: [404],
    }),
    getDelivery: describe({
      summary: 'Get a delivery',
      tag,
      params: ['id', 'delivery_id'],
      data: deliveryResponse,
      failures: [404],
    }),
    replayDelivery: describe({
      summary: 'Replay a delivery',
      tag,
      params: ['id', 'delivery_id'],
      status: 202,
      data: replayResponse,
      writes: true,
      failures: [404, 409],
    }),
  };
}
