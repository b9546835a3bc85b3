// Simulates a payer of a boleto who enters a bank account, which completes a refund in the sandbox.
import type { Context } from '../../platform/access/context.ts';
import { ApiError } from '../../platform/errors.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { orderResources } from '../accounts/order-resources.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { lookUpOrderById } from '../orders/look-up.ts';
import type { Providers } from '../providers/provider.ts';
import type { SandboxControls } from '../providers/sandbox/controls.ts';
import { selectRefund } from '../refunds/queries.ts';
import { notFound } from '../requests/errors.ts';

/** Throws `not_found` and `conflict`. */
export async function settleRefundInSandbox(
  { tenantId, log }: Context,
  attempt: Attempt,
  { id }: { id: string },
  sandbox: SandboxControls,
  { database, queue, providers }: Pick<JobDependencies, 'database' | 'queue'> & { providers: Providers },
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
