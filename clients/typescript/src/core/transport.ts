// Sends requests with authorization, pacing, timeouts and retries.
import { ConnectionError, PlacarError, type TenantMovedError, TimeoutError } from '../errors.ts';
import {
  atLeastZero,
  type CallOptions,
  type ClientOptions,
  functionsUrl,
  type RequestInfo,
} from './options.ts';
import { Pace } from './pace.ts';
import { errorFrom, jsonOf, WRONG_ADDRESS } from './responses.ts';
import { wait } from './wait.ts';

export interface OutgoingRequest {
  method: string;
  /** Path with query. Begins with the function's name. */
  target: string;
  body?: string;
  headers?: Record<string, string>;
  /** Whether repeating the request is safe. If not, it is repeated only if the server did not execute it. */
  repeatable: boolean;
}

export interface TransportResponse {
  status: number;
  headers: Headers;
  text: string;
}

export interface Authorizer {
  /** The header of one attempt. */
  authorization(request: OutgoingRequest, signal?: AbortSignal): Promise<string>;
  /** Called after a 401. Returns whether a retry makes sense. */
  renew?(refused: string): boolean;
  /** Strings that must not appear in messages. */
  readonly secrets: readonly string[];
}

/** Statuses of failures that may be temporary. */
const TRANSIENT_STATUSES = [500, 502, 503, 504];

export class Transport {
  readonly #options: ClientOptions;
  #url: string;
  readonly #authorizer: Authorizer | undefined;
  readonly #secrets: readonly string[];
  readonly #pace = new Pace();
  readonly #maxWaitMs: number;
  readonly #maxRetries: number;
  readonly #retryDelayMs: number;

  constructor(options: ClientOptions, authorizer?: Authorizer, secrets: readonly string[] = []) {
    this.#options = options;
    this.#url = functionsUrl(options.url);
    this.#authorizer = authorizer;
    this.#secrets = secrets;
    this.#maxWaitMs = atLeastZero('maxWaitMs', options.maxWaitMs ?? 120_000);
    this.#maxRetries = atLeastZero('maxRetries', options.maxRetries ?? 4);
    this.#retryDelayMs = atLeastZero('retryDelayMs', options.retryDelayMs ?? 1000);
  }

  /** The JSON of a successful response; undefined if it is empty. Throws a `PlacarError` or the signal's reason. */
  async json(request: OutgoingRequest, options?: CallOptions): Promise<unknown> {
    return (await this.request(request, options)).body;
  }

  /** Like `json`, with the headers. */
  async request(
    request: OutgoingRequest,
    options: CallOptions = {},
  ): Promise<{ body: unknown; headers: Headers }> {
    const { status, text, requestId, headers } = await this.#send(request, options);
    if (text === '') return { body: undefined, headers };
    const body = jsonOf(text);
    if (body !== undefined) return { body, headers };
    throw new PlacarError(`The response is not valid JSON. ${WRONG_ADDRESS}`, {
      code: 'invalid_answer',
      status,
      requestId,
    });
  }

  async #send(
    request: OutgoingRequest,
    options: CallOptions,
  ): Promise<TransportResponse & { requestId: string }> {
    const { signal } = options;
    const requestId = request.headers?.['X-Request-Id'] ?? crypto.randomUUID();
    let [retries, renewed, outcomeUnknown, moved] = [0, false, false, false];
    for (let attempt = 1; ; attempt++) {
      await wait(this.#pace.take(Date.now()), signal);
      const info = { method: request.method, path: request.target.replace(/\?.*/, ''), requestId, attempt };
      const authorization = await this.#authorizer?.authorization(request, signal);
      const outcome = await this.#attempt(request, info, authorization, options);
      if (!(outcome instanceof PlacarError)) return { ...outcome, requestId };
      // An earlier attempt without a response deleted the record.
      if (outcomeUnknown && request.method === 'DELETE' && outcome.status === 404) {
        return { status: 204, headers: new Headers(), text: '', requestId };
      }
      const { movedTo = '' } = outcome as Partial<TenantMovedError>;
      if (!moved && this.#options.followMoves && movedTo.startsWith('https:')) {
        this.#url = functionsUrl(movedTo);
        moved = true;
        continue;
      }
      if (outcome.status === 401 && !renewed && authorization && this.#authorizer?.renew?.(authorization)) {
        renewed = true;
        this.#callHook('onRetry', { ...info, reason: outcome.code, waitMs: 0 });
        continue;
      }
      const waitMs = this.#waitBefore(outcome, retries, request);
      if (waitMs === undefined) throw outcome;
      outcomeUnknown ||= outcome.status === undefined || TRANSIENT_STATUSES.includes(outcome.status);
      retries += 1;
      this.#callHook('onRetry', { ...info, reason: outcome.code, waitMs });
      await wait(waitMs, signal);
    }
  }

  /** Delay before the next attempt in milliseconds; undefined if there is none. */
  #waitBefore(error: PlacarError, retries: number, request: OutgoingRequest): number | undefined {
    // Only provider errors have `retryable`.
    const { status, code, retryAfter, effect, retryable } = error as PlacarError & { retryable?: boolean };
    if (retries >= this.#maxRetries) return undefined;
    const notExecuted =
      status === 429 ||
      status === 408 ||
      effect === 'none' ||
      code.toLowerCase() === 'idempotency_key_in_use';
    const transient = status === undefined || TRANSIENT_STATUSES.includes(status);
    if (!notExecuted && !(request.repeatable && transient && retryable !== false)) return undefined;
    const backoffMs = this.#retryDelayMs * 2 ** retries * (0.5 + Math.random() / 2);
    if (retryAfter === undefined) return Math.min(backoffMs, this.#maxWaitMs);
    if (retryAfter * 1000 > this.#maxWaitMs) return undefined;
    // Jitter: not before the requested time, and not all callers at the same moment.
    return retryAfter * 1000 + Math.random() * this.#retryDelayMs;
  }

  async #attempt(
    request: OutgoingRequest,
    info: RequestInfo,
    authorization: string | undefined,
    { signal, timeoutMs = this.#options.timeoutMs ?? 60_000 }: CallOptions,
  ): Promise<TransportResponse | PlacarError> {
    const { method, target, body } = request;
    const { requestId } = info;
    const headers = {
      Accept: 'application/json',
      'X-Request-Id': requestId,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(authorization !== undefined && { Authorization: authorization }),
      ...request.headers,
    };
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(abort, timeoutMs);
    const startedAt = Date.now();
    this.#callHook('onRequest', info);
    try {
      const { fetch = globalThis.fetch } = this.#options;
      const response = await fetch(this.#url + target, {
        method,
        headers,
        // A redirect would send the credentials to another URL.
        redirect: 'manual',
        signal: controller.signal,
        ...(body !== undefined && { body }),
      });
      const answer = { status: response.status, headers: response.headers, text: await response.text() };
      this.#pace.learn(answer.status, answer.headers, Date.now(), this.#maxWaitMs);
      this.#callHook('onResponse', { ...info, status: answer.status, durationMs: Date.now() - startedAt });
      return response.ok ? answer : errorFrom(answer, requestId, (text) => this.#redact(text));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PlacarError) throw error;
      const cause = this.#redactedError(error);
      if (!controller.signal.aborted) {
        return new ConnectionError(`Connection failed: ${cause.message}`, {
          code: 'connection_failed',
          requestId,
          cause,
        });
      }
      return new TimeoutError(`No complete response within ${timeoutMs} ms.`, { code: 'timeout', requestId });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Reduces a runtime error to its redacted message. */
  #redactedError(error: unknown): Error {
    const texts: string[] = [];
    for (let inner = error; inner instanceof Error && texts.length < 3; inner = inner.cause)
      texts.push(inner.message);
    return new Error(this.#redact(texts.filter(Boolean).join(': ') || 'the connection failed'));
  }

  #redact(text: string): string {
    const secrets = [...this.#secrets, ...(this.#authorizer?.secrets ?? [])];
    return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text);
  }

  /** Calls a hook. Ignores its errors. */
  #callHook<Name extends 'onRequest' | 'onResponse' | 'onRetry'>(
    name: Name,
    info: Parameters<NonNullable<NonNullable<ClientOptions['hooks']>[Name]>>[0],
  ): void {
    const hook = this.#options.hooks?.[name] as ((told: typeof info) => void) | undefined;
    try {
      hook?.call(this.#options.hooks, info);
    } catch {}
  }
}
