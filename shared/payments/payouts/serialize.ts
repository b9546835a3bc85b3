import { toMilliseconds } from '../../platform/instants.ts';
import type { PayoutRow } from './queries.ts';
import type { PayoutResponse } from './schema.ts';
import type { PayoutStatus } from './states.ts';

export function serializePayout(row: PayoutRow): PayoutResponse {
  return {
    id: row.id,
    // Queries never return payouts in `creating`, which have no number yet.
    status: row.status as PayoutStatus,
    amount: row.amount,
    currency: row.currency,
    region: row.region,
    beneficiary: { ...row.beneficiary },
    purpose: row.purpose,
    provider: row.provider,
    cost_center: row.cost_center,
    our_number: row.our_number ?? '',
    contractor_reference: row.contractor_reference,
    metadata: row.metadata ?? {},
    failure_reason: row.failure_reason,
    created: toMilliseconds(row.created),
  };
}
