// Requests a payout that waits for approval, whatever the approval rules say (`app.payout_approval`). It calls no provider and reads
// no provider key; a job sends the payout after its approval.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import {
  type Attempt,
  type Completed,
  type IdempotentRequest,
  withIdempotencyKey,
} from '../idempotency/with-idempotency-key.ts';
import { amountErrors, problemOf, type RoutingProblem } from '../providers/routing.ts';
import { invalidFields, unknownCostCenter } from '../requests/errors.ts';
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
    const outcome = await withIdempotencyKey(
      context,
      request,
      async (attempt) => await storeRequest(context, attempt, parsePayout(json)),
    );
    if (!('snapshot' in outcome)) return outcome;
    // The kind that `storeRequest` stores.
    return { payout: serializePayout(outcome.snapshot.row as PayoutRow) };
  } catch (error) {
    throw asTooManyWaiting(error);
  }
}

async function storeRequest(
  { tenantId }: Context,
  attempt: Attempt,
  request: PayoutRequest,
): Promise<Completed> {
  const {
    choices: [choice],
    payouts: [started],
  } = await attempt.begin((sql, claim) => ({
    choices: insertOrCheckPayout(sql, claim, request),
    payouts: selectRequestedPayout(sql, claim),
  }));
  if (!started) throw notCreated(request, choice);
  const { id, approval } = started.snapshot;
  if (approval !== 'waiting') throw new Error('A requested payout is not waiting for approval.');
  return await attempt.complete((sql) => openPayout(sql, tenantId, id, 'created', undefined), {
    kind: 'payout',
    snapshot: (sql) => selectPayout(sql, tenantId, id),
  });
}

/** Why a request created no payout. `choice` is the result of `insertOrCheckPayout`. */
export function notCreated({ input, errors }: PayoutRequest, choice: RoutingProblem | undefined): ApiError {
  const faults = errors(choice ? amountErrors(choice) : []);
  if (faults.length > 0) return invalidFields(faults);
  return (choice && problemOf(choice)) ?? unknownCostCenter(input?.cost_center);
}

/** The error for a payout that was not stored because too many wait; other errors as they are. */
export const asTooManyWaiting = (error: unknown): unknown =>
  isSqlError(error, 'tooManyRequestedPayouts') ? tooManyWait(error.detail) : error;

const tooManyWait = (allowed = '') =>
  new ApiError(
    'unprocessable',
    `${allowed} requested payouts wait for approval. Have a person approve or reject them first.`,
    { reason: 'requested_payouts_waiting' },
  );
