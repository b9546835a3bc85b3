import { toMilliseconds } from '../../platform/instants.ts';
import type { RefundSnapshot } from './queries.ts';
import type { RefundResponse } from './schema.ts';
import type { RefundStatus } from './states.ts';

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
