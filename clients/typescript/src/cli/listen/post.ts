// Sends one request like a webhook delivery: only these headers, no redirects, ten seconds in total.
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { OutgoingRequest } from '../../../../../shared/webhooks/delivery/http-client.ts';

/** The timeout of a webhook delivery. */
const TIMEOUT_MS = 10_000;

export interface Answer {
  /** Undefined if there was no response. */
  status: number | undefined;
  durationMs: number;
  /** Why the delivery failed; undefined if it succeeded. */
  error: string | undefined;
}

/** Sends the request once. Resolves even if it fails. */
export function post(url: URL, { headers, body }: OutgoingRequest, timeoutMs = TIMEOUT_MS): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let status: number | undefined;
    const end = (error?: string) => {
      clearTimeout(timer);
      request.destroy();
      resolve({ status, durationMs: Math.round(performance.now() - startedAt), error });
    };
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request: ClientRequest = send(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'Content-Length': String(body.length) },
    });
    const timer = setTimeout(() => end(`no complete response within ${timeoutMs} ms`), timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) => end(reasonOf(error)));
    request.on('response', (response) => {
      status = response.statusCode ?? 0;
      const delivered = status >= 200 && status < 300;
      response.on('error', () => end('the response ended early'));
      response.on('end', () => end(delivered ? undefined : `the receiver returned ${status}`));
      response.resume();
    });
    request.end(body);
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'connection refused: no program listens on this port';
  if (error.code === 'ECONNRESET') return 'the connection closed without a response';
  return error.message || error.code || 'no response';
}
