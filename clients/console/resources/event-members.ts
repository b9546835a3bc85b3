// Members of events that conditions can name, by the record of the event.
import { leadTextNames } from '../../../shared/records/leads/texts.ts';
import { t } from '../kit/language.ts';
import { labelOf } from './labels.ts';
import type { Option } from './resource.ts';

/** By the first part of the event's type. */
export const recordMembers: Readonly<Record<string, readonly string[]>> = {
  deal: [
    ...['name', 'value', 'stage.name', 'status', 'company', 'contact_name', 'contact_email', 'owner_id'],
    ...['expected_close_date', 'priority', 'loss_reason', 'tags', 'lead_id'],
  ],
  lead: [...['name', 'email', ...leadTextNames, 'status', 'owner_id', 'team_id', 'tags']],
  user: ['name', 'email', 'role', 'team.name', 'status', 'ranking_tier', 'total_points'],
};

export const paymentMembers: Readonly<Record<string, readonly string[]>> = {
  invoice: [
    ...['amount', 'currency', 'status', 'region', 'customer.name', 'customer.email', 'payment_method.type'],
    ...['our_number', 'contractor_reference', 'cost_center'],
  ],
  payout: ['amount', 'currency', 'status', 'purpose', 'our_number', 'contractor_reference', 'cost_center'],
  refund: ['amount', 'currency', 'status', 'reason'],
  tax_document: ['status', 'type', 'service_code'],
};

const headings = {
  deal: 'Deal',
  lead: 'Lead',
  user: 'User',
  invoice: 'Invoice',
  payout: 'Payout',
  refund: 'Refund',
  tax_document: 'Tax document',
} as const;

/** Choices of a condition's member, below the record that has it. */
export const memberOptions = (members: Readonly<Record<string, readonly string[]>>) => (): Option[] =>
  Object.entries(members).flatMap(([kind, names]) =>
    names.map((value) => ({
      value,
      text: labelOf({ name: value }),
      group: t(headings[kind as keyof typeof headings]),
      kind,
    })),
  );
