// Requests a payout that a person has to approve, whatever the approval rules say (`app.payout_approval`). It calls no provider and reads
// no provider key; a job sends the payout after its approval.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { type IdempotentRequest, idempotentSteps, runIdempotent } from '../idempotency/run-idempotent.ts';
import { notCreated } from './not-created.ts';
import {
  insertOrCheckPayout,
  openPayout,
  type PayoutRow,
  selectPayout,
  selectRequestedPayout,
} from './queries.ts';
import { type PayoutRequest, type PayoutResponse, parsePayout } from './schema.ts';
import { serializePayout } from './serialize.ts';

type PayoutRequestOutcome = { payout: PayoutResponse } | { status: number; body: unknown };

/**
 * Returns the payout, or the stored error of an earlier request with this key. Throws `validation`, `unknown_cost_center`,
 * `provider_not_configured`, and `unprocessable` if too many requested payouts wait.
 */
export async function requestPayout(
  context: Context,
  request: IdempotentRequest,
  json: unknown,
): Promise<PayoutRequestOutcome> {
  try {
    const outcome = await runIdempotent(context, request, () => requestSteps(context, parsePayout(json)));
    if (!('snapshot' in outcome)) return outcome;
    // The kind of its steps.
    return { payout: serializePayout(outcome.snapshot.row as PayoutRow) };
  } catch (error) {
    throw isSqlError(error, 'tooManyRequestedPayouts') ? tooManyWait(error.detail) : error;
  }
}

function requestSteps({ tenantId }: Context, request: PayoutRequest) {
  return idempotentSteps({
    kind: 'payout',
    begin: (sql, claim) => ({
      choices: insertOrCheckPayout(sql, claim, request),
      payouts: selectRequestedPayout(sql, claim),
    }),
    async ask({ choices: [choice], payouts: [started] }) {
      if (!started) throw notCreated(request, choice);
      if (started.snapshot.approval === 'waiting') return started.snapshot;
      throw new Error('A requested payout is not waiting for approval.');
    },
    complete: (sql, { id }) => openPayout(sql, tenantId, id, 'created', undefined),
    snapshot: (sql, { id }) => selectPayout(sql, tenantId, id),
  });
}

const tooManyWait = (allowed = '') =>
  new ApiError(
    'unprocessable',
    `${allowed} requested payouts wait for approval. Have a person approve or reject them first.`,
    { reason: 'requested_payouts_waiting' },
  );
