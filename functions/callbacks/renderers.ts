// How each interface shows its events: their data as its GET does.
import { paymentEvent } from '../../shared/payments/events.ts';
import { eventPayload } from '../../shared/records/events/event-payload.ts';
import type { Renderers } from '../../shared/webhooks/delivery/signed-request.ts';

export const createRenderers = (functionsUrl: string): Renderers => ({
  payments: paymentEvent(functionsUrl),
  records: eventPayload,
});
