// Notifications as the sandbox sends them over HTTP.
import { z } from 'zod';
import { isDay, parseInstant } from '../../../platform/instants.ts';
import type { Notification } from '../../notifications/notification.ts';

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

const eventSchema = z.object({
  id: line,
  resource: z.enum(['invoice', 'payout']),
  reference: line,
  status: line,
  at: moment,
  fee: z.int().min(0).optional(),
  available_on: day.optional(),
  reason: line.optional(),
});

/** Throws for a body that is no such notification. */
export function parseNotification(body: Uint8Array): Notification {
  const event = eventSchema.parse(JSON.parse(new TextDecoder().decode(body)));
  const { id, resource, reference, status, at, fee, available_on: availableOn, reason } = event;
  return { eventId: id, resource, reference, state: { status, at, feeMinor: fee, availableOn, reason } };
}
