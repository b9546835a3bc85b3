// What the sandbox tells of its orders: in answers, and in notifications of its own making.
import type { Notification } from '../../notifications/notification.ts';
import type { ProviderState } from '../provider.ts';
import type { OrderRow } from './queries.ts';
import { hasRule } from './rules.ts';

/** How much older a notification that comes too late is: older than any order that is still under way. */
const LATE_MS = 24 * 3600 * 1000;

export function stateOf(row: OrderRow): ProviderState {
  const paid = row.status === 'paid';
  return {
    status: row.status,
    at: row.changed_at,
    feeMinor: paid ? Number(row.fee) : undefined,
    // The day of the tenant's calendar on which it was paid, which the ledger takes when nothing else is said.
    availableOn: undefined,
    reason: row.status === 'failed' ? 'Refused by the sandbox.' : undefined,
  };
}

/** The notifications of a change: one, or by rule the same one twice, or an older one that comes too late. */
export function notificationsOf(
  resource: Notification['resource'],
  reference: string,
  row: OrderRow,
): Notification[] {
  const state = stateOf(row);
  const report: Notification = { eventId: `${row.provider_id}:${row.status}`, resource, reference, state };
  const amountMinor = Number(row.amount);
  if (hasRule(amountMinor, 'notifyTwice')) return [report, report];
  if (!hasRule(amountMinor, 'notifyLate')) return [report];
  const older = {
    ...state,
    status: resource === 'invoice' ? 'failed' : 'processing',
    at: new Date(row.changed_at.getTime() - LATE_MS),
    feeMinor: undefined,
  };
  return [report, { ...report, eventId: `${report.eventId}:late`, state: older }];
}
