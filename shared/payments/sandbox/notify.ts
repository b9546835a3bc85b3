// Sandbox notifications. As with any provider, they only identify an order, and the lookup applies its state.
import { z } from 'zod';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { isDay, parseInstant } from '../../platform/instants.ts';
import { defineJob, type JobDependencies, JobFailure, type JobHandler } from '../../platform/jobs/job.ts';
import { finishJob } from '../../platform/jobs/queries.ts';
import { orderResources } from '../accounts/order-resources.ts';
import { lookUpOrderById } from '../orders/look-up.ts';
import type { LookupResult } from '../orders/queries.ts';
import type { Providers } from '../providers/provider.ts';
import type { ChangedOrder, SandboxControls, SandboxReport } from '../providers/sandbox/controls.ts';

/** Looks up an order once per notification and returns the first outcome. Finishes the fallback job unless the lookup was too early. */
export async function processNotification(
  { kind, reference, times, lookupJobId }: ChangedOrder,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const [outcome = 'unknown'] = await Promise.all(
    Array.from({ length: times }, () =>
      lookUpOrderById(orderResources[kind], null, { reference }, providers, dependencies),
    ),
  );
  if (lookupJobId && outcome !== 'too_early')
    await dependencies.database.transaction(WORKER_SESSION, (sql) => finishJob(sql, lookupJobId, 0, false));
  return outcome;
}

const line = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u);

/** Times and dates within the years 1 to 9999, which Postgres supports. */
const moment = z
  .string()
  .refine((text) => parseInstant(text) !== undefined)
  .transform((text) => new Date(text));
const day = z.string().refine(isDay);

const notification = z.object({
  resource: z.enum(['invoice', 'payout']),
  reference: line,
  status: line,
  at: moment,
  fee: z.int().min(0).optional(),
  available_on: day.optional(),
  reason: line.optional(),
});

/** Parses a notification received over HTTP. Throws if the body is invalid. */
export function parseNotification(body: Uint8Array): SandboxReport {
  const parsed = notification.parse(JSON.parse(new TextDecoder().decode(body)));
  const { resource, reference, status: to, at, fee: feeMinor, available_on: availableOn, reason } = parsed;
  const kind = resource === 'invoice' ? 'charge' : 'payout';
  return { kind, reference, to, at, feeMinor, availableOn, reason };
}

/** Maximum retries of a lookup whose order is not stored yet. Their delays increase. */
const MAX_EARLY_RETRIES = 5;

/** Settles a sandbox order and looks it up. `sandbox` is undefined in production. */
export const createSettleSandboxOrderJob = (
  sandbox: SandboxControls | undefined,
  providers: Providers,
): JobHandler =>
  defineJob({
    name: 'settle-in-sandbox',
    payload: z.object({
      kind: z.enum(['charge', 'payout']),
      reference: z.string(),
      to: z.string().optional(),
    }),
    leaseSeconds: 30,
    async run({ kind, reference, to }, { attempts }, dependencies) {
      if (!sandbox) throw new JobFailure('The sandbox is not available in this environment.');
      const changed = await sandbox.settle(kind, reference, to);
      if (!changed) return 'done';
      const outcome = await processNotification(changed, providers, dependencies);
      return outcome === 'too_early' && attempts <= MAX_EARLY_RETRIES
        ? { retryInSeconds: attempts ** 2 }
        : 'done';
    },
  });
