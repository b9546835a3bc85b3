// Translates the filters of payments webhooks from response names to stored names.
import { type EventFilterRules, HIDDEN_FIELD } from '../../webhooks/management/event-filters.ts';
import { invoiceResponse } from '../invoices/schema.ts';
import { payoutResponse } from '../payouts/schema.ts';
import { taxDocumentResponse } from '../tax-documents/schema.ts';
import { derivedMembersByEvent } from './event-types.ts';

/** Members of each resource in responses. They are stored under the same name unless `storedAs` contains another one. */
const responseMembers: Readonly<Record<string, readonly string[]>> = {
  invoice: Object.keys(invoiceResponse.shape),
  payout: Object.keys(payoutResponse.shape),
  tax_document: Object.keys(taxDocumentResponse.shape),
};

/** Member paths that have another name in the database. */
const storedAs: Readonly<Record<string, string>> = { 'payment_method.type': 'payment_method_type' };

/** Event types in which a member always counts as changed, as filter rules. */
const typesThatChange = (member: string): string[] =>
  Object.entries(derivedMembersByEvent).flatMap(([type, members]) =>
    members.includes(member) ? [`type:${type}`] : [],
  );

const bySubject = <T>(make: (members: readonly string[]) => T) => ({
  a: Object.fromEntries(
    Object.entries(responseMembers).map(([subject, members]) => [subject, make(members)]),
  ),
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
      names.filter((name) => members.includes(name)).flatMap((name) => [name, ...typesThatChange(name)]),
    ),
};
