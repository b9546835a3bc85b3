// The payer of the sandbox pays: the provider is told, and its notification comes back as any other would.
import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../platform/errors.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { notFound } from '../domain-errors.ts';
import { idempotentSteps } from '../idempotency/steps.ts';
import { receiveNotification } from '../notifications/receive.ts';
import type { SandboxControls } from '../providers/sandbox/controls.ts';
import { SANDBOX } from '../providers/sandbox/rules.ts';
import { selectInvoice } from './queries.ts';

export function payInSandbox(
  { tenantId }: Context,
  { id }: { id: string },
  sandbox: SandboxControls,
  { database, queue }: Pick<JobDependencies, 'database' | 'queue'>,
) {
  return idempotentSteps({
    kind: 'invoice',
    begin: (sql) => selectInvoice(sql, tenantId, id),
    async ask([found], { again, log }) {
      if (!found) throw notFound('invoice');
      const { status } = found.snapshot;
      if (again && status === 'paid') return;
      if (status !== 'open') throw notPayable(status);
      const { paidNow, notifications } = await sandbox.pay(id);
      // Only a retry may find its own payment; anybody else came too late.
      if (!paidNow && !(again && notifications.length > 0)) throw notPayable('settled');
      await Promise.all(
        notifications.map((one) => receiveNotification(SANDBOX, one, { database, queue, log })),
      );
    },
    complete: () => [],
    snapshot: (sql) => selectInvoice(sql, tenantId, id),
  });
}

function notPayable(status: string): ApiError {
  return new ApiError('invoice_not_payable', `The invoice is ${status}; only an open one can be paid.`);
}
