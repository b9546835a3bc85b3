// What OpenAPI says of webhooks.
import { z } from 'zod';
import { variants } from '../../shared/records/variants/variant.ts';
import { newWebhook, webhookChange } from '../../shared/records/webhooks/schema.ts';
import { changed, created, describe, id, nullable, paging, time } from './openapi.ts';

const tag = 'Webhooks';
const params = ['id'] as const;
const status = z.enum(['pending', 'delivered', 'failed']);

const webhook = z
  .object({
    id,
    url: z.string(),
    events: z.array(z.string()),
    description: nullable,
    active: z.boolean(),
    created_at: time,
    updated_at: time,
    secret: z.string().optional().describe('In the answer to the creation alone.'),
  })
  .meta({ id: 'Webhook' });

const delivery = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    payload: z.record(z.string(), z.unknown()),
    response_status: z.int().nullable(),
    response_time_ms: z.int().nullable(),
    status,
    success: z.boolean(),
    retry_count: z.int(),
    created_at: time,
    next_attempt_at: time.nullable(),
  })
  .meta({ id: 'Delivery' });

export const listWebhooks = describe({
  summary: 'List webhooks',
  tag,
  query: z.object({ ...paging(['created_at']), ...changed }),
  data: z.array(webhook),
  list: 'meta',
});
export const createWebhook = describe({
  summary: 'Create a webhook',
  tag,
  body: newWebhook(variants.a),
  status: 201,
  data: webhook,
  writes: true,
});
export const getWebhook = describe({ summary: 'Get a webhook', tag, params, data: webhook, failures: [404] });
export const changeWebhook = describe({
  summary: 'Change a webhook',
  tag,
  params,
  body: webhookChange(variants.a),
  data: webhook,
  writes: true,
  failures: [404],
});
export const deleteWebhook = describe({
  summary: 'Delete a webhook with its log',
  tag,
  params,
  writes: true,
  failures: [404],
});
export const testWebhook = describe({
  summary: 'Send the event webhook.test to a webhook',
  tag,
  params,
  status: 202,
  data: z.object({ event_id: z.string(), delivery_id: z.string() }),
  writes: true,
  failures: [404, 409],
});
export const listDeliveries = describe({
  summary: "List a webhook's deliveries",
  tag,
  params,
  query: z.object({ ...paging(['created_at']), ...created, status: status.optional() }),
  data: z.array(delivery),
  list: 'meta',
  failures: [404],
});
export const replayDelivery = describe({
  summary: 'Send a delivery again',
  tag,
  params: ['id', 'delivery_id'],
  status: 202,
  data: z.object({ delivery_id: z.string() }),
  writes: true,
  failures: [404, 409],
});
