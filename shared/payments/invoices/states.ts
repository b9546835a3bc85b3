// The life of an invoice. `creating` is nobody's to see: its provider has not accepted it yet.

/** Which state follows which, whoever reports it. Money that arrives for one that expired or was canceled makes it paid. */
export const invoiceTransitions = {
  creating: ['open'],
  open: ['paid', 'canceled', 'failed'],
  paid: [],
  canceled: ['paid'],
  failed: ['paid'],
} as const satisfies Record<string, readonly string[]>;

export type InvoiceState = keyof typeof invoiceTransitions;

/** What callers see. */
export const invoiceStatuses = ['open', 'paid', 'canceled', 'failed'] as const satisfies InvoiceState[];
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** What becoming so emits; opening emits nothing, for it is the answer to a request. */
export const invoiceEvents = ['invoice.paid', 'invoice.canceled', 'invoice.failed'] as const;

/** What happens to a paid one without changing its state: only endpoints that name them hear of it. */
export const invoiceMoneyEvents = ['invoice.refunded', 'invoice.disputed'] as const;
