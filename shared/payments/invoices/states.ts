// The life of an invoice. `creating` is nobody's to see: its provider has not accepted it yet.

/** Which state follows which, whoever reports it. An expired invoice whose payment arrives late ends paid. */
export const invoiceTransitions = {
  creating: ['open'],
  open: ['paid', 'canceled', 'failed'],
  paid: [],
  canceled: [],
  failed: ['paid'],
} as const satisfies Record<string, readonly string[]>;

export type InvoiceState = keyof typeof invoiceTransitions;

/** What callers see. */
export const invoiceStatuses = ['open', 'paid', 'canceled', 'failed'] as const satisfies InvoiceState[];
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** What becoming so emits; opening emits nothing, for it is the answer to a request. */
export const invoiceEvents = ['invoice.paid', 'invoice.canceled', 'invoice.failed'] as const;
