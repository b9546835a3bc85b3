/**
 * Events on their way to registered addresses, by real HTTP: queued, attempted, tried again by the vendor's schedule,
 * paused. The vendor says what an address is, how an attempt is proved, what counts as delivered and how long it waits.
 */
import type { Agenda } from './agenda.ts';
import { post } from './post.ts';
import type { WebhookFaults } from './webhook-faults.ts';

export interface WebhookEvent {
  id: string;
  /** As the vendor calls it. */
  name: string;
  account: string;
  body: string;
}

export interface Attempt {
  at: string;
  /** 0 when no answer came. */
  status: number;
  /** What the receiver answered, or why it did not. */
  answer: string;
  /** When the receiver wants the next one, as its header says it. */
  retryAfter: string | null;
}

export interface Delivery {
  id: string;
  endpoint: string;
  event: WebhookEvent;
  createdAtMs: number;
  dueAtMs: number;
  state: 'waiting' | 'delivered' | 'dropped';
  attempts: Attempt[];
}

/** The part of an emulator's state that belongs to its webhooks. */
export interface WebhookState {
  /** In the order of their queues; those that are over follow until they make room. */
  deliveries: Delivery[];
  lastDelivery: number;
}

export const newWebhookState = (): WebhookState => ({ deliveries: [], lastDelivery: 0 });

/** An address as the vendor has it registered. */
export interface Endpoint {
  id: string;
  url: string;
  /** One after the other: an event that is refused holds up those behind it. */
  sequential: boolean;
  /** Events gather and nothing is sent. */
  paused: boolean;
}

/** What differs from vendor to vendor. */
export interface WebhookRules {
  timeoutMs: number;
  /** For how long an event that cannot be delivered is kept. */
  keepMs: number;
  /** Undefined once it is deleted. */
  endpoint(id: string): Endpoint | undefined;
  /** Headers of an attempt, with its proof. */
  headers(endpoint: Endpoint, delivery: Delivery): Record<string, string>;
  isDelivered(status: number): boolean;
  succeeded?(endpoint: Endpoint): void;
  /** What follows a failure: the wait before the next attempt, or the end. A vendor that pauses says so by `endpoint`. */
  failed(endpoint: Endpoint, delivery: Delivery): { retryInMs: number } | 'drop';
}

export interface DeliveryFilter {
  account?: string | undefined;
  endpoint?: string | undefined;
  state?: string | undefined;
}

export interface WebhookQueue {
  /** Queues an event for each of these addresses. */
  publish(event: WebhookEvent, endpoints: readonly string[]): void;
  /** Looks again at an address that is no longer paused, or whose waits were forgiven. */
  resume(endpoint: string, options?: { atOnce?: boolean }): void;
  list(filter?: DeliveryFilter): readonly Delivery[];
  /** Sends an event again, with the same id. */
  repeat(eventId: string): boolean;
  /** Lets go of what is gathered for another order. */
  release(): void;
  close(): void;
}

/** Deliveries that are over and still listed. */
const MOST_OVER = 5_000;
const ANSWER_CHARACTERS = 500;

export function createWebhookQueue(options: {
  state: WebhookState;
  agenda: Agenda;
  rules: WebhookRules;
  faults: WebhookFaults;
  onChange: () => void;
}): WebhookQueue {
  const { state, agenda, rules, faults, onChange } = options;
  const underWay = new Set<string>();
  const planned = new Map<string, { job: string; dueAtMs: number }>();
  const stop = new AbortController();

  const waitingAt = (endpoint: string): Delivery[] =>
    state.deliveries.filter((delivery) => delivery.endpoint === endpoint && delivery.state === 'waiting');

  /** Plans the attempts that an address may have next. */
  function look(endpointId: string): void {
    const endpoint = rules.endpoint(endpointId);
    const waiting = waitingAt(endpointId);
    if (endpoint === undefined) {
      for (const delivery of waiting) delivery.state = 'dropped';
      return;
    }
    if (endpoint.paused) return;
    for (const delivery of endpoint.sequential ? waiting.slice(0, 1) : waiting) plan(delivery);
  }

  function plan({ id, dueAtMs }: Delivery): void {
    if (underWay.has(id)) return;
    const known = planned.get(id);
    if (known?.dueAtMs === dueAtMs) return;
    if (known !== undefined) agenda.cancel(known.job);
    const job = agenda.plan('webhooks:attempt', Math.max(dueAtMs, agenda.now()), { delivery: id });
    planned.set(id, { job, dueAtMs });
  }

  async function attempt(id: string): Promise<void> {
    planned.delete(id);
    const delivery = state.deliveries.find((candidate) => candidate.id === id);
    if (delivery?.state !== 'waiting' || underWay.has(id)) return;
    const endpoint = rules.endpoint(delivery.endpoint);
    if (endpoint === undefined || endpoint.paused) return look(delivery.endpoint);
    if (delivery.createdAtMs + rules.keepMs <= agenda.now()) {
      delivery.state = 'dropped';
      onChange();
      return look(endpoint.id);
    }
    underWay.add(id);
    const answer = await post({
      url: endpoint.url,
      body: delivery.event.body,
      headers: rules.headers(endpoint, delivery),
      timeoutMs: rules.timeoutMs,
      signal: stop.signal,
    });
    underWay.delete(id);
    // Cut off by `close`: the attempt counts for nothing and is made again at the next start.
    if (stop.signal.aborted) return;
    delivery.attempts.push({
      at: new Date(agenda.now()).toISOString(),
      status: answer.status,
      answer: answer.body.slice(0, ANSWER_CHARACTERS),
      retryAfter: answer.headers['retry-after'] ?? null,
    });
    conclude(endpoint, delivery, answer.status);
    onChange();
    look(endpoint.id);
  }

  function conclude(endpoint: Endpoint, delivery: Delivery, status: number): void {
    if (rules.isDelivered(status)) {
      delivery.state = 'delivered';
      rules.succeeded?.(endpoint);
      makeRoom();
      return;
    }
    const next = rules.failed(endpoint, delivery);
    if (next === 'drop') delivery.state = 'dropped';
    else delivery.dueAtMs = agenda.now() + next.retryInMs;
  }

  function makeRoom(): void {
    const over = state.deliveries.filter((delivery) => delivery.state !== 'waiting');
    if (over.length <= MOST_OVER) return;
    const gone = new Set(over.slice(0, over.length - MOST_OVER / 2));
    state.deliveries = state.deliveries.filter((delivery) => !gone.has(delivery));
  }

  function queue(event: WebhookEvent, endpoints: readonly string[]): void {
    for (const endpoint of endpoints) {
      state.lastDelivery += 1;
      const now = agenda.now();
      state.deliveries.push({
        id: `dlv_${state.lastDelivery}`,
        endpoint,
        event,
        createdAtMs: now,
        dueAtMs: now,
        state: 'waiting',
        attempts: [],
      });
      look(endpoint);
    }
    onChange();
  }

  agenda.on('webhooks:attempt', ({ delivery }) => attempt(delivery ?? ''));
  agenda.on('webhooks:late', ({ event, endpoints }) =>
    // Written by `publish`, below.
    queue(JSON.parse(event ?? '') as WebhookEvent, JSON.parse(endpoints ?? '') as string[]),
  );
  // What an earlier run planned or had under way is planned anew.
  for (const { id, name } of [...agenda.jobs()]) if (name === 'webhooks:attempt') agenda.cancel(id);
  for (const endpoint of new Set(state.deliveries.map((delivery) => delivery.endpoint))) look(endpoint);

  return {
    publish(event, endpoints) {
      for (const { event: met, endpoints: at, delayMs } of faults.meet({ event, endpoints })) {
        if (delayMs === 0) queue(met, at);
        else {
          const data = { event: JSON.stringify(met), endpoints: JSON.stringify(at) };
          agenda.plan('webhooks:late', agenda.now() + delayMs, data);
        }
      }
    },
    resume(endpoint, { atOnce = true } = {}) {
      if (atOnce) for (const delivery of waitingAt(endpoint)) delivery.dueAtMs = agenda.now();
      look(endpoint);
      onChange();
    },
    list: ({ account, endpoint, state: asked } = {}) =>
      state.deliveries.filter(
        (delivery) =>
          (asked === undefined || delivery.state === asked) &&
          (account === undefined || delivery.event.account === account) &&
          (endpoint === undefined || delivery.endpoint === endpoint),
      ),
    repeat(eventId) {
      const known = state.deliveries.filter((delivery) => delivery.event.id === eventId);
      const [first] = known;
      if (first === undefined) return false;
      queue(first.event, [...new Set(known.map((delivery) => delivery.endpoint))]);
      return true;
    },
    release() {
      for (const { event, endpoints } of faults.release()) queue(event, endpoints);
    },
    close: () => stop.abort(),
  };
}
