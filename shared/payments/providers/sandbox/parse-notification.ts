// Notifications as the sandbox sends them over HTTP.
import { z } from 'zod';
import type { Notification } from '../provider.ts';

const line = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\P{Cc}+$/u);

const eventSchema = z.object({
  id: line,
  resource: z.enum(['invoice', 'payout']),
  reference: line,
  status: line,
  at: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  fee: z.int().min(0).optional(),
  available_on: z.iso.date().optional(),
  reason: line.optional(),
});

/** Throws for a body that is no such notification. */
export function parseNotification(body: Uint8Array): Notification {
  const event = eventSchema.parse(JSON.parse(new TextDecoder().decode(body)));
  const { id, resource, reference, status, at, fee, available_on: availableOn, reason } = event;
  return { eventId: id, resource, reference, state: { status, at, feeMinor: fee, availableOn, reason } };
}
