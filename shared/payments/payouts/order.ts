// A payout as an order to its provider.
import type { KindOfOrder } from '../orders/look-up.ts';
import type { PayoutReport } from '../providers/provider.ts';
import { findOrResend } from './find-or-resend.ts';
import { firstStatusOf, payoutOrderOf } from './provider-order.ts';
import { openPayout, selectPayout, selectPayoutAt, selectPayoutIn } from './queries.ts';
import type { PayoutRow } from './serialize.ts';

export const payoutOrders: KindOfOrder<PayoutRow, PayoutReport> = {
  table: 'payouts',
  resource: 'payout',
  selectAt: selectPayoutAt,
  selectUnfinished: (sql, tenantId, id) => selectPayoutIn(sql, tenantId, id, ['creating']),
  read: (provider, row, signal) => provider.findPayout(payoutOrderOf(row), signal),
  find: findOrResend,
  open: (sql, row, accepted) =>
    openPayout(sql, row.tenant_id, row.id, firstStatusOf(payoutOrderOf(row)), accepted),
  snapshot: selectPayout,
};
