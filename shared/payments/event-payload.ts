// Events of payments as webhooks show them: their data as the resource's GET does.
import type { EventRenderer } from '../webhooks/signed-request.ts';
import { serializeEventData } from './snapshot.ts';

/** `functionsUrl` is the public address below which the payer's files open. */
export const paymentEvent =
  (functionsUrl: string): EventRenderer =>
  ({ id, type, createdAt, data }) => ({
    id,
    type,
    created_at: createdAt,
    data: serializeEventData(type, data, functionsUrl),
  });
