// OpenAPI descriptions of webhooks.
import { z } from 'zod';
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
import { type DescriptionsOf, tagged } from './openapi.ts';
import { created, paging, updated } from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';
import type { webhookEndpoints } from './webhooks.ts';

export function webhookDescriptions({
  id: variant,
}: Schemas): DescriptionsOf<ReturnType<typeof webhookEndpoints>> {
  return tagged('Webhooks', {
    listWebhooks: {
      summary: 'List webhooks',
      query: z.object({ ...paging(variant, ['created_at']), ...updated }),
      data: z.array(webhookResponse),
    },
    createWebhook: {
      entityTag: 'shown',
      summary: 'Create a webhook',
      body: newWebhook(variants[variant]),
      status: 201,
      data: webhookResponse,
      failures: [409, 422],
    },
    getWebhook: {
      entityTag: 'conditional',
      summary: 'Get a webhook',
      data: webhookResponse,
    },
    listWebhookKeys: {
      summary: 'Get the public keys of a webhook',
      description: 'A JSON Web Key Set (RFC 7517), without an envelope.',
      data: keySetResponse,
      list: 'plain',
    },
    updateWebhook: {
      entityTag: 'conditional',
      summary: 'Update a webhook',
      body: webhookChange(variants[variant]),
      data: webhookResponse,
      failures: [409, 422],
    },
    deleteWebhook: {
      entityTag: 'demanded',
      summary: 'Delete a webhook and its delivery log',
    },
    pauseWebhook: {
      entityTag: 'shown',
      summary: 'Pause a webhook',
      description:
        'Deliveries, including those of new events, wait until the webhook is resumed. After 30 days of waiting, they are dropped.',
      data: webhookResponse,
      failures: [409],
    },
    resumeWebhook: {
      entityTag: 'shown',
      summary: 'Resume a webhook',
      data: webhookResponse,
      failures: [409],
    },
    testWebhook: {
      summary: 'Send the event webhook.test to a webhook',
      status: 202,
      data: testResponse,
      failures: [409],
    },
    replayWebhook: {
      summary: "Replay a webhook's deliveries",
      description:
        'Replays the deliveries of all events since a given time, or the failed ones, with the same ids. ' +
        'Also delivers matching events that have no delivery yet, except those of silent imports.',
      body: replayRequest,
      status: 202,
      data: replay,
      failures: [409],
    },
    getReplay: {
      summary: 'Get the progress of a replay',
      data: replay,
    },
    listDeliveries: {
      summary: "List a webhook's deliveries",
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.'),
      }),
      data: z.array(deliveryResponse),
    },
    getDelivery: {
      summary: 'Get a delivery',
      data: deliveryResponse,
    },
    replayDelivery: {
      summary: 'Replay a delivery',
      status: 202,
      data: replayResponse,
      failures: [409],
    },
  });
}
