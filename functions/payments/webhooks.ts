// Endpoints of /webhooks.
import { type Endpoints, endpoint } from '../../shared/platform/http/endpoint.ts';
import { parseKeysetQuery } from '../../shared/platform/lists/keyset-list.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import type { EventRenderer } from '../../shared/webhooks/event.ts';
import { webhookError } from '../../shared/webhooks/management/webhook-errors.ts';
import type { Dependencies } from './dependencies.ts';
import { idempotentEndpoint, read, writeScopes } from './idempotent-endpoint.ts';

const reads = () => import('../../shared/payments/webhooks/reads.ts');
const writes = () => import('../../shared/payments/webhooks/writes.ts');

/** The webhook id in a path. Throws `not_found` if it is not a valid id. */
function idIn({ id, delivery_id: delivery }: { id: string; delivery_id?: string }): string {
  // Reject upper-case UUIDs: every id in this API has exactly one spelling.
  if (isUuid(id) && id === id.toLowerCase()) return id;
  throw webhookError(delivery === undefined ? 'webhook_missing' : 'delivery_missing');
}

export function webhookEndpoints({ destinations, functionsUrl }: Dependencies) {
  const renderer = async (): Promise<EventRenderer> => {
    const { paymentEvent } = await import('../../shared/payments/events.ts');
    return paymentEvent(functionsUrl);
  };
  return {
    createWebhook: idempotentEndpoint(functionsUrl, {
      path: '/webhooks',
      successStatus: 201,
      body: 'required',
      async load() {
        const { createWebhook, newWebhook, parseOrThrow } = await writes();
        return (attempt, { json }, context) =>
          createWebhook(context, attempt, parseOrThrow(newWebhook, json), destinations);
      },
    }),
    listWebhooks: endpoint({
      ...read,
      path: '/webhooks',
      async handle({ context, query }) {
        const { listWebhooks, serializeWebhook, webhookIds } = await reads();
        const page = await listWebhooks(context(200), parseKeysetQuery(query, webhookIds, {}));
        return { status: 200, body: { data: page.rows.map(serializeWebhook), has_more: page.hasMore } };
      },
    }),
    getWebhook: endpoint({
      ...read,
      path: '/webhooks/:id',
      async handle({ context, params }) {
        const { getWebhook, serializeWebhook } = await reads();
        return { status: 200, body: serializeWebhook(await getWebhook(context(200), idIn(params))) };
      },
    }),
    listWebhookKeys: endpoint({
      ...read,
      path: '/webhooks/:id/keys',
      async handle({ context, params }) {
        const [{ getWebhook }, { keySetOf }] = await Promise.all([
          reads(),
          import('../../shared/webhooks/delivery/signed-request.ts'),
        ]);
        const { public_key: publicKey } = await getWebhook(context(200), idIn(params));
        return { status: 200, body: keySetOf(publicKey) };
      },
    }),
    updateWebhook: endpoint({
      method: 'patch',
      path: '/webhooks/:id',
      scopes: writeScopes,
      body: 'required',
      async handle({ context, params, json }) {
        const [{ parseOrThrow, updateWebhook, webhookChange }, { serializeWebhook }] = await Promise.all([
          writes(),
          reads(),
        ]);
        const change = parseOrThrow(webhookChange, json);
        const webhook = await updateWebhook(context(200), idIn(params), change, destinations);
        return { status: 200, body: serializeWebhook(webhook) };
      },
    }),
    deleteWebhook: endpoint({
      method: 'delete',
      path: '/webhooks/:id',
      scopes: writeScopes,
      body: 'none',
      async handle({ context, params }) {
        const { deleteWebhook } = await writes();
        await deleteWebhook(context(204), idIn(params));
        return { status: 204 };
      },
    }),
    pauseWebhook: idempotentEndpoint(functionsUrl, {
      path: '/webhooks/:id/pause',
      async load() {
        const { setPaused } = await writes();
        return (attempt, { params }) => setPaused(attempt, idIn(params), true);
      },
    }),
    resumeWebhook: idempotentEndpoint(functionsUrl, {
      path: '/webhooks/:id/resume',
      async load() {
        const { setPaused } = await writes();
        return (attempt, { params }) => setPaused(attempt, idIn(params), false);
      },
    }),
    rotateWebhookSecret: idempotentEndpoint(functionsUrl, {
      path: '/webhooks/:id/rotate-secret',
      async load() {
        const { rotateWebhookSecret } = await writes();
        return (attempt, { params }, context) => rotateWebhookSecret(context, attempt, idIn(params));
      },
    }),
    testWebhook: idempotentEndpoint(functionsUrl, {
      path: '/webhooks/:id/test',
      successStatus: 202,
      async load() {
        const { testWebhook } = await writes();
        return (attempt, { params }) => testWebhook(attempt, idIn(params));
      },
    }),
    replayWebhook: idempotentEndpoint(functionsUrl, {
      path: '/webhooks/:id/replay',
      successStatus: 202,
      body: 'required',
      async load() {
        const [{ parseOrThrow, startReplay }, { replayRequest }] = await Promise.all([
          writes(),
          import('../../shared/webhooks/management/schema.ts'),
        ]);
        return (attempt, { json, params }) =>
          startReplay(attempt, idIn(params), parseOrThrow(replayRequest, json));
      },
    }),
    getReplay: endpoint({
      ...read,
      path: '/webhooks/:id/replays/:replay_id',
      async handle({ context, params }) {
        const { getReplay } = await reads();
        return { status: 200, body: await getReplay(context(200), idIn(params), params.replay_id) };
      },
    }),
    listDeliveries: endpoint({
      ...read,
      path: '/webhooks/:id/deliveries',
      async handle({ context, params, query }) {
        const [{ deliveryFilters, listDeliveries, serializeDelivery }, render] = await Promise.all([
          reads(),
          renderer(),
        ]);
        const keysetQuery = parseKeysetQuery(query, 'whd', deliveryFilters);
        const page = await listDeliveries(context(200), idIn(params), keysetQuery);
        const data = page.rows.map((row) => serializeDelivery(row, render));
        return { status: 200, body: { data, has_more: page.hasMore } };
      },
    }),
    getDelivery: endpoint({
      ...read,
      path: '/webhooks/:id/deliveries/:delivery_id',
      async handle({ context, params }) {
        const [{ getDelivery, serializeDelivery }, render] = await Promise.all([reads(), renderer()]);
        const row = await getDelivery(context(200), idIn(params), params.delivery_id);
        return { status: 200, body: serializeDelivery(row, render) };
      },
    }),
    replayDelivery: idempotentEndpoint(functionsUrl, {
      path: '/webhooks/:id/deliveries/:delivery_id/replay',
      successStatus: 202,
      async load() {
        const { replayDelivery } = await writes();
        return (attempt, { params }) => replayDelivery(attempt, idIn(params), params.delivery_id);
      },
    }),
  } satisfies Endpoints;
}
