// All that reading a webhook takes: loaded when the first one is read, so that a function starts with its routes alone.
export { keySetOf } from '../../webhooks/signing-keys.ts';
export { getWebhook } from './get.ts';
export { getDelivery } from './get-delivery.ts';
export { listWebhooks, webhookList } from './list.ts';
export { deliveryList, listDeliveries } from './list-deliveries.ts';
export { getReplay } from './replay.ts';
export { serializeDelivery } from './serialize-delivery.ts';
