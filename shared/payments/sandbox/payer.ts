// Simulates payers in the sandbox: they pay invoices, dispute payments, and enter the bank account of a boleto's refund.
import { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { isDay } from '../../platform/instants.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { oneOf } from '../../platform/validation.ts';
import { orderResources } from '../accounts/order-resources.ts';
import { bankDayFrom } from '../formats/business-days.ts';
import { dayInSaoPaulo } from '../formats/sao-paulo.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { dueTermsOf } from '../invoices/due-terms.ts';
import { type InvoiceRow, selectInvoice } from '../invoices/queries.ts';
import { lookUpOrderById } from '../orders/look-up.ts';
import { amountDueOn, lastDayOf } from '../providers/due-terms.ts';
import type { Providers } from '../providers/provider.ts';
import type { SandboxControls } from '../providers/sandbox/controls.ts';
import { selectRefund } from '../refunds/queries.ts';
import { invalidFields, notFound } from '../requests/errors.ts';
import { cancelRequestSchema, objectOf, optional, parseOrThrow } from '../requests/fields.ts';
import { processNotification } from './notify.ts';

type Dependencies = Pick<JobDependencies, 'database' | 'queue'> & { providers: Providers };

/** Completes a request that has changed an invoice. */
const complete = (attempt: Attempt, tenantId: string, id: string): Promise<Completed> =>
  attempt.complete(() => [], { kind: 'invoice', snapshot: (sql) => selectInvoice(sql, tenantId, id) });

const DAY_RULE = 'must be a date, YYYY-MM-DD';

/** The body of the request. */
export const sandboxPaymentSchema = cancelRequestSchema
  .extend({
    paid_on: optional(z.string({ error: DAY_RULE }).refine(isDay, { error: DAY_RULE }))
      .meta({ type: ['string', 'null'], format: 'date' })
      .describe('Only for invoices with a due date: the day on which the payer pays. Default: today.'),
  })
  .meta({ id: 'SandboxPaymentRequest' });

/** Throws `validation`. The members of a cancellation are validated too, but not stored. */
export function parseSandboxPayment(body: unknown): { paidOn: string | undefined } {
  return { paidOn: parseOrThrow(sandboxPaymentSchema, body).paid_on };
}

/** The amounts that the payer of an invoice pays. Throws `validation` for a day on which it cannot be paid. */
function paymentOf({ amount, payment_method: method }: InvoiceRow, paidOn: string | undefined) {
  const terms = dueTermsOf(method);
  const today = dayInSaoPaulo(new Date());
  const on = paidOn ?? today;
  const fault = (message: string) => invalidFields([{ field: 'paid_on', message }]);
  if (!terms) {
    if (paidOn !== undefined) throw fault('is only for invoices with a due date');
    return undefined;
  }
  const last = lastDayOf(terms);
  const isLastBankDay = on === bankDayFrom(last);
  if (paidOn !== undefined && (on < today || (on > last && !isLastBankDay)))
    throw fault(`must be from ${today} to ${last}, or the next business day after a weekend or a holiday`);
  return { amountMinor: amountDueOn(amount, terms, on), on };
}

/** Throws `not_found`, `validation` and `invoice_not_payable`. */
export async function payInSandbox(
  { tenantId, log }: Context,
  attempt: Attempt,
  { id, paidOn }: { id: string; paidOn: string | undefined },
  sandbox: SandboxControls,
  { database, queue, providers }: Dependencies,
): Promise<Completed> {
  const [found] = await attempt.begin((sql) => selectInvoice(sql, tenantId, id));
  if (!found) throw notFound('invoice');
  const { status } = found.snapshot;
  const isPaidBefore = attempt.isRetry && status === 'paid';
  if (!isPaidBefore) {
    if (status !== 'open') throw notPayable(status);
    const { paidNow, notification } = await sandbox.pay(id, paymentOf(found.snapshot, paidOn));
    // A retry may find the charge paid by its own earlier attempt. For other requests, the invoice was already settled.
    if (!notification || !(paidNow || attempt.isRetry)) throw notPayable('settled');
    await processNotification(notification, providers, { database, queue, log });
  }
  return await complete(attempt, tenantId, id);
}

function notPayable(status: string): ApiError {
  return new ApiError('invoice_not_payable', `The invoice is ${status}. Only an open invoice can be paid.`);
}

export const disputeSchema = objectOf({
  outcome: optional(oneOf(['won', 'lost'])).describe('Ends the dispute. If absent, the dispute stays open.'),
}).meta({ id: 'DisputeRequest' });

type Outcome = z.output<typeof disputeSchema>['outcome'];

/** Throws `validation`. */
export function parseDispute(body: unknown): Outcome {
  return parseOrThrow(disputeSchema, body).outcome;
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
  return await complete(attempt, tenantId, id);
}

/** Throws `not_found` and `conflict`. */
export async function settleRefundInSandbox(
  { tenantId, log }: Context,
  attempt: Attempt,
  { id }: { id: string },
  sandbox: SandboxControls,
  { database, queue, providers }: Dependencies,
): Promise<Completed> {
  const [found] = await attempt.begin((sql) => selectRefund(sql, tenantId, id));
  const { status, invoice_id: reference, provider } = found?.snapshot ?? {};
  if (reference === undefined || provider !== 'sandbox') throw notFound('refund');
  if (status !== 'pending' && !attempt.isRetry)
    throw new ApiError('conflict', `The refund is ${status}. Only a pending refund can be settled.`);
  await sandbox.settleRefund(id);
  await lookUpOrderById(orderResources.charge, null, { reference }, providers, { database, queue, log });
  return await attempt.complete(() => [], {
    kind: 'refund',
    snapshot: (sql) => selectRefund(sql, tenantId, id),
  });
}
