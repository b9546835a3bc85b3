// How each interface shows its events: their data as its GET does.
import { serializeEventData } from '../../shared/payments/snapshot.ts';
import { eventPayload } from '../../shared/records/webhooks/event-payload.ts';
import type { Renderers } from '../../shared/webhooks/signed-request.ts';

export const createRenderers = (functionsUrl: string): Renderers => ({
  payments: ({ id, type, createdAt, data }) => ({
    id,
    type,
    created_at: createdAt,
    data: serializeEventData(type, data, functionsUrl),
  }),
  records: eventPayload,
});
