// What is sent: the event as JSON, and the headers of its interface over exactly these bytes.

import type { Outgoing } from './http-client.ts';
import type { DueDelivery } from './queries.ts';
import { asymmetricSignature, paySignature, serviceSignature, standardSignature } from './signatures.ts';

export interface Payload extends Record<string, unknown> {
  id: string;
  type: string;
  created_at: string;
  data: unknown;
}

/** An event as it is stored; `variant` and `clientId` are those of the endpoint. */
export interface StoredEvent {
  id: string;
  type: string;
  createdAt: string;
  data: unknown;
  origin: string | null;
  variant: string | null;
  clientId: string | null;
  /** Of a delivery that stands for several events, of which this is the last. */
  burst?: Burst | null;
}

/** Events of one record and one type that one delivery stands for. */
export interface Burst {
  /** How many they are. */
  folded: number;
  /** Stored members that any of them changed. */
  changed: string[];
}

/** Makes the payload of an event, its `data` as GET would show the resource. */
export type EventRenderer = (event: StoredEvent) => Payload;
export type Renderers = Record<DueDelivery['interface'], EventRenderer>;

/** What of a delivery its request is made of. */
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

function ownHeaders(
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

/** The request of one attempt, signed as of `timestamp`, in Unix seconds. */
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
    ...ownHeaders(delivery, payload.type, timestamp, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  return { headers, body };
}
