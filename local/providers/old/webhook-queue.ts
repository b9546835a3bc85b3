/**
 * Delivers events to registered URLs over real HTTP: queueing, attempts, retries and pauses. `WebhookRules` contains what
 * differs between providers: endpoints, signatures, success criteria and delays.
 */
import type { JobScheduler } from './job-scheduler.ts';
import { post } from './post.ts';
import type { WebhookFaults } from './webhook-faults.ts';

export interface WebhookEvent {
  id: string;
  /** The provider's name of the event. */
  name: string;
  account: string;
  body: string;
}

export interface Attempt {
  at: string;
  /** 0 if there was no response. */
  status: number;
  /** The receiver's response, or the reason why there is none. */
  answer: string;
  /** `Retry-After` header of the response. */
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

/** The webhook part of an emulator's state. */
export interface WebhookState {
  /** Queued deliveries in order, followed by the latest finished ones. */
  deliveries: Delivery[];
  lastDelivery: number;
}

export const newWebhookState = (): WebhookState => ({ deliveries: [], lastDelivery: 0 });

/** A registered endpoint of the provider. */
export interface Endpoint {
  id: string;
  url: string;
  /** Deliver in sequence: a failing event blocks those after it. */
  sequential: boolean;
  /** Events are queued, but not sent. */
  paused: boolean;
}

/** Provider-specific rules. */
export interface WebhookRules {
  timeoutMs: number;
  /** How long an undeliverable event is kept. */
  keepMs: number;
  /** Undefined if the endpoint was deleted. */
  endpoint(id: string): Endpoint | undefined;
  /** Headers of an attempt, including the signature. */
  headers(endpoint: Endpoint, delivery: Delivery): Record<string, string>;
  isDelivered(status: number): boolean;
  succeeded?(endpoint: Endpoint): void;
  /** Called after a failure. Returns the delay before the next attempt, or gives up. To pause, return a paused `endpoint`. */
  failed(endpoint: Endpoint, delivery: Delivery): { retryInMs: number } | 'drop';
}

export interface DeliveryFilter {
  account?: string | undefined;
  endpoint?: string | undefined;
  state?: string | undefined;
}

export interface WebhookQueue {
  /** Queues an event for each of these endpoints. */
  publish(event: WebhookEvent, endpoints: readonly string[]): void;
  /** Schedules deliveries of an endpoint that was resumed or whose delays were reset. */
  resume(endpoint: string, options?: { atOnce?: boolean }): void;
  list(filter?: DeliveryFilter): readonly Delivery[];
  /** Sends an event again with the same id. */
  repeat(eventId: string): boolean;
  /** Releases events that are held back for reordering. */
  release(): void;
  close(): void;
}

/** Maximum number of finished deliveries in the list. */
const MAX_OVER = 5_000;
const ANSWER_CHARACTERS = 500;

export function createWebhookQueue(options: {
  state: WebhookState;
  scheduler: JobScheduler;
  rules: WebhookRules;
  faults: WebhookFaults;
  onChange: () => void;
}): WebhookQueue {
  const { state, scheduler, rules, faults, onChange } = options;
  const inFlight = new Set<string>();
  const planned = new Map<string, { job: string; dueAtMs: number }>();
  const stop = new AbortController();

  const waitingAt = (endpoint: string): Delivery[] =>
    state.deliveries.filter((delivery) => delivery.endpoint === endpoint && delivery.state === 'waiting');

  /** Schedules the next possible attempts of an endpoint. */
  function scheduleAttempts(endpointId: string): void {
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
    if (inFlight.has(id)) return;
    const known = planned.get(id);
    if (known?.dueAtMs === dueAtMs) return;
    if (known !== undefined) scheduler.cancel(known.job);
    const job = scheduler.schedule('webhooks:attempt', Math.max(dueAtMs, scheduler.now()), { delivery: id });
    planned.set(id, { job, dueAtMs });
  }

  async function attempt(id: string): Promise<void> {
    planned.delete(id);
    const delivery = state.deliveries.find((candidate) => candidate.id === id);
    if (delivery?.state !== 'waiting' || inFlight.has(id)) return;
    const endpoint = rules.endpoint(delivery.endpoint);
    if (endpoint === undefined || endpoint.paused) return scheduleAttempts(delivery.endpoint);
    if (delivery.createdAtMs + rules.keepMs <= scheduler.now()) {
      delivery.state = 'dropped';
      onChange();
      return scheduleAttempts(endpoint.id);
    }
    inFlight.add(id);
    const answer = await post({
      url: endpoint.url,
      body: delivery.event.body,
      headers: rules.headers(endpoint, delivery),
      timeoutMs: rules.timeoutMs,
      signal: stop.signal,
    });
    inFlight.delete(id);
    // Aborted by `close`: the attempt does not count and is repeated at the next start.
    if (stop.signal.aborted) return;
    delivery.attempts.push({
      at: new Date(scheduler.now()).toISOString(),
      status: answer.status,
      answer: answer.body.slice(0, ANSWER_CHARACTERS),
      retryAfter: answer.headers['retry-after'] ?? null,
    });
    conclude(endpoint, delivery, answer.status);
    onChange();
    scheduleAttempts(endpoint.id);
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
    else delivery.dueAtMs = scheduler.now() + next.retryInMs;
  }

  function makeRoom(): void {
    const over = state.deliveries.filter((delivery) => delivery.state !== 'waiting');
    if (over.length <= MAX_OVER) return;
    const gone = new Set(over.slice(0, over.length - MAX_OVER / 2));
    state.deliveries = state.deliveries.filter((delivery) => !gone.has(delivery));
  }

  function queue(event: WebhookEvent, endpoints: readonly string[]): void {
    for (const endpoint of endpoints) {
      state.lastDelivery += 1;
      const now = scheduler.now();
      state.deliveries.push({
        id: `dlv_${state.lastDelivery}`,
        endpoint,
        event,
        createdAtMs: now,
        dueAtMs: now,
        state: 'waiting',
        attempts: [],
      });
      scheduleAttempts(endpoint);
    }
    onChange();
  }

  scheduler.on('webhooks:attempt', ({ delivery }) => attempt(delivery ?? ''));
  scheduler.on('webhooks:late', ({ event, endpoints }) =>
    // Serialized by `publish`, below.
    queue(JSON.parse(event ?? '') as WebhookEvent, JSON.parse(endpoints ?? '') as string[]),
  );
  // Attempts of an earlier run are scheduled again.
  for (const { id, name } of [...scheduler.jobs()]) if (name === 'webhooks:attempt') scheduler.cancel(id);
  for (const endpoint of new Set(state.deliveries.map((delivery) => delivery.endpoint)))
    scheduleAttempts(endpoint);

  return {
    publish(event, endpoints) {
      for (const { event: met, endpoints: at, delayMs } of faults.meet({ event, endpoints })) {
        if (delayMs === 0) queue(met, at);
        else {
          const data = { event: JSON.stringify(met), endpoints: JSON.stringify(at) };
          scheduler.schedule('webhooks:late', scheduler.now() + delayMs, data);
        }
      }
    },
    resume(endpoint, { atOnce = true } = {}) {
      if (atOnce) for (const delivery of waitingAt(endpoint)) delivery.dueAtMs = scheduler.now();
      scheduleAttempts(endpoint);
      onChange();
    },
    list: ({ account, endpoint, state: requested } = {}) =>
      state.deliveries.filter(
        (delivery) =>
          (requested === undefined || delivery.state === requested) &&
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
