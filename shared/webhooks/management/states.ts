// The lifecycle of a delivery. A `pending` delivery is attempted until it is `delivered`, or `failed` after the last attempt. Replaying
// it makes it `pending` again.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * The lifecycle of a webhook. Events are kept for 30 days while it is `paused` or `suspended`, and not kept while it is `deactivated`.
 * A suspension ends automatically. A webhook is deactivated by its client, by an admin, or because its deliveries fail.
 */
export const webhookStatuses = ['active', 'paused', 'suspended', 'deactivated'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** The lifecycle of a replay: it is `done` when each of its deliveries was attempted once or has failed. */
export const replayStatuses = ['running', 'done'] as const;
