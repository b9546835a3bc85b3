// Sandbox orders: accepts them by the rules of their amounts and changes their states.

import { waitUntil } from '../../../platform/background.ts';
import { type Database, WORKER_SESSION } from '../../../platform/db/database.ts';
import { runAndCollectJobs } from '../../../platform/jobs/new-jobs.ts';
import type { Queue } from '../../../platform/jobs/publish.ts';
import type { Logger } from '../../../platform/logger.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../errors.ts';
import type { OrderKind } from '../order-report.ts';
import {
  acceptOrder,
  type Change,
  changeOrder,
  findCheckout,
  findOrder,
  type NewOrder,
  numberTaxDocument,
  type OrderRow,
  recordPayment,
  type ScheduledChange,
  scheduleSettling,
} from './queries.ts';
import { hasRule } from './rules.ts';

const SLOW_MS = 3000;

export interface SandboxDependencies {
  database: Database;
  /** Publishes the jobs of later changes. */
  queue: Queue;
  log: Logger;
}

export type SandboxOrders = ReturnType<typeof createSandboxOrders>;

export function createSandboxOrders({ database, queue, log }: SandboxDependencies) {
  const find = async (kind: OrderKind, reference: string) => {
    const [found] = await database.transaction(WORKER_SESSION, (sql) => findOrder(sql, kind, reference));
    return found?.row ?? undefined;
  };
  return {
    find,
    /** Accepts an order by the rules of its amount and schedules its later changes. */
    async place(order: NewOrder, scheduledChanges: readonly ScheduledChange[]): Promise<OrderRow> {
      const { amountMinor } = order;
      if (hasRule(amountMinor, 'refuse'))
        throw new ProviderRejected('The sandbox rejects amounts ending in 13.');
      if (hasRule(amountMinor, 'slowBefore')) await pause();
      const { rows, jobs } = await runAndCollectJobs(
        (build) => database.transaction(WORKER_SESSION, build),
        (sql) => ({
          order: acceptOrder(sql, order),
          scheduledChanges: scheduledChanges.map((one) => scheduleSettling(sql, order, one)),
        }),
      );
      waitUntil(() => queue.publish(jobs, log));
      const [accepted] = rows.order;
      if (!accepted) throw new ProviderOutcomeUnknown('The sandbox lost an order.');
      if (accepted.is_new && hasRule(amountMinor, 'silentOnce'))
        throw new ProviderOutcomeUnknown('The sandbox accepted the order but did not respond.');
      if (accepted.is_new && hasRule(amountMinor, 'slowAfter')) await pause();
      return accepted.row;
    },
    /** Accepts a tax document of any amount. If it is issued, assigns the tenant's next number. */
    async issue(order: NewOrder, tenantId: string): Promise<OrderRow> {
      await database.transaction({ ...WORKER_SESSION, tenantId }, (sql) => [
        acceptOrder(sql, order),
        numberTaxDocument(sql, order.reference),
      ]);
      const issued = await find(order.kind, order.reference);
      if (!issued) throw new ProviderOutcomeUnknown('The sandbox lost a tax document.');
      return issued;
    },
    /** Returns the order if it changed, with the id of its fallback job. */
    async change(kind: OrderKind, reference: string, change: Change) {
      const { payment } = change;
      const {
        changed: [changed],
      } = await database.transaction(WORKER_SESSION, (sql) => ({
        payment: payment ? recordPayment(sql, reference, payment) : [],
        changed: changeOrder(sql, kind, reference, change),
      }));
      if (!changed) return undefined;
      const { row, lookup_job_id: lookupJobId } = changed;
      const look = {
        name: 'settle-in-sandbox',
        id: lookupJobId ?? '',
        waitSeconds: change.lookupAfterSeconds ?? 0,
      };
      if (lookupJobId) waitUntil(() => queue.publish([look], log));
      return { ...row, lookupJobId };
    },
    /** Whether a card charge with this sandbox id exists. */
    async hasCheckout(providerId: string): Promise<boolean> {
      const [row] = await database.transaction(WORKER_SESSION, (sql) => findCheckout(sql, providerId));
      return row?.found ?? false;
    },
  };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, SLOW_MS));
