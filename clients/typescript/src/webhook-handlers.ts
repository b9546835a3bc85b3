/** Webhook endpoints for fetch handlers (Hono, Next.js, Deno, Bun, Workers) and for Node (Express, node:http). */
import { OptionsError } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import type { Variant } from './records/types.ts';
import { type VerifyOptions, verifyWebhook, WebhookVerificationError } from './webhooks.ts';

export type { WebhookEvent } from './events.ts';

/** More than any event has: a request that changes a record is at most 6 MiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export interface WebhookHandlerOptions<V extends Variant = 'a'> extends VerifyOptions {
  /** The webhook's secret, its `public_key`, or several of them. As a function, it is called for every request. */
  secret: string | readonly string[] | (() => string | readonly string[]);
  /**
   * Called with each verified event. The handler responds with 204 when it resolves, and with 500 when it rejects: then Placar sends the
   * event again. It must resolve within 10 seconds. An event can arrive more than once: skip an `event.id` that you have processed.
   */
  onEvent: (event: WebhookEvent<V>) => unknown;
}

/**
 * Returns a fetch handler: it accepts a POST request, verifies it and calls `onEvent`.
 *
 * Responds with 204, 401 (not verified), 405 (not POST), 413 (body too large) or 500 (`onEvent` failed; the error is logged).
 */
export function webhookHandler<V extends Variant = 'a'>(
  options: WebhookHandlerOptions<V>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, message } = await receive(options, request.method, async () => ({
      headers: request.headers,
      body: await readStream(request.body),
    }));
    return new Response(message && `${message}\n`, {
      status,
      ...(status === 405 && { headers: { allow: 'POST' } }),
    });
  };
}

/** The parts of Node's `IncomingMessage` that are needed; the package has no types of Node. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Set by `express.raw()`. */
  body?: unknown;
}

/** The parts of Node's `ServerResponse` that are needed. */
export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

/**
 * Returns a handler for Express and `node:http` with the same responses as `webhookHandler`.
 *
 * In Express, mount it before `express.json()`, which consumes the raw body that the signature covers.
 */
export function nodeWebhookHandler<V extends Variant = 'a'>(
  options: WebhookHandlerOptions<V>,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { status, message } = await receive(options, request.method, async () => ({
      headers: request.headers,
      body: await rawBodyOf(request),
    }));
    if (status === 405) response.setHeader('allow', 'POST');
    response.statusCode = status;
    response.end(message === null ? undefined : `${message}\n`);
  };
}

interface Outcome {
  status: number;
  message: string | null;
}

type Received = Parameters<typeof verifyWebhook>[0];

async function receive<V extends Variant>(
  { secret, onEvent, ...verifying }: WebhookHandlerOptions<V>,
  method: string | undefined,
  read: () => Promise<Received>,
): Promise<Outcome> {
  if (method !== 'POST') return { status: 405, message: 'Method not allowed. Use POST.' };
  try {
    const received = await read();
    const secrets = typeof secret === 'function' ? secret() : secret;
    const event = await verifyWebhook<V>(received, secrets, verifying);
    await onEvent(event);
    return { status: 204, message: null };
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { status: 401, message: error.message };
    if (error instanceof BodyTooLarge) return { status: 413, message: error.message };
    console.error(error);
    return { status: 500, message: 'The webhook handler failed.' };
  }
}

class BodyTooLarge extends Error {}

async function readStream(
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (stream ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new BodyTooLarge('The body is larger than 8 MiB.');
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

/** The raw bytes. `express.raw()` leaves them in `body`. */
async function rawBodyOf(request: NodeRequest): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = request;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body !== undefined) {
    const message =
      'The body was parsed before the webhook handler. Mount the handler before express.json().';
    throw new OptionsError(message, { code: 'invalid_options' });
  }
  return await readStream(request);
}
