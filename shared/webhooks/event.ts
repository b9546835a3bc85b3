// Events of webhooks and of the feed, as stored and as sent.

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
  fold?: Fold | null;
}

/** Events of one record and type that are combined into one delivery. */
export interface Fold {
  /** Number of events. */
  folded: number;
  /** Stored members that any of the events changed. */
  changed: string[];
}

/** Renders the payload of an event, with `data` in the format of the resource's GET endpoint. */
export type EventRenderer = (event: StoredEvent) => Payload;
export type Renderers = Record<'payments' | 'records', EventRenderer>;
