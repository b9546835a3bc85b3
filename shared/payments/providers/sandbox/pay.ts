// Simulates a payer who pays an open invoice in the sandbox.
import type { Context } from '../../../platform/access/context.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { JobDependencies } from '../../../platform/jobs/job.ts';
import { idempotentSteps } from '../../idempotency/run-idempotent.ts';
import { selectInvoice } from '../../invoices/queries.ts';
import type { Providers } from '../../providers/provider.ts';
import { notFound } from '../../requests/errors.ts';
import type { SandboxControls } from './controls.ts';
import { processNotification } from './notify.ts';

export function payInSandbox(
  { tenantId }: Context,
  { id }: { id: string },
  sandbox: SandboxControls,
  { database, queue, providers }: Pick<JobDependencies, 'database' | 'queue'> & { providers: Providers },
) {
  return idempotentSteps({
    kind: 'invoice',
    begin: (sql) => selectInvoice(sql, tenantId, id),
    async ask([found], { again, log }) {
      if (!found) throw notFound('invoice');
      const { status } = found.snapshot;
      if (again && status === 'paid') return;
      if (status !== 'open') throw notPayable(status);
      const { paidNow, notification } = await sandbox.pay(id);
      // A retry may find the charge paid by its own earlier attempt. For other requests, the invoice was already settled.
      if (!notification || !(paidNow || again)) throw notPayable('settled');
      await processNotification(notification, providers, { database, queue, log });
    },
    complete: () => [],
    snapshot: (sql) => selectInvoice(sql, tenantId, id),
  });
}

function notPayable(status: string): ApiError {
  return new ApiError('invoice_not_payable', `The invoice is ${status}. Only an open invoice can be paid.`);
}
