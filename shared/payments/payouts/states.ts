// The life of a payout. `creating` is nobody's to see: its provider has not accepted it yet.

/** Which state follows which, whoever reports it. PIX skips the states of a transfer; a paid transfer that bounces ends failed. */
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

/** What callers see. */
export const payoutStatuses = [
  'created',
  'incoming_payment_waiting',
  'processing',
  'paid',
  'failed',
  'canceled',
] as const satisfies PayoutState[];
export type PayoutStatus = (typeof payoutStatuses)[number];

/** What becoming so emits; the states on the way emit nothing. */
export const payoutEvents = ['payout.paid', 'payout.failed', 'payout.canceled'] as const;

/** As long as the money has not left. */
export const cancelableStatuses = ['created', 'incoming_payment_waiting'] as const satisfies PayoutStatus[];

export const isCancelable = (status: PayoutState): boolean =>
  cancelableStatuses.some((one) => one === status);

/** As long as its end is not known. */
export const unfinishedStatuses = [...cancelableStatuses, 'processing'] as const satisfies PayoutStatus[];
