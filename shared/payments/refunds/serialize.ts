// Serializes a refund for responses and webhooks.
import type { RowAs } from '../../platform/db/row.ts';
import { toMilliseconds } from '../../platform/instants.ts';
import type { PendingReason } from '../providers/reports.ts';
import type { RefundResponse } from './schema.ts';
import type { RefundState, RefundStatus } from './states.ts';

/** A row of `refunds`. */
export type RefundRow = RowAs<
  'refunds',
  never,
  { status: RefundState; origin: 'api' | 'provider'; pending_reason: PendingReason | null }
>;

/** A refund with the control fields of its invoice, as `app.refund_snapshot` returns it. */
export type RefundSnapshot = RefundRow & {
  cost_center: string | null;
  our_number: string | null;
  contractor_reference: string | null;
};

export function serializeRefund(row: RefundSnapshot): RefundResponse {
  return {
    id: row.id,
    invoice_id: row.invoice_id,
    // Queries never return refunds in `creating`.
    status: row.status as RefundStatus,
    amount: row.amount,
    currency: row.currency,
    reason: row.reason,
    origin: row.origin,
    pending_reason: row.pending_reason,
    action_url: row.action_url,
    failure_reason: row.failure_reason,
    cost_center: row.cost_center,
    our_number: row.our_number ?? '',
    contractor_reference: row.contractor_reference,
    created: toMilliseconds(row.created),
    settled_at: row.settled_at && toMilliseconds(row.settled_at),
  };
}
