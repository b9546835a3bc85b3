/** State of an account of the fake of RD Station CRM. */
import type { CrmAccount, Desk, Row } from '../records.ts';

/** Members that a list can be filtered and sorted by, separated by spaces. */
export type Listed = { filters: string; sorts: string };

export const LISTS = {
  contacts: { filters: 'email created_at updated_at', sorts: 'name created_at' },
  deals: { filters: 'created_at updated_at', sorts: 'name rating created_at updated_at closed_at' },
  organizations: { filters: 'created_at', sorts: 'name created_at updated_at' },
  tasks: { filters: 'type status completed_at', sorts: 'due_date deal_id completed_at updated_at' },
  users: { filters: '', sorts: '' },
  pipelines: { filters: '', sorts: 'order' },
  stages: { filters: '', sorts: 'order' },
  lost_reasons: { filters: '', sorts: 'name created_at' },
  custom_fields: { filters: 'entity', sorts: 'slug order' },
};
export type Kind = keyof typeof LISTS;
// The keys of a constant have its type.
export const kinds = Object.keys(LISTS) as Kind[];
export type RdRow = Row & { id: string; custom_fields?: Row };

export interface Options {
  requestsPerMinute: number;
  /** Members of webhooks: `event_name` and `document`, or `event_type` and `data`. Orders of webhooks with the other name are refused. */
  webhookBody: 'document' | 'data';
  /** Whether lists are filtered and sorted only by `updated_at`, and others refused. */
  listsByChange: boolean;
  /** Whether the person agrees on the authorization page. */
  agrees: boolean;
}

export interface Account extends CrmAccount<Kind, RdRow, Options> {
  clientId: string;
  clientSecret: string;
  codes: { code: string; redirectUri: string; untilMs: number }[];
  /** Pairs of tokens. */
  grants: { access: string; accessUntilMs: number; refresh: string; refreshUntilMs: number }[];
}
export type App = Desk<Account>;

/** Status of a record that was just created. It can have no other. */
export const CREATED_AS: Partial<Record<Kind, string>> = { deals: 'ongoing', tasks: 'open' };
