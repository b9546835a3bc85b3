// Sandbox rules for testing integrations: the last two digits of an amount select the behavior. docs/sandbox.md lists them.

/** Last two digits of the amount by behavior. */
const sandboxRules = {
  refuse: 13,
  failLater: 17,
  silentOnce: 19,
  slowBefore: 21,
  slowAfter: 23,
  notifyTwice: 27,
  notifyLate: 29,
  /** Refunds only. */
  lowBalance: 31,
} as const;

export const hasRule = (amountMinor: number, name: keyof typeof sandboxRules): boolean =>
  amountMinor % 100 === sandboxRules[name];

/** A service code whose documents the simulated municipality rejects. */
export const FAILING_SERVICE_CODE = '99.99';

/** Fees: 1% of a charge, but at least one minor unit, and 50 minor units per payout. */
export const chargeFee = (amountMinor: number): number => Math.max(1, Math.round(amountMinor / 100));
export const PAYOUT_FEE = 50;

/** Allowed previous states of each state for manual changes. A canceled charge cannot be paid. */
export const allowedPreviousStates: Readonly<
  Record<'charge' | 'payout', Readonly<Record<string, readonly string[]>>>
> = {
  charge: { paid: ['open', 'failed'], failed: ['open'], canceled: ['open', 'failed'] },
  payout: {
    incoming_payment_waiting: ['created'],
    processing: ['created', 'incoming_payment_waiting'],
    paid: ['created', 'incoming_payment_waiting', 'processing'],
    failed: ['created', 'incoming_payment_waiting', 'processing', 'paid'],
    canceled: ['created', 'incoming_payment_waiting'],
  },
};

/** Allowed previous states of each state for scheduled changes. */
export const allowedPreviousScheduledStates: Readonly<Record<string, readonly string[]>> = {
  incoming_payment_waiting: ['created'],
  paid: ['created', 'incoming_payment_waiting', 'processing'],
  failed: ['open', 'created', 'incoming_payment_waiting', 'processing'],
};
