// The state machine of an invoice. `creating` is internal: the provider has not accepted the invoice yet.

/** Allowed transitions. A payment that arrives after an invoice failed or was canceled makes it paid. */
export const invoiceTransitions = {
  creating: ['open'],
  open: ['paid', 'canceled', 'failed'],
  paid: [],
  canceled: ['paid'],
  failed: ['paid'],
} as const satisfies Record<string, readonly string[]>;

export type InvoiceState = keyof typeof invoiceTransitions;

/** The states visible to callers. */
export const invoiceStatuses = ['open', 'paid', 'canceled', 'failed'] as const satisfies InvoiceState[];
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Events emitted on transitions. Opening an invoice emits none, because the response to the request reports it. */
export const invoiceEvents = ['invoice.paid', 'invoice.canceled', 'invoice.failed'] as const;

/** Events of a paid invoice that do not change its state. Only endpoints that subscribe to them explicitly receive them. */
export const invoiceMoneyEvents = ['invoice.refunded', 'invoice.disputed', 'invoice.dispute_closed'] as const;
