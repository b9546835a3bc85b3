/** Webhooks: verified deliveries, and endpoints for fetch servers, Next.js, Hono, Express and `node:http`. */
export { OptionsError, PlacarError } from './errors.ts';
export type { EventOf, EventType, WebhookEvent } from './events.ts';
export {
  type ExpressRequest,
  type ExpressResponse,
  expressWebhook,
} from './webhooks/express.ts';
export { honoWebhook, nextWebhook, webhookHandler } from './webhooks/fetch.ts';
export type { SeenEvents, WebhookOptions } from './webhooks/receiver.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhooks/verify.ts';
