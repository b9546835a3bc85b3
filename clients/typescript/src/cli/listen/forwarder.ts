// Sends events to a local program, four at a time, and retries failed deliveries.

import type { WebhookSigningKey } from '../../../../../shared/webhooks/delivery/signed-request.ts';
import { buildSignedRequest } from '../../../../../shared/webhooks/delivery/signed-request.ts';
import { toJson } from '../../core/json.ts';
import type { FeedEvent, Interface } from '../feed.ts';
import { type Answer, post } from './post.ts';

/** The same concurrency as a webhook. */
const CONCURRENCY = 4;

export interface Forwarded {
  interface: Interface;
  event: FeedEvent;
  /** The same for each attempt. */
  deliveryId: string;
  /** Starts at 1. */
  attempt: number;
  answer: Answer;
  /** Delay until the next attempt; undefined if the event was delivered or dropped. */
  retryInMs: number | undefined;
}

export interface ForwarderOptions {
  url: URL;
  secret: string;
  signingKey: WebhookSigningKey;
  /** Delays before the second attempt, the third and so on. After the last one fails, the event is dropped. */
  retryDelaysMs: readonly number[];
  onOutcome(outcome: Forwarded): void;
}

/** The id of a delivery, derived from the event id: receivers can detect duplicates after a restart. */
const deliveryIdOf = (event: FeedEvent): string => event.id.replace(/^[a-z]+_/, 'whd_');

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #retries = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** Sends an event. Calls `onSettled` when it is delivered or dropped. */
  add(name: Interface, event: FeedEvent, onSettled: () => void): void {
    this.#plan(() => this.#attempt(name, event, 1, onSettled));
  }

  /** Stops sending, and waits for the deliveries in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const retry of this.#retries) clearTimeout(retry);
    await Promise.all(this.#inFlight);
  }

  #plan(work: () => Promise<void>): void {
    this.#waiting.push(work);
    this.#fill();
  }

  #fill(): void {
    while (!this.#stopped && this.#inFlight.size < CONCURRENCY) {
      const work = this.#waiting.shift();
      if (!work) return;
      const done = work().finally(() => {
        this.#inFlight.delete(done);
        this.#fill();
      });
      this.#inFlight.add(done);
    }
  }

  async #attempt(name: Interface, event: FeedEvent, attempt: number, onSettled: () => void): Promise<void> {
    const { url, retryDelaysMs, onOutcome } = this.#options;
    const deliveryId = deliveryIdOf(event);
    const answer = await post(url, messageOf(name, event, deliveryId, this.#options));
    const retryInMs = answer.error === undefined ? undefined : retryDelaysMs[attempt - 1];
    onOutcome({ interface: name, event, deliveryId, attempt, answer, retryInMs });
    if (retryInMs === undefined) return onSettled();
    if (this.#stopped) return;
    const retry = setTimeout(() => {
      this.#retries.delete(retry);
      this.#plan(() => this.#attempt(name, event, attempt + 1, onSettled));
    }, retryInMs);
    this.#retries.add(retry);
  }
}

/** Headers and body of a webhook delivery, signed with the current time. */
function messageOf(
  name: Interface,
  event: FeedEvent,
  id: string,
  { secret, signingKey }: Pick<ForwarderOptions, 'secret' | 'signingKey'>,
) {
  const { id: eventId, type, created_at, data, origin } = event;
  const payload = { id: eventId, type, created_at, data, ...(origin !== undefined && { origin }) };
  // The feed's payload is already rendered.
  const render = () => payload;
  const delivery = {
    id,
    interface: name,
    eventId,
    type,
    data,
    origin: origin ?? null,
    variant: null,
    clientId: null,
    createdAt: new Date(created_at),
    fold: null,
    secrets: [secret],
    headers: null,
    signingKey: signingKey.privateKey,
  };
  const now = Math.floor(Date.now() / 1000);
  return buildSignedRequest(delivery, { payments: render, records: render }, now, toJson);
}
