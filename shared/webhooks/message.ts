// What is sent: the event as JSON, and the headers of its interface over exactly these bytes.
import type { DueDelivery } from './deliveries.ts';
import type { Outgoing } from './exchange.ts';
import { paySignature, serviceSignature, standardSignature } from './signatures.ts';

/** Makes a payload's `data` of an event's, as GET would show the resource; `variant` is that of the endpoint. */
export type EventRenderer = (event: { type: string; data: unknown; variant: string | null }) => unknown;
export type Renderers = Record<DueDelivery['interface'], EventRenderer>;

function ownHeaders(
  { id, interface: door, type, secrets }: DueDelivery,
  timestamp: number,
  body: Uint8Array,
): Record<string, string> {
  if (door === 'payments') {
    return {
      'X-Pay-Event': type,
      'X-Pay-Delivery': id,
      'X-Pay-Signature': paySignature(secrets, timestamp, body),
    };
  }
  const [secret] = secrets;
  return {
    'X-Service-Event': type,
    'X-Service-Delivery': id,
    ...(secret && { 'X-Service-Signature': serviceSignature(secret, body) }),
  };
}

/** The request of one attempt, signed as of `timestamp`, in Unix seconds. */
export function buildMessage(delivery: DueDelivery, renderers: Renderers, timestamp: number): Outgoing {
  const { id, eventId, type, data, variant, createdAt, secrets } = delivery;
  const payload = {
    id: eventId,
    type,
    created_at: createdAt.toISOString(),
    data: renderers[delivery.interface]({ type, data, variant }),
  };
  const body = new TextEncoder().encode(JSON.stringify(payload));
  const headers = {
    'User-Agent': 'Placar-Webhooks/1.0',
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'Content-Type': 'application/json',
    ...ownHeaders(delivery, timestamp, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(secrets.length > 0 && { 'webhook-signature': standardSignature(secrets, id, timestamp, body) }),
  };
  return { headers, body };
}
