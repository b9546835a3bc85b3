// Notifications of the sandbox: like those of any provider they say which order to look at, and the look applies what it finds.
import { z } from 'zod';
import { isDay, parseInstant } from '../../../platform/instants.ts';
import type { JobDependencies } from '../../../platform/jobs/job.ts';
import type { LookupResult } from '../../orders/queries.ts';
import type { Providers } from '../../providers/provider.ts';
import { lookAtOrder } from '../../recovery/look-at-order.ts';
import type { SandboxReport, Told } from './controls.ts';

/** Looks at an order as often as the sandbox tells of it. Gives the first outcome. */
export async function notifyOf(
  { kind, reference, times }: Told,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const [outcome = 'unknown'] = await Promise.all(
    Array.from({ length: times }, () => lookAtOrder(kind, null, { reference }, providers, dependencies)),
  );
  return outcome;
}

const line = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u);

/** A moment and a day that Postgres takes, too: of the years 1 to 9999. */
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

/** Reads a notification that was sent over HTTP. Throws for a body that is none. */
export function parseNotification(body: Uint8Array): SandboxReport {
  const parsed = notification.parse(JSON.parse(new TextDecoder().decode(body)));
  const { resource, reference, status: to, at, fee: feeMinor, available_on: availableOn, reason } = parsed;
  const kind = resource === 'invoice' ? 'charge' : 'payout';
  return { kind, reference, to, at, feeMinor, availableOn, reason };
}
