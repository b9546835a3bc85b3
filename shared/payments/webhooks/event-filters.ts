// How webhooks of payments name what they filter by: as the resources are shown.
import { type EventFilterRules, HIDDEN_FIELD } from '../../webhooks/management/event-filters.ts';
import { invoiceResponse } from '../invoices/schema.ts';
import { payoutResponse } from '../payouts/schema.ts';
import { taxDocumentResponse } from '../tax-documents/schema.ts';
import { valuesKnownFrom } from './event-types.ts';

/** Members that are stored under the name that they are shown by. */
const shown: Readonly<Record<string, readonly string[]>> = {
  invoice: Object.keys(invoiceResponse.shape),
  payout: Object.keys(payoutResponse.shape),
  tax_document: Object.keys(taxDocumentResponse.shape),
};

/** Paths that are stored under another name. */
const storedAs: Readonly<Record<string, string>> = { 'payment_method.type': 'payment_method_type' };

/** Types of events that tell of a member whatever else changed, as the rules name them. */
const typesWith = (member: string): string[] =>
  Object.entries(valuesKnownFrom).flatMap(([type, members]) =>
    members.includes(member) ? [`type:${type}`] : [],
  );

const bySubject = <T>(make: (members: readonly string[]) => T) => ({
  a: Object.fromEntries(Object.entries(shown).map(([subject, members]) => [subject, make(members)])),
});

export const paymentsEventFilters: EventFilterRules = {
  filterRules: (filters) =>
    bySubject((members) =>
      filters.map((filter) => {
        const [first = ''] = filter.field.split('.');
        const field = storedAs[filter.field] ?? (members.includes(first) ? filter.field : HIDDEN_FIELD);
        return { ...filter, field };
      }),
    ),
  changedRules: (names) =>
    bySubject((members) =>
      names.filter((name) => members.includes(name)).flatMap((name) => [name, ...typesWith(name)]),
    ),
};
