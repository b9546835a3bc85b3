// The job that delivers one event to one endpoint: `signed-request.ts` signs, `attempt-delivery.ts` checks and judges,
// `http-client.ts` sends. What follows from an attempt is decided by the database in one transaction with its record, retries by
// WEBHOOK_RETRY_SCHEDULE (`app.record_webhook_attempt`, migrations/*_webhooks_attempts.sql); how many requests one host
// gets at once, whether by its name or its address, by `app.begin_webhook_request` and, where a name leads elsewhere than before,
// `app.move_webhook_request` (*_webhooks_rules.sql). A worker that dies before it leaves the delivery due,
// and it is sent again.
import { z } from 'zod';
import { WORKER_SESSION } from '../platform/db/database.ts';
import type { Env } from '../platform/env.ts';
import { defineJob, type JobHandler } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';
import type { Network } from './network.ts';
import {
  beginRequest,
  type DueDelivery,
  failDelivery,
  moveRequest,
  recordAttempt,
  selectDelivery,
} from './queries.ts';
import { buildMessage, type Renderers } from './signed-request.ts';

const TIMEOUT_MS = 10_000;
const LEASE_SECONDS = 30;
/** How long a delivery of a paused webhook waits unless `admin.resume_webhook` makes it due. */
const PAUSE_SECONDS = 600;

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
    schedule: settings.WEBHOOK_RETRY_SCHEDULE,
    deactivationMinSpanSeconds: settings.WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS,
  };
  return defineJob({
    name: 'deliver-webhook',
    payload: z.object({ delivery_id: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ delivery_id: id }, _job, dependencies) {
      const { database } = dependencies;
      const [[delivery], [request]] = await database.transaction(WORKER_SESSION, (sql) => [
        selectDelivery(sql, id),
        beginRequest(sql, id, LEASE_SECONDS),
      ]);
      if (delivery?.status !== 'pending') return 'done';
      const reason = reasonAgainst(delivery);
      if (reason) {
        await database.transaction(WORKER_SESSION, (sql) => [failDelivery(sql, id, reason)]);
        return 'done';
      }
      // The attempt was recorded, but not the job's new time.
      if (delivery.notBefore) return { againAt: delivery.notBefore };
      if (delivery.paused) return { againInSeconds: PAUSE_SECONDS };
      // So many requests are under way to this host that one more would be too many.
      if (request?.busyUntil) return { againAt: request.busyUntil };

      const message = buildMessage(delivery, renderers, Math.floor(Date.now() / 1000));
      // Loaded where something is delivered: the function does other jobs as well.
      const { attempt } = await import('./attempt-delivery.ts');
      const placesOf = new Set(request?.addresses);
      const outcome = await attempt(delivery.url, message, {
        ...sending,
        async takePlaces(addresses) {
          if (addresses.every((address) => placesOf.has(address))) return null;
          const [[moved]] = await database.transaction(WORKER_SESSION, (sql) => [
            moveRequest(sql, id, addresses, LEASE_SECONDS),
          ]);
          return moved?.busyUntil ?? null;
        },
      });
      if ('busyUntil' in outcome) return { againAt: outcome.busyUntil };
      const [[recorded]] = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => [
        recordAttempt(sql, id, outcome, rules),
      ]);
      return recorded?.next_at ? { againAt: recorded.next_at } : 'done';
    },
  });
}

/** Why a delivery is given up without being sent. */
function reasonAgainst({ active, subscribed, type }: DueDelivery): string | undefined {
  if (!active) return 'the webhook is deactivated';
  return subscribed ? undefined : `the webhook does not subscribe to ${type}`;
}
