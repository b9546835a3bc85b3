// /webhooks
import type { Endpoint } from '../../shared/platform/http/app.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import type { Row } from '../../shared/records/variants/naming.ts';
import { show, type Variant } from '../../shared/records/variants/variant.ts';
import {
  changeWebhook,
  createWebhook,
  type DestinationRules,
  deleteWebhook,
  deliveryList,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayDelivery,
  testWebhook,
  webhookList,
} from '../../shared/records/webhooks/operations.ts';
import { showDelivery } from '../../shared/records/webhooks/serialize.ts';
import { listQuery, many, nothing, recordsEndpoint, single } from './endpoint.ts';

const docs = () => import('./webhooks.openapi.ts');
const schemas = () => import('../../shared/records/webhooks/schema.ts');
const reads = { scope: 'read:webhooks', successStatus: 200, body: 'none', resource: 'webhook' } as const;
const writes = { scope: 'write:webhooks', body: 'required', resource: 'webhook' } as const;

/** Events as the variant that asks names them. */
function showWebhook(variant: Variant, record: Row): Row {
  const events = (record.events as string[]).map((type) => variant.eventTypes[type] ?? type);
  const secret = record.secret === undefined ? {} : { secret: record.secret };
  return { ...show(variant, 'webhook', { ...record, events }), ...secret };
}

export const webhookEndpoints = (rules: DestinationRules): Endpoint[] => [
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/webhooks',
    docs: async () => (await docs()).listWebhooks,
    async run(request) {
      const result = await listWebhooks(request.context, listQuery(request, 'webhook', webhookList));
      return many(request, result, (record) => showWebhook(request.variant, record));
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/webhooks',
    successStatus: 201,
    docs: async () => (await docs()).createWebhook,
    async run(request) {
      const { context, json, variant } = request;
      const webhook = parseBody((await schemas()).newWebhook(variant), variant.namings.webhook, json);
      // Deliveries speak as the client does, whatever this one request speaks.
      const own = context.actor.type === 'oauth_client' ? context.actor.variant : 'a';
      const record = await createWebhook(context, webhook, own, rules);
      return single(request, 201, showWebhook(variant, record));
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/webhooks/:id',
    docs: async () => (await docs()).getWebhook,
    run: async (request) =>
      single(
        request,
        200,
        showWebhook(request.variant, await getWebhook(request.context, request.params.id ?? '')),
      ),
  }),
  recordsEndpoint({
    ...writes,
    method: 'patch',
    path: '/webhooks/:id',
    successStatus: 200,
    docs: async () => (await docs()).changeWebhook,
    async run(request) {
      const { context, json, variant, params } = request;
      const change = parseBody((await schemas()).webhookChange(variant), variant.namings.webhook, json);
      return single(
        request,
        200,
        showWebhook(variant, await changeWebhook(context, params.id ?? '', change, rules)),
      );
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'delete',
    path: '/webhooks/:id',
    successStatus: 204,
    body: 'none',
    docs: async () => (await docs()).deleteWebhook,
    async run({ context, params }) {
      await deleteWebhook(context, params.id ?? '');
      return nothing;
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/webhooks/:id/test',
    successStatus: 202,
    body: 'optional',
    docs: async () => (await docs()).testWebhook,
    run: async (request) => single(request, 202, await testWebhook(request.context, request.params.id ?? '')),
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/webhooks/:id/deliveries',
    docs: async () => (await docs()).listDeliveries,
    async run(request) {
      const query = listQuery(request, 'webhook', deliveryList);
      const result = await listDeliveries(request.context, request.params.id ?? '', query);
      return many(request, result, showDelivery);
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/webhooks/:id/deliveries/:delivery_id/replay',
    successStatus: 202,
    body: 'optional',
    docs: async () => (await docs()).replayDelivery,
    run: async (request) =>
      single(
        request,
        202,
        await replayDelivery(request.context, request.params.id ?? '', request.params.delivery_id ?? ''),
      ),
  }),
];
