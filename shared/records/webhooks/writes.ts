// All that writing a webhook takes: loaded when the first one is written, so that a function starts without the rules of
// every field.

export { replayRequest } from '../../webhooks/management/schema.ts';
export { createWebhook } from './create.ts';
export { deleteWebhook } from './delete.ts';
export { setPaused } from './hold.ts';
export { replayWebhook } from './replay.ts';
export { replayDelivery } from './replay-delivery.ts';
export { newWebhook, webhookChange } from './schema.ts';
export { testWebhook } from './send-test.ts';
export { updateWebhook } from './update.ts';
