// The state machine of a tax document. A pending document waits for its invoice to be paid or for the municipality.

export const taxDocumentStatuses = ['pending', 'issued', 'failed', 'canceled'] as const;
export type TaxDocumentStatus = (typeof taxDocumentStatuses)[number];

/** Allowed transitions. */
export const taxDocumentTransitions = {
  pending: ['issued', 'failed', 'canceled'],
  issued: ['canceled'],
  failed: [],
  canceled: [],
} as const satisfies Record<TaxDocumentStatus, readonly TaxDocumentStatus[]>;

/** Events emitted on transitions. The creation emits none, because the response to the request reports it. */
export const taxDocumentEvents = [
  'tax_document.issued',
  'tax_document.failed',
  'tax_document.canceled',
] as const;
