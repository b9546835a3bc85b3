// Paying out, and canceling what has not left yet. A payout whose outcome is unknown is looked up and never sent twice.
import type { Context } from '../../platform/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { unknownCostCenter } from '../cost-center.ts';
import {
  type IdempotentOutcome,
  type IdempotentRequest,
  keepSuccess,
  runIdempotent,
} from '../idempotency.ts';
import { notFound } from '../not-found.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import { parseReason } from '../reason.ts';
import { firstStatus, payoutOrderOf } from './provider-order.ts';
import {
  beginPayout,
  cancelPayoutRow,
  openPayout,
  type PayoutRow,
  payoutSnapshot,
  selectPayoutByKey,
} from './queries.ts';
import { parsePayout } from './schema.ts';

export async function createPayout(
  context: Context,
  request: IdempotentRequest,
  body: unknown,
  providers: Providers,
): Promise<IdempotentOutcome> {
  const { tenantId, log } = context;
  return await runIdempotent(context, request, {
    validate() {
      const input = parsePayout(body);
      return { input, provider: providers.choose('payout', input.region, input.currency) };
    },
    begin: (sql, { input, provider }, attemptId) => [
      beginPayout(sql, tenantId, request.key, attemptId, input, provider.name),
      selectPayoutByKey(sql, tenantId, request.key),
    ],
    async complete(attempt, { input }) {
      const row = attempt.rows[1]?.[0]?.snapshot as PayoutRow | undefined;
      if (!row) throw unknownCostCenter(input.cost_center);
      const provider = providers.named(row.provider);
      const order = payoutOrderOf(row);
      attempt.checkLease();
      const accepted = await askProvider(log, async (signal) => {
        const sent = attempt.again ? await provider.findPayout(row.id) : undefined;
        signal.throwIfAborted();
        return sent ?? provider.createPayout(order);
      });
      return await attempt.finish('payout', (sql) => [
        openPayout(sql, tenantId, row.id, firstStatus(order), accepted),
        keepSuccess(sql, request, 'payout', payoutSnapshot(sql, tenantId, row.id)),
      ]);
    },
  });
}

export async function cancelPayout(
  context: Context,
  request: IdempotentRequest,
  id: string,
  body: unknown,
  providers: Providers,
): Promise<IdempotentOutcome> {
  const { tenantId, log } = context;
  return await runIdempotent(context, request, {
    validate: () => parseReason(body),
    begin: (sql) => [payoutSnapshot(sql, tenantId, id)],
    async complete(attempt) {
      const row = attempt.rows[0]?.[0]?.snapshot as PayoutRow | undefined;
      if (!row) throw notFound('payout');
      const keep = (sql: Sql) => keepSuccess(sql, request, 'payout', payoutSnapshot(sql, tenantId, id));
      // An earlier attempt canceled it, and the provider told us before that attempt could.
      if (attempt.again && row.status === 'canceled')
        return await attempt.finish('payout', (sql) => [keep(sql)]);
      if (row.status !== 'created' && row.status !== 'incoming_payment_waiting') throw notCancelable(row);
      attempt.checkLease();
      const canceled = await askProvider(log, () => providers.named(row.provider).cancelPayout(id));
      if (!canceled) throw notCancelable(row);
      try {
        return await attempt.finish('payout', (sql) => [
          sql`select app.expect_status('payouts', ${id}, array['created', 'incoming_payment_waiting'])`,
          cancelPayoutRow(sql, tenantId, id),
          keep(sql),
        ]);
      } catch (error) {
        throw isSqlError(error, 'statusChanged') ? notCancelable(row) : error;
      }
    },
  });
}

function notCancelable({ beneficiary, status }: PayoutRow): ApiError {
  const pix = beneficiary.bank_account.type === 'pix';
  const message = pix
    ? 'A PIX cashout is final once accepted.'
    : `The payout is ${status} and has left already.`;
  return new ApiError('payout_not_cancelable', message);
}
