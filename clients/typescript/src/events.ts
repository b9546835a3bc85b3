// The events of webhooks, by type.
import type { BodyOf } from './core/operations.ts';
import type { webhooks as paymentEvents } from './generated/payments.ts';
import type { webhooks as eventsOfA } from './generated/v1.ts';
import type { webhooks as eventsOfB } from './generated/v1-b.ts';
import type { webhooks as eventsOfC } from './generated/v1-c.ts';
import type { Variant } from './records/types.ts';

interface RecordEvents {
  a: eventsOfA;
  b: eventsOfB;
  c: eventsOfC;
}
type Events<V extends Variant> = paymentEvents & RecordEvents[V];

/** The event types of a variant. */
export type EventType<V extends Variant = 'a'> = keyof Events<V> & string;

/** The event of a type. Its `id` stays the same when it is delivered again. */
export type EventOf<Type extends EventType<V>, V extends Variant = 'a'> = Events<V>[Type] extends {
  post: infer Operation;
}
  ? BodyOf<Operation>
  : never;

/** Any event; `event.type` determines the type of its data. Ignore unknown types: new ones may be added. */
export type WebhookEvent<V extends Variant = 'a'> = {
  // Only changes by the records interface have an origin, but every event type declares it.
  [Type in EventType<V>]: EventOf<Type, V> & { origin?: string };
}[EventType<V>];
