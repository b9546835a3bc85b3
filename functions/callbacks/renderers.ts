// Builds the event payload of each interface. Its data has the same shape as the response to GET.
import { paymentEvent } from '../../shared/payments/events.ts';
import { eventPayload } from '../../shared/records/events/event-payload.ts';
import type { Renderers } from '../../shared/webhooks/delivery/signed-request.ts';

export const createRenderers = (functionsUrl: string): Renderers => ({
  payments: paymentEvent(functionsUrl),
  records: eventPayload,
});
