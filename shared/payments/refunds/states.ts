// The states of a refund. `creating` is internal: the provider has not accepted the refund yet, but its amount is reserved.

export type RefundState = 'creating' | RefundStatus;

/** The states visible to callers. */
export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Only endpoints that subscribe to them explicitly receive them. */
export const refundEvents = [
  'invoice.refund.created',
  'invoice.refund.succeeded',
  'invoice.refund.failed',
] as const;
