// What payments does later, each a due row.
import { z } from 'zod';
import { defineJob, JobFailure, type JobHandler } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';
import type { FileStore } from '../platform/storage/file-store.ts';
import { orderOf } from './invoices/provider-order.ts';
import { expireInvoice, type InvoiceRow } from './invoices/queries.ts';
import { applyKept, receiveNotification } from './notifications.ts';
import type { Providers } from './providers/routing.ts';
import type { SandboxControls } from './providers/sandbox.ts';
import { SANDBOX } from './providers/sandbox.ts';
import { recoverOrder } from './recover-orders.ts';
import { issueDocument } from './tax-documents/issue.ts';

export interface PaymentJobsOptions {
  providers: Providers;
  /** Absent where there is no sandbox. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
}

const LEASE_SECONDS = 30;

export function createPaymentJobs({ providers, sandbox, files }: PaymentJobsOptions): JobHandler[] {
  const expire = defineJob({
    name: 'expire-invoice',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ invoice_id: id }, { tenantId }, dependencies) {
      const tenant = ownerOf(tenantId);
      const session = { role: 'worker', tenantId: tenant } as const;
      const [rows] = await dependencies.database.transaction(session, (sql) => [
        sql`select to_jsonb(i) as row from public.invoices i where tenant_id = ${tenant} and id = ${id} and status = 'open'`,
      ]);
      const row = rows?.[0]?.row as InvoiceRow | undefined;
      if (!row) return 'done';
      const expiresAt = new Date(row.expires_at);
      if (expiresAt.getTime() > Date.now()) return { againAt: expiresAt };
      const provider = providers.named(row.provider);
      // Paid at the last moment: its notification is under way, or got lost.
      if (!(await provider.cancelCharge(id))) {
        const charge = await provider.findCharge(orderOf(row));
        if (charge) {
          const eventId = `${charge.providerReference}:${charge.state.status}`;
          await receiveNotification(
            provider.name,
            { eventId, resource: 'invoice', reference: id, state: charge.state },
            dependencies,
          );
        }
        return 'done';
      }
      await transactionWithJobs(dependencies, session, (sql) => [expireInvoice(sql, tenant, id)]);
      return 'done';
    },
  });

  const settle = defineJob({
    name: 'settle-in-sandbox',
    payload: z.object({ kind: z.string(), reference: z.string(), to: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ kind, reference, to }, _job, dependencies) {
      if (!sandbox) throw new JobFailure('There is no sandbox here.');
      for (const notification of await sandbox.settle(kind, reference, to)) {
        await receiveNotification(SANDBOX, notification, dependencies);
      }
      return 'done';
    },
  });

  const apply = defineJob({
    name: 'apply-notification',
    payload: z.object({ provider: z.string(), event_id: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ provider, event_id: eventId }, { attempts }, dependencies) {
      const outcome = await applyKept(provider, eventId, dependencies);
      if (outcome !== 'too_early') return 'done';
      if (attempts >= 10) throw new JobFailure('The resource of this notification never came to be.');
      return { againAt: new Date(Date.now() + 5000 * attempts) };
    },
  });

  const recover = defineJob({
    name: 'recover-order',
    payload: z.object({ table: z.enum(['invoices', 'payouts']), id: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ table, id }, { tenantId }, dependencies) {
      await recoverOrder({ table, id, tenantId: ownerOf(tenantId) }, providers, dependencies);
      return 'done';
    },
  });

  const issue = defineJob({
    name: 'issue-tax-document',
    payload: z.object({ tax_document_id: z.string() }),
    leaseSeconds: 60,
    async run({ tax_document_id: id }, { tenantId }, dependencies) {
      await issueDocument({ tenantId: ownerOf(tenantId), id }, dependencies, providers, files);
      return 'done';
    },
  });

  return [expire, settle, apply, recover, issue];
}

function ownerOf(tenantId: string | null): string {
  if (!tenantId) throw new JobFailure('This job needs a tenant.');
  return tenantId;
}
