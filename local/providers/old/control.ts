/** A client of an emulator's `/_control` for tests and scripts. Each provider extends it. */
import type { ClockMove } from './control-routes.ts';
import type { Fault, FaultOrder } from './faults.ts';
import type { LoggedRequest, RequestFilter } from './request-log.ts';
import type { WebhookFault, WebhookFaultOrder } from './webhook-faults.ts';
import type { Delivery } from './webhook-queue.ts';

export class ProviderControl {
  readonly #root: string;

  /** @param url root URL of the emulator */
  constructor(url: string) {
    this.#root = `${url}/_control`;
  }

  /** The emulator's current time. */
  async now(): Promise<Date> {
    return new Date((await this.get<{ now: string }>('/clock')).now);
  }

  /** Advances the clock. Resolves when all due jobs and deliveries have run. */
  async advance(move: ClockMove): Promise<Date> {
    return new Date((await this.post<{ now: string }>('/clock', move)).now);
  }

  /** Freezes the clock between advances, for tests of exact times, or lets it run. */
  async setFrozen(frozen: boolean): Promise<void> {
    await this.post('/clock/frozen', { frozen });
  }

  /** Resolves when nothing is in flight or due. */
  async settle(): Promise<void> {
    await this.post('/settle');
  }

  /** Adds a fault for the next requests. */
  fault(order: FaultOrder): Promise<Fault[]> {
    return this.post('/faults', order);
  }

  clearFaults(): Promise<Fault[]> {
    return this.delete('/faults');
  }

  /** Adds a fault for the next events. */
  webhookFault(order: WebhookFaultOrder): Promise<WebhookFault[]> {
    return this.post('/webhook-faults', order);
  }

  clearWebhookFaults(): Promise<WebhookFault[]> {
    return this.delete('/webhook-faults');
  }

  /** Releases events that are held back for reordering. */
  releaseEvents(): Promise<WebhookFault[]> {
    return this.post('/webhook-faults/release');
  }

  /** Recorded requests, oldest first. */
  requests(filter: RequestFilter = {}): Promise<LoggedRequest[]> {
    return this.get(`/requests?${queryOf({ ...filter })}`);
  }

  async forgetRequests(filter: RequestFilter = {}): Promise<void> {
    await this.delete(`/requests?${queryOf({ ...filter })}`);
  }

  /** Queued events with their attempts. */
  deliveries(
    filter: { account?: string; endpoint?: string; state?: Delivery['state'] } = {},
  ): Promise<Delivery[]> {
    return this.get(`/deliveries?${queryOf(filter)}`);
  }

  /** Sends an event again with the same id. */
  async repeatEvent(id: string): Promise<void> {
    await this.post(`/events/${encodeURIComponent(id)}/repeat`);
  }

  get<T>(path: string): Promise<T> {
    return this.#call('GET', path);
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#call('POST', path, body);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#call('PUT', path, body);
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#call('PATCH', path, body);
  }

  delete<T>(path: string): Promise<T> {
    return this.#call('DELETE', path);
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#root}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /_control${path} returned ${response.status}: ${text}`);
    // The response types match the routes, which are in the same folder.
    return JSON.parse(text) as T;
  }
}

const queryOf = (filter: Record<string, string | undefined>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
