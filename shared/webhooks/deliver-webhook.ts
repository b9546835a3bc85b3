// The job that delivers one event to one endpoint. What follows from an attempt is decided by the database, in one
// transaction with its record; a worker that dies before it leaves the delivery due, and it is sent again.
import { z } from 'zod';
import type { Env } from '../platform/env.ts';
import { defineJob, type JobHandler } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';
import type { Network } from './network.ts';
import { deliveryOf, failDelivery, recordAttempt, selectDelivery } from './queries.ts';
import { buildMessage, type Renderers } from './signed-request.ts';

const TIMEOUT_MS = 10_000;
const session = { role: 'worker', tenantId: null } as const;

export interface DeliverOptions {
  settings: Env<'webhooks' | 'destinations'>;
  network: Network;
  renderers: Renderers;
  /** For one attempt, in milliseconds; 10 s unless a test says otherwise. */
  timeoutMs?: number;
}

export function createDeliverWebhook(options: DeliverOptions): JobHandler {
  const { settings, network, renderers, timeoutMs = TIMEOUT_MS } = options;
  const sending = { network, timeoutMs, allowInsecure: settings.ALLOW_INSECURE_WEBHOOKS };
  const rules = {
    scheduleSeconds: settings.WEBHOOK_RETRY_SCHEDULE,
    deactivationMinSpanSeconds: settings.WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS,
  };
  return defineJob({
    name: 'deliver-webhook',
    payload: z.object({ delivery_id: z.string() }),
    leaseSeconds: 30,
    async run({ delivery_id: id }, _job, dependencies) {
      const { database } = dependencies;
      const [rows] = await database.transaction(session, (sql) => [selectDelivery(sql, id)]);
      const delivery = deliveryOf(rows);
      if (delivery?.status !== 'pending') return 'done';
      if (!delivery.active) {
        const reason = 'the webhook is deactivated';
        await database.transaction(session, (sql) => [failDelivery(sql, id, reason)]);
        return 'done';
      }
      // The attempt was recorded, but not the job's new time.
      if (delivery.notBefore) return { againAt: delivery.notBefore };

      const message = buildMessage(delivery, renderers, Math.floor(Date.now() / 1000));
      // Loaded where something is delivered: the function does other jobs as well.
      const { attempt } = await import('./attempt-delivery.ts');
      const outcome = await attempt(delivery.url, message, sending);
      const [recorded] = await transactionWithJobs(dependencies, session, (sql) => [
        recordAttempt(sql, id, outcome, rules),
      ]);
      const againAt: Date | null | undefined = recorded?.[0]?.next_at;
      return againAt ? { againAt } : 'done';
    },
  });
}
