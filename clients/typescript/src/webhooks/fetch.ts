// Webhook endpoints for servers that use `Request` and `Response`.
import type { Variant } from '../records/types.ts';
import { collectBody } from './body.ts';
import { createReceiver, type WebhookOptions } from './receiver.ts';
import { wrongCall } from './verify.ts';

/**
 * Returns a webhook endpoint for Deno, Bun, workers and other fetch servers.
 *
 * Responds with 204, 401 (not verified, with the code as text), 405 (not POST), 413 (above `maxBytes`) or 500 (`onEvent` failed; the
 * error is logged).
 *
 * @throws OptionsError if there is no secret. The endpoint throws it if the body was read before
 */
export function webhookHandler<V extends Variant = 'a'>(
  options: WebhookOptions<V>,
): (request: Request) => Promise<Response> {
  const receive = createReceiver(options);
  return async (request) => {
    const { status, text } = await receive({
      method: request.method,
      headers: request.headers,
      length: request.headers.get('content-length'),
      read: (maxBytes) => bodyOf(request, maxBytes),
    });
    const headers = {
      ...(text && { 'content-type': 'text/plain' }),
      ...(status === 405 && { allow: 'POST' }),
    };
    return new Response(text || null, { status, headers });
  };
}

/** The same as `webhookHandler`, for a route handler of Next.js: `export const POST = nextWebhook(options)`. */
export const nextWebhook: typeof webhookHandler = webhookHandler;

/** The same as `webhookHandler`, for Hono: `app.all('/hook', honoWebhook(options))`. */
export function honoWebhook<V extends Variant = 'a'>(
  options: WebhookOptions<V>,
): (context: { req: { raw: Request } }) => Promise<Response> {
  const handle = webhookHandler(options);
  return (context) => handle(context.req.raw);
}

async function bodyOf(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (request.bodyUsed || request.body?.locked) {
    throw wrongCall('The body was read before the webhook handler. Let the handler read it first.');
  }
  const body = collectBody(maxBytes);
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) body.add(chunk);
  return body.bytes();
}
