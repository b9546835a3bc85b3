// Builds the signed request of a delivery: the event as JSON and the headers of its interface.

import type { Outgoing } from './http-client.ts';
import type { DueDelivery } from './queries.ts';
import { asymmetricSignature, paySignature, serviceSignature, standardSignature } from './signatures.ts';

export interface Payload extends Record<string, unknown> {
  id: string;
  type: string;
  created_at: string;
  data: unknown;
}

/** An event as stored. `variant` and `clientId` are those of the endpoint. */
export interface StoredEvent {
  id: string;
  type: string;
  createdAt: string;
  data: unknown;
  origin: string | null;
  variant: string | null;
  clientId: string | null;
  /** Set if the delivery combines several events, of which this is the last. */
  burst?: Burst | null;
}

/** Events of one record and type that are combined into one delivery. */
export interface Burst {
  /** Number of events. */
  folded: number;
  /** Stored members that any of the events changed. */
  changed: string[];
}

/** Renders the payload of an event, with `data` in the format of the resource's GET endpoint. */
export type EventRenderer = (event: StoredEvent) => Payload;
export type Renderers = Record<DueDelivery['interface'], EventRenderer>;

/** The members of a delivery that its request depends on. */
export type Deliverable = Pick<
  DueDelivery,
  | 'id'
  | 'interface'
  | 'eventId'
  | 'type'
  | 'data'
  | 'origin'
  | 'variant'
  | 'clientId'
  | 'createdAt'
  | 'burst'
  | 'secrets'
  | 'headers'
> & {
  /** The endpoint's private key. */
  signingKey: string;
};

function interfaceHeaders(
  delivery: Deliverable,
  type: string,
  timestamp: number,
  body: Uint8Array,
): Record<string, string> {
  const { id, secrets } = delivery;
  if (delivery.interface === 'payments') {
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

/** Builds the request of one attempt. `timestamp` is the signing time in Unix seconds. */
export function buildSignedRequest(delivery: Deliverable, renderers: Renderers, timestamp: number): Outgoing {
  const { id, eventId, createdAt, secrets, signingKey, type, data, origin, variant, clientId, burst } =
    delivery;
  const render = renderers[delivery.interface];
  const event = {
    id: eventId,
    type,
    createdAt: createdAt.toISOString(),
    data,
    origin,
    variant,
    clientId,
    burst,
  };
  const payload = render(event);
  const body = new TextEncoder().encode(JSON.stringify(payload));
  const signatures = [
    ...(secrets.length > 0 ? [standardSignature(secrets, id, timestamp, body)] : []),
    asymmetricSignature(signingKey, id, timestamp, body),
  ];
  const headers = {
    ...delivery.headers,
    'User-Agent': 'Placar-Webhooks/1.0',
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'Content-Type': 'application/json',
    ...interfaceHeaders(delivery, payload.type, timestamp, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  return { headers, body };
}
