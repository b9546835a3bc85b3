// Jobs about one order: they send it, issue it, look it up or let it expire.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { type ClaimedJob, defineJob, JobFailure, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logging/logger.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { chargeOrderOf } from '../invoices/provider-order.ts';
import { failExpiredInvoice, selectInvoiceIn } from '../invoices/queries.ts';
import { lookAgainAt } from '../orders/look-again.ts';
import { orderTables } from '../orders/queries.ts';
import { orderApproved } from '../payouts/order-approved.ts';
import { selectPayoutIn } from '../payouts/queries.ts';
import { statusesUnderWay } from '../payouts/states.ts';
import type { Providers } from '../provider-registry/providers.ts';
import { ProviderRefusal } from '../providers/provider.ts';
import { issueTaxDocument } from '../tax-documents/issue.ts';
import { askProviderInJob, isForgotten, lookAtInvoice, lookAtPayout, onceProviderIsBack } from './look-up.ts';
import { recoverOrder } from './recover.ts';

/** Sends a payout that a person has approved to its provider. */
export const createOrderPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'order-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 60,
    run: ({ payout_id: id }, job, dependencies) =>
      orderApproved({ id, tenantId: tenantOf(job) }, providers, dependencies),
  });

/** Looks up an order whose outcome is unknown. */
export const createRecoverOrder = (providers: Providers): JobHandler =>
  defineJob({
    name: 'recover-order',
    payload: z.object({ table: z.enum(orderTables), id: z.string() }),
    leaseSeconds: 60,
    run: ({ table, id }, job, dependencies) =>
      recoverOrder[table](
        { id, tenantId: tenantOf(job), waitsForRequest: job.attempts === 1 },
        providers,
        dependencies,
      ).catch((error) => onceProviderIsBack(error, job, dependencies.log)),
  });

/** Issues a pending tax document, and follows it until the city has decided. */
export const createIssueTaxDocument = (providers: Providers, files: FileStore): JobHandler =>
  defineJob({
    name: 'issue-tax-document',
    payload: z.object({ tax_document_id: z.string() }),
    leaseSeconds: 60,
    run: ({ tax_document_id: id }, job, dependencies) =>
      issueTaxDocument({ tenantId: tenantOf(job), id }, dependencies, providers, files).catch((error) =>
        onceProviderIsBack(error, job, dependencies.log),
      ),
  });

/** Looks a payout in progress up at its provider, with increasing delays: its notification may be lost. */
export const createFollowPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'follow-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 30,
    async run({ payout_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const { payout, clock } = await dependencies.database.transaction(session, (sql) => ({
        payout: selectPayoutIn(sql, tenantId, id, statusesUnderWay),
        clock: selectNow(sql),
      }));
      const [found] = payout;
      if (!found) return 'done';
      const { now } = oneRow(clock);
      try {
        await lookAtPayout({ ...found, now }, providers, dependencies);
      } catch (error) {
        // As long as it is under way it is looked for, however often that fails.
        dependencies.log.warn('payout not looked up', errorFields(error));
      }
      return { againAt: lookAgainAt(found.row.created, now) };
    },
  });

/**
 * Looks an open invoice up at its provider, with increasing delays: the notification of a payment may be lost. After its due time the
 * invoice fails once its provider no longer accepts a payment for it.
 */
export const createExpireInvoice = (providers: Providers): JobHandler =>
  defineJob({
    name: 'expire-invoice',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const { invoices, clock } = await dependencies.database.transaction(session, (sql) => ({
        invoices: selectInvoiceIn(sql, tenantId, id, 'open'),
        clock: selectNow(sql),
      }));
      const [invoice] = invoices;
      if (!invoice) return 'done';
      const { now } = oneRow(clock);
      const found = { ...invoice, now };
      const { row } = found;
      const expiresAt = new Date(row.expires_at);
      if (expiresAt > now) {
        // One look more or less: what fails here must not use up the tries that the expiry has.
        await lookAtInvoice(found, providers, dependencies).catch((error) =>
          dependencies.log.warn('charge not looked up', errorFields(error)),
        );
        const next = lookAgainAt(row.created, now);
        return { againAt: next < expiresAt ? next : expiresAt };
      }
      const order = chargeOrderOf(row);
      try {
        const over =
          isForgotten(row, found) ||
          (await askProviderInJob(row, found, providers, dependencies, (provider, signal) =>
            provider.cancelCharge(order, signal),
          ).catch((error: unknown) => {
            // One that it cannot take back is over for us all the same; money that arrives makes it paid.
            if (error instanceof ProviderRefusal) return true;
            throw error;
          }));
        if (over) {
          await transactionWithJobs(dependencies, session, (sql) => failExpiredInvoice(sql, tenantId, id));
          return 'done';
        }
        // Paid at the last moment, or its money is on the way.
        const outcome = await lookAtInvoice(found, providers, dependencies);
        return outcome === 'applied' ? 'done' : { againAt: lookAgainAt(row.created, now) };
      } catch (error) {
        // Until it was taken back it stays payable.
        return onceProviderIsBack(error, job, dependencies.log);
      }
    },
  });

/** Whose job it is. Gives the job up when it is nobody's. */
export function tenantOf({ tenantId }: ClaimedJob): string {
  if (!tenantId) throw new JobFailure('This job needs a tenant.');
  return tenantId;
}
