// The state machine of a payout. `creating` is internal: the provider has not accepted the payout yet.

/** Allowed transitions. PIX skips the transfer states. A paid transfer that bounces becomes failed. */
export const payoutTransitions = {
  creating: ['created', 'processing'],
  created: ['incoming_payment_waiting', 'processing', 'paid', 'failed', 'canceled'],
  incoming_payment_waiting: ['processing', 'paid', 'failed', 'canceled'],
  processing: ['paid', 'failed'],
  paid: ['failed'],
  failed: [],
  canceled: [],
} as const satisfies Record<string, readonly string[]>;

export type PayoutState = keyof typeof payoutTransitions;

/** The states visible to callers. */
export const payoutStatuses = [
  'created',
  'incoming_payment_waiting',
  'processing',
  'paid',
  'failed',
  'canceled',
] as const satisfies PayoutState[];
export type PayoutStatus = (typeof payoutStatuses)[number];

/** Events emitted on transitions. Intermediate states emit none. */
export const payoutEvents = ['payout.paid', 'payout.failed', 'payout.canceled'] as const;

/** States in which the money has not been sent. */
export const cancelableStatuses = ['created', 'incoming_payment_waiting'] as const satisfies PayoutStatus[];

export const isCancelable = (status: PayoutState): boolean =>
  cancelableStatuses.some((cancelable) => cancelable === status);

/** States in which the outcome is not known yet. */
export const unfinishedStatuses = [...cancelableStatuses, 'processing'] as const satisfies PayoutStatus[];
