// Simulates a payer who disputes a paid invoice in the sandbox, and the bank that decides.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { ApiError, issueDetails } from '../../platform/errors.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { selectInvoice } from '../invoices/queries.ts';
import { invalidFields, notFound } from '../requests/errors.ts';
import { objectOf, oneOf, optional } from '../requests/fields.ts';

export const disputeSchema = objectOf({
  outcome: optional(oneOf(['won', 'lost'])).describe('Ends the dispute. If absent, the dispute stays open.'),
}).meta({ id: 'DisputeRequest' });

type Outcome = z.output<typeof disputeSchema>['outcome'];

/** Throws `validation`. */
export function parseDispute(body: unknown): Outcome {
  const result = disputeSchema.safeParse(body ?? {});
  if (!result.success) throw invalidFields(issueDetails(result.error, 'body'));
  return result.data.outcome;
}

type Played = 'open' | 'won' | 'lost' | 'not_paid' | 'ended' | 'refunded';

const simulateDispute = (sql: Sql, id: string, outcome: Outcome): Statement<{ played: Played }> =>
  sql`select app.simulate_dispute(${id}, ${outcome ?? null}) as played`;

/** Throws `not_found`, `invoice_not_payable` and `conflict`. */
export async function disputeInSandbox(
  { tenantId, checkpoint }: Context,
  attempt: Attempt,
  { id, outcome }: { id: string; outcome: Outcome },
): Promise<Completed> {
  const [found] = await attempt.begin((sql) => selectInvoice(sql, tenantId, id));
  if (!found) throw notFound('invoice');
  const [result] = await checkpoint((sql) => simulateDispute(sql, id, outcome));
  // An earlier attempt of this request may have ended the dispute.
  if (result?.played === 'ended' && !(attempt.isRetry && found.snapshot.dispute?.status === outcome))
    throw new ApiError('conflict', 'The dispute of this invoice has already ended.');
  if (result?.played === 'refunded')
    throw new ApiError('conflict', 'The invoice was refunded in full, so nothing is left to dispute.');
  if (result?.played === 'not_paid')
    throw new ApiError(
      'invoice_not_payable',
      `The invoice is ${found.snapshot.status}. Only a paid invoice can be disputed.`,
    );
  return await attempt.complete(() => [], {
    kind: 'invoice',
    snapshot: (sql) => selectInvoice(sql, tenantId, id),
  });
}
