// The state machine of a tax document. A pending document waits for its invoice to be paid or for the municipality.

/** Allowed transitions. */
export const taxDocumentTransitions = {
  pending: ['issued', 'failed', 'canceled'],
  issued: ['canceled'],
  failed: [],
  canceled: [],
} as const satisfies Record<string, readonly string[]>;

export type TaxDocumentStatus = keyof typeof taxDocumentTransitions;

/** The states visible to callers. */
export const taxDocumentStatuses = [
  'pending',
  'issued',
  'failed',
  'canceled',
] as const satisfies TaxDocumentStatus[];

/** Events emitted on transitions. The creation emits none, because the response to the request reports it. */
export const taxDocumentEvents = [
  'tax_document.issued',
  'tax_document.failed',
  'tax_document.canceled',
] as const;
