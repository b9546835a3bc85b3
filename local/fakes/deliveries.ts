/**
 * Delivers events to registered URLs over real HTTP, with retries and pauses, and with injected faults. `DeliveryRules` contains what
 * differs between vendors: endpoints, signatures, what counts as success, and delays.
 */
import type { Clock } from './clock.ts';
import { matches } from './faults.ts';
import { post } from './post.ts';

export interface WebhookEvent {
  id: string;
  /** The vendor's name of the event. */
  name: string;
  account: string;
  body: string;
}

export interface Delivery {
  id: number;
  endpoint: string;
  event: WebhookEvent;
  createdAtMs: number;
  dueAtMs: number;
  state: 'waiting' | 'delivered' | 'dropped';
  /** Statuses of the receiver's responses; 0 if there was none. */
  attempts: number[];
}

/** The deliveries' part of a fake's state. */
export interface DeliveryState {
  deliveries: Delivery[];
  lastDelivery: number;
}

/** A registered endpoint. */
export interface Endpoint {
  id: string;
  url: string;
  /** A failing event blocks those after it. */
  sequential: boolean;
  /** Events are queued, but not sent. */
  paused: boolean;
}

export interface DeliveryRules {
  timeoutMs: number;
  /** How long an undeliverable event is kept. */
  keepMs: number;
  /** Undefined if the endpoint was deleted. */
  endpoint(id: string): Endpoint | undefined;
  /** Headers of an attempt, including the signature. */
  headers(endpoint: Endpoint, delivery: Delivery): Record<string, string>;
  isDelivered(status: number): boolean;
  succeeded?(endpoint: Endpoint): void;
  /** The delay before the next attempt, or gives up. To pause, return a paused `endpoint` from now on. */
  failed(endpoint: Endpoint, delivery: Delivery): { retryInMs: number } | 'drop';
}

/**
 * - `lost`: never sent.
 * - `duplicated`: sent twice with the same id.
 * - `reordered`: held back until there are `times` events, then sent in reverse order.
 */
export interface WebhookFault {
  kind: 'lost' | 'duplicated' | 'reordered';
  /** Number of events that the fault affects. Default: 1. */
  times?: number;
  /** Name of the event, with `*` as a wildcard. Default: all events. */
  event?: string;
  /** Id of the account. Default: all accounts. */
  account?: string;
}

export interface DeliveryFilter {
  account?: string;
  endpoint?: string;
  state?: Delivery['state'];
}

type Published = readonly [event: WebhookEvent, endpoints: readonly string[]];

export interface Deliveries {
  /** Queues an event for each of these endpoints. */
  publish(event: WebhookEvent, endpoints: readonly string[]): void;
  /** Sends what waits at an endpoint that was resumed or deleted. */
  resume(endpoint: string): void;
  list(filter?: DeliveryFilter): readonly Delivery[];
  attempt(id: number): Promise<void>;
  fault(fault: WebhookFault): void;
  clearFaults(): void;
  /** Sends events that are held back for reordering. */
  release(): void;
  close(): void;
}

export const ATTEMPT = 'deliveries:attempt';

/** Maximum number of finished deliveries in the list. */
const MAX_OVER = 5_000;

export function createDeliveries(state: DeliveryState, clock: Clock, rules: DeliveryRules): Deliveries {
  let faults: (WebhookFault & { left: number; held: Published[] })[] = [];
  const inFlight = new Set<number>();
  const planned = new Map<number, { job: number; dueAtMs: number }>();
  const stop = new AbortController();

  const waitingAt = (endpoint: string): Delivery[] =>
    state.deliveries.filter((delivery) => delivery.endpoint === endpoint && delivery.state === 'waiting');

  function plan({ id, dueAtMs }: Delivery): void {
    const known = planned.get(id);
    if (inFlight.has(id) || known?.dueAtMs === dueAtMs) return;
    clock.cancel(known?.job ?? null);
    const job = clock.schedule(ATTEMPT, Math.max(dueAtMs, clock.now()), { delivery: String(id) });
    planned.set(id, { job, dueAtMs });
  }

  function schedule(id: string): void {
    const endpoint = rules.endpoint(id);
    const waiting = waitingAt(id);
    if (endpoint === undefined) for (const delivery of waiting) delivery.state = 'dropped';
    else if (!endpoint.paused)
      for (const delivery of endpoint.sequential ? waiting.slice(0, 1) : waiting) plan(delivery);
  }

  async function attempt(id: number): Promise<void> {
    planned.delete(id);
    const delivery = state.deliveries.find((candidate) => candidate.id === id);
    if (delivery?.state !== 'waiting' || inFlight.has(id)) return;
    const endpoint = rules.endpoint(delivery.endpoint);
    if (endpoint === undefined || endpoint.paused) return schedule(delivery.endpoint);
    if (delivery.createdAtMs + rules.keepMs <= clock.now()) {
      delivery.state = 'dropped';
      return schedule(endpoint.id);
    }
    inFlight.add(id);
    const { status } = await post(endpoint.url, {
      body: delivery.event.body,
      headers: rules.headers(endpoint, delivery),
      timeoutMs: rules.timeoutMs,
      signal: stop.signal,
    });
    inFlight.delete(id);
    // Aborted by `close`: the attempt does not count and is repeated at the next start.
    if (stop.signal.aborted) return;
    delivery.attempts.push(status);
    conclude(endpoint, delivery, status);
    schedule(endpoint.id);
  }

  function conclude(endpoint: Endpoint, delivery: Delivery, status: number): void {
    if (rules.isDelivered(status)) {
      delivery.state = 'delivered';
      rules.succeeded?.(endpoint);
      const over = state.deliveries.filter(({ state }) => state !== 'waiting').slice(0, -MAX_OVER);
      if (over.length > 0) state.deliveries = state.deliveries.filter((one) => !over.includes(one));
      return;
    }
    const next = rules.failed(endpoint, delivery);
    if (next === 'drop') delivery.state = 'dropped';
    else delivery.dueAtMs = clock.now() + next.retryInMs;
  }

  function queue([event, endpoints]: Published): void {
    for (const endpoint of endpoints) {
      state.lastDelivery += 1;
      const now = clock.now();
      const times = { createdAtMs: now, dueAtMs: now };
      state.deliveries.push({
        id: state.lastDelivery,
        endpoint,
        event,
        ...times,
        state: 'waiting',
        attempts: [],
      });
      schedule(endpoint);
    }
  }

  /** The events to queue instead of this one. */
  function withFault(published: Published): Published[] {
    const [{ name, account }] = published;
    const fault = faults.find(
      (one) => matches(one.event ?? '*', name) && (one.account ?? account) === account,
    );
    if (fault === undefined) return [published];
    fault.left -= 1;
    if (fault.kind === 'reordered') fault.held.unshift(published);
    if (fault.left === 0) faults = faults.filter((one) => one !== fault);
    if (fault.kind === 'duplicated') return [published, published];
    return fault.left === 0 ? fault.held : [];
  }

  const release = () => {
    const held = faults.filter((one) => one.held.length > 0);
    faults = faults.filter((one) => !held.includes(one));
    held.flatMap((one) => one.held).forEach(queue);
  };

  return {
    publish: (event, endpoints) => withFault([event, endpoints]).forEach(queue),
    resume(endpoint) {
      for (const delivery of waitingAt(endpoint)) delivery.dueAtMs = clock.now();
      schedule(endpoint);
    },
    list: (filter = {}) =>
      state.deliveries.filter(
        (one) =>
          (filter.state ?? one.state) === one.state &&
          (filter.account ?? one.event.account) === one.event.account &&
          (filter.endpoint ?? one.endpoint) === one.endpoint,
      ),
    attempt,
    fault: (fault) => void faults.push({ ...fault, left: fault.times ?? 1, held: [] }),
    release,
    clearFaults() {
      release();
      faults = [];
    },
    close: () => stop.abort(),
  };
}
