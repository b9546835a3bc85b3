// The life of a delivery. A `pending` one is tried until it is `delivered`, or `failed` once no try is left; replaying it
// makes it pending again.

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * The life of a webhook. What happens while it is `paused` is kept for it, for 30 days, and so is
 * what happens while it is `suspended`, which ends by itself; what happens while it is `deactivated` is not. It is
 * deactivated by its client, by an admin, or because it fails.
 */
export const webhookStatuses = ['active', 'paused', 'suspended', 'deactivated'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** The life of a replay: it is done when each of its deliveries was tried once, or given up. */
export const replayStatuses = ['running', 'done'] as const;
