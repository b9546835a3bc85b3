// Endpoints of /webhooks.
import { clientOf } from '../../shared/platform/access/context.ts';
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { clientVariant } from '../../shared/records/variants/requested-variant.ts';
import type { DestinationRules } from '../../shared/webhooks/management/check-url.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/webhooks/reads.ts');
const writes = () => import('../../shared/records/webhooks/writes.ts');
const read = { scopes: ['read:webhooks'], body: 'none', resource: 'webhook' } as const;
const write = { scopes: ['write:webhooks'], body: 'required', resource: 'webhook' } as const;

const pauseAt = (path: '/webhooks/:id/pause' | '/webhooks/:id/resume', paused: boolean) =>
  recordsEndpoint({
    ...write,
    method: 'post',
    path,
    body: 'optional',
    async handle(request) {
      const { setPaused } = await writes();
      return request.record(200, 'webhook', (context) => setPaused(context, request.params.id, paused));
    },
  });

export function webhookEndpoints(rules: DestinationRules) {
  return {
    listWebhooks: recordsEndpoint({
      ...read,
      method: 'get',
      path: '/webhooks',
      async handle(request) {
        const { webhookList, listWebhooks } = await reads();
        return request.list('webhook', webhookList, listWebhooks);
      },
    }),
    createWebhook: recordsEndpoint({
      ...write,
      method: 'post',
      path: '/webhooks',
      callsExternalService: true,
      shownOnce: ['secret'],
      async handle(request) {
        const { newWebhook, createWebhook } = await writes();
        const webhook = request.parse(newWebhook(request.variant));
        // Deliveries use the client's default variant, not the variant of this request.
        return request.record(201, 'webhook', (context) =>
          createWebhook(context, webhook, clientVariant(request.actor), rules),
        );
      },
    }),
    getWebhook: recordsEndpoint({
      ...read,
      method: 'get',
      path: '/webhooks/:id',
      conditional: 'webhook',
      async handle(request) {
        const { getWebhook } = await reads();
        return request.record(200, 'webhook', (context) => getWebhook(context, request.params.id));
      },
    }),
    listWebhookKeys: recordsEndpoint({
      ...read,
      method: 'get',
      path: '/webhooks/:id/keys',
      async handle(request) {
        const { getWebhook, keySetOf } = await reads();
        return request.respond(
          (context) => getWebhook(context, request.params.id),
          (webhook) => keySetOf(webhook.public_key),
        );
      },
    }),
    updateWebhook: recordsEndpoint({
      ...write,
      method: 'patch',
      path: '/webhooks/:id',
      conditional: 'webhook',
      async handle(request) {
        const { webhookChange, updateWebhook } = await writes();
        const change = request.parse(webhookChange(request.variant));
        return request.record(200, 'webhook', (context) =>
          updateWebhook(context, request.params.id, change, rules),
        );
      },
    }),
    deleteWebhook: recordsEndpoint({
      ...write,
      method: 'delete',
      path: '/webhooks/:id',
      conditional: 'webhook',
      body: 'none',
      async handle(request) {
        const { deleteWebhook } = await writes();
        return request.noContent((context) => deleteWebhook(context, request.params.id));
      },
    }),
    pauseWebhook: pauseAt('/webhooks/:id/pause', true),
    resumeWebhook: pauseAt('/webhooks/:id/resume', false),
    testWebhook: recordsEndpoint({
      ...write,
      method: 'post',
      path: '/webhooks/:id/test',
      body: 'optional',
      async handle(request) {
        const { testWebhook } = await writes();
        return request.answer(202, (context) => testWebhook(context, request.params.id));
      },
    }),
    replayWebhook: recordsEndpoint({
      ...write,
      method: 'post',
      path: '/webhooks/:id/replay',
      async handle(request) {
        const { replayRequest, startReplay } = await writes();
        const replay = request.parse(replayRequest);
        return request.answer(202, (context) => startReplay(context, request.params.id, replay));
      },
    }),
    getReplay: recordsEndpoint({
      ...read,
      method: 'get',
      path: '/webhooks/:id/replays/:replay_id',
      async handle(request) {
        const { getReplay } = await reads();
        const { id, replay_id: replayId } = request.params;
        return request.answer(200, (context) => getReplay(context, id, replayId));
      },
    }),
    listDeliveries: recordsEndpoint({
      ...read,
      method: 'get',
      path: '/webhooks/:id/deliveries',
      async handle(request) {
        const { deliveryList, listDeliveries, serializeDelivery } = await reads();
        return request.page(
          'webhook',
          deliveryList,
          (context, query) => listDeliveries(context, request.params.id, query),
          (delivery) => serializeDelivery(delivery, clientOf(request.actor)),
        );
      },
    }),
    getDelivery: recordsEndpoint({
      ...read,
      method: 'get',
      path: '/webhooks/:id/deliveries/:delivery_id',
      async handle(request) {
        const { getDelivery, serializeDelivery } = await reads();
        const { id, delivery_id: deliveryId } = request.params;
        return request.answer(
          200,
          (context) => getDelivery(context, id, deliveryId),
          (delivery) => serializeDelivery(delivery, clientOf(request.actor)),
        );
      },
    }),
    replayDelivery: recordsEndpoint({
      ...write,
      method: 'post',
      path: '/webhooks/:id/deliveries/:delivery_id/replay',
      body: 'optional',
      async handle(request) {
        const { replayDelivery } = await writes();
        const { id, delivery_id: deliveryId } = request.params;
        return request.answer(202, (context) => replayDelivery(context, id, deliveryId));
      },
    }),
  } satisfies Endpoints;
}
