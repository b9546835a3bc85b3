// Webhook endpoints for Express and `node:http`. The types are structural, because the package has no types of Node.
import type { Variant } from '../records/types.ts';
import { collectBody } from './body.ts';
import { createReceiver, handlerFailed, type Outcome, type WebhookOptions } from './receiver.ts';
import { wrongCall } from './verify.ts';

/** The parts of Express' `Request` and Node's `IncomingMessage` that are needed. */
export interface ExpressRequest {
  method?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Set by `express.raw()` and other parsers. */
  body?: unknown;
  readableEnded?: boolean;
  readableDidRead?: boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The parts of Express' `Response` and Node's `ServerResponse` that are needed. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

/**
 * Returns a webhook endpoint for Express and `node:http`, with the same responses as `webhookHandler`.
 *
 * In Express, mount it before `express.json()`, which consumes the raw body that the signature covers. The unread body and the `Buffer`
 * of `express.raw()` are accepted. If the body was parsed before, it passes an `OptionsError` to `next`.
 *
 * @throws OptionsError if there is no secret
 */
export function expressWebhook<V extends Variant = 'a'>(
  options: WebhookOptions<V>,
): (request: ExpressRequest, response: ExpressResponse, next?: (error: unknown) => unknown) => Promise<void> {
  const receive = createReceiver(options);
  return async (request, response, next) => {
    const { method, headers } = request;
    try {
      const delivery = {
        method,
        headers,
        length: headers['content-length']?.toString(),
        read: (maxBytes: number) => bodyOf(request, maxBytes),
      };
      respond(response, await receive(delivery));
    } catch (error) {
      if (next) next(error);
      else respond(response, handlerFailed(error));
    }
  };
}

function respond(response: ExpressResponse, { status, text }: Outcome): void {
  response.statusCode = status;
  if (status === 405) response.setHeader('Allow', 'POST');
  if (text) response.setHeader('Content-Type', 'text/plain');
  response.end(text);
}

function bodyOf(request: ExpressRequest, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = collectBody(maxBytes);
  // The parsers of Express 4 set it to {} even if they do not read the body.
  const given = request.body;
  return new Promise((resolve, reject) => {
    const add = (chunk: Uint8Array) => {
      try {
        body.add(chunk);
      } catch (error) {
        // The rest is read and dropped, so that the client gets the response.
        reject(error);
      }
    };
    if (given instanceof Uint8Array) {
      add(given);
      resolve(body.bytes());
    } else if (request.readableEnded || (request.readableDidRead ?? given !== undefined)) {
      reject(
        wrongCall('The body was parsed before the webhook handler. Mount the handler before express.json().'),
      );
    } else {
      request.on('data', add);
      request.on('end', () => resolve(body.bytes()));
      request.on('error', reject);
    }
  });
}
