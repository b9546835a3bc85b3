// The life of a tax document. A pending one waits for its invoice to be paid, or for the municipality.

/** Which state follows which. */
export const taxDocumentTransitions = {
  pending: ['issued', 'failed', 'canceled'],
  issued: ['canceled'],
  failed: [],
  canceled: [],
} as const satisfies Record<string, readonly string[]>;

export type TaxDocumentStatus = keyof typeof taxDocumentTransitions;

/** What callers see. */
export const taxDocumentStatuses = [
  'pending',
  'issued',
  'failed',
  'canceled',
] as const satisfies TaxDocumentStatus[];

/** What becoming so emits; beginning emits nothing, for it is the answer to a request. */
export const taxDocumentEvents = [
  'tax_document.issued',
  'tax_document.failed',
  'tax_document.canceled',
] as const;
