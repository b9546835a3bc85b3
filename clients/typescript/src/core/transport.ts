// Sends requests: authorized anew for each attempt, paced, with a time-out, and repeated where that is safe.
import { ConnectionError, PlacarError, TimeoutError } from '../errors.ts';
import { errorFrom, parseJson, WRONG_ADDRESS } from './answers.ts';
import {
  atLeastZero,
  type CallOptions,
  type ClientOptions,
  functionsUrl,
  type RequestInfo,
} from './options.ts';
import { Pace } from './pace.ts';
import { wait } from './wait.ts';

export interface Outgoing {
  method: string;
  /** Path from the function's name on, with its query. */
  target: string;
  body?: string;
  headers?: Record<string, string>;
  /** Whether doing it twice is as good as once. If not, only what was refused undone is repeated. */
  repeatable: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Authorizer {
  /** The header for one attempt. */
  authorization(request: Outgoing, signal?: AbortSignal): Promise<string>;
  /** A 401 came: whether asking again makes sense. */
  renew?(refused: string): boolean;
  /** What no message may hold. */
  readonly secrets: readonly string[];
}

/** Failures of the service or of what is before it, after which it may go better. */
const PASSING = [500, 502, 503, 504];

export class Transport {
  readonly #options: ClientOptions;
  readonly #url: string;
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

  /** The JSON of a good answer, undefined of an empty one. Throws a `PlacarError`, or the signal's reason. */
  async json(request: Outgoing, options?: CallOptions): Promise<unknown> {
    return (await this.answer(request, options)).body;
  }

  /** The same, with the headers. */
  async answer(request: Outgoing, options: CallOptions = {}): Promise<{ body: unknown; headers: Headers }> {
    const { status, text, requestId, headers } = await this.#send(request, options);
    if (text === '') return { body: undefined, headers };
    const body = parseJson(text);
    if (body !== undefined) return { body, headers };
    throw new PlacarError(`The answer is not JSON: ${WRONG_ADDRESS}`, {
      code: 'invalid_answer',
      status,
      requestId,
    });
  }

  async #send(request: Outgoing, options: CallOptions): Promise<Answer & { requestId: string }> {
    const { signal } = options;
    const requestId = crypto.randomUUID();
    let [retries, renewed, unsure] = [0, false, false];
    for (let attempt = 1; ; attempt++) {
      await wait(this.#pace.take(Date.now()), signal);
      const info = { method: request.method, path: request.target.replace(/\?.*/, ''), requestId, attempt };
      const authorization = await this.#authorizer?.authorization(request, signal);
      const outcome = await this.#attempt(request, info, authorization, options);
      if (!(outcome instanceof PlacarError)) return { ...outcome, requestId };
      // What was deleted by an attempt whose answer got lost is not there any more.
      if (unsure && request.method === 'DELETE' && outcome.status === 404) {
        return { status: 204, headers: new Headers(), text: '', requestId };
      }
      if (outcome.status === 401 && !renewed && authorization && this.#authorizer?.renew?.(authorization)) {
        renewed = true;
        this.#tell('onRetry', { ...info, reason: outcome.code, waitMs: 0 });
        continue;
      }
      const waitMs = this.#waitBefore(outcome, retries, request);
      if (waitMs === undefined) throw outcome;
      unsure ||= outcome.status === undefined || PASSING.includes(outcome.status);
      retries += 1;
      this.#tell('onRetry', { ...info, reason: outcome.code, waitMs });
      await wait(waitMs, signal);
    }
  }

  /** How long to wait before the next try; undefined when there is to be none. */
  #waitBefore(error: PlacarError, retries: number, request: Outgoing): number | undefined {
    // Only errors of providers have `retryable`.
    const { status, code, retryAfter, effect, retryable } = error as PlacarError & { retryable?: boolean };
    if (retries >= this.#maxRetries) return undefined;
    const undone =
      status === 429 ||
      status === 408 ||
      effect === 'none' ||
      code.toLowerCase() === 'idempotency_key_in_use';
    const passing = status === undefined || PASSING.includes(status);
    if (!undone && !(request.repeatable && passing && retryable !== false)) return undefined;
    const backoffMs = this.#retryDelayMs * 2 ** retries * (0.5 + Math.random() / 2);
    if (retryAfter === undefined) return Math.min(backoffMs, this.#maxWaitMs);
    if (retryAfter * 1000 > this.#maxWaitMs) return undefined;
    // Never before the time that was asked for, and not all callers at that very moment.
    return retryAfter * 1000 + Math.random() * this.#retryDelayMs;
  }

  async #attempt(
    request: Outgoing,
    info: RequestInfo,
    authorization: string | undefined,
    { signal, timeoutMs = this.#options.timeoutMs ?? 60_000 }: CallOptions,
  ): Promise<Answer | PlacarError> {
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
    this.#tell('onRequest', info);
    try {
      const { fetch = globalThis.fetch } = this.#options;
      const response = await fetch(this.#url + target, {
        method,
        headers,
        // A redirect would lead the credentials somewhere else.
        redirect: 'manual',
        signal: controller.signal,
        ...(body !== undefined && { body }),
      });
      const answer = { status: response.status, headers: response.headers, text: await response.text() };
      this.#pace.learn(answer.status, answer.headers, Date.now(), this.#maxWaitMs);
      this.#tell('onResponse', { ...info, status: answer.status, durationMs: Date.now() - startedAt });
      return response.ok ? answer : errorFrom(answer, requestId, (text) => this.#redact(text));
    } catch (error) {
      signal?.throwIfAborted();
      const cause = this.#bare(error);
      if (!controller.signal.aborted) {
        return new ConnectionError(`No answer: ${cause.message}`, {
          code: 'connection_failed',
          requestId,
          cause,
        });
      }
      return new TimeoutError(`No whole answer within ${timeoutMs} ms.`, { code: 'timeout', requestId });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** What failed, without what else the error of a runtime may carry. */
  #bare(error: unknown): Error {
    const texts: string[] = [];
    for (let inner = error; inner instanceof Error && texts.length < 3; inner = inner.cause)
      texts.push(inner.message);
    return new Error(this.#redact(texts.filter(Boolean).join(': ') || 'the connection failed'));
  }

  #redact(text: string): string {
    const secrets = [...this.#secrets, ...(this.#authorizer?.secrets ?? [])];
    return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text);
  }

  /** A hook that throws breaks no request. */
  #tell<Name extends 'onRequest' | 'onResponse' | 'onRetry'>(
    name: Name,
    info: Parameters<NonNullable<NonNullable<ClientOptions['hooks']>[Name]>>[0],
  ): void {
    const hook = this.#options.hooks?.[name] as ((told: typeof info) => void) | undefined;
    try {
      hook?.call(this.#options.hooks, info);
    } catch {}
  }
}
