// One request as a delivery is sent: these headers and no others, no redirect followed, ten seconds for all of it.
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Outgoing } from '../../../../../shared/webhooks/delivery/http-client.ts';

/** As long as a delivery has. */
const TIMEOUT_MS = 10_000;

export interface Answer {
  /** Undefined when there was no answer. */
  status: number | undefined;
  durationMs: number;
  /** Why it does not count as delivered; undefined when it does. */
  error: string | undefined;
}

/** Sends once. Whatever happens is an answer. */
export function post(url: URL, { headers, body }: Outgoing, timeoutMs = TIMEOUT_MS): Promise<Answer> {
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
    const timer = setTimeout(() => end(`no complete answer within ${timeoutMs} ms`), timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) => end(reasonOf(error)));
    request.on('response', (response) => {
      status = response.statusCode ?? 0;
      const delivered = status >= 200 && status < 300;
      response.on('error', () => end('the answer broke off before its end'));
      response.on('end', () => end(delivered ? undefined : `the receiver answered ${status}`));
      response.resume();
    });
    request.end(body);
  });
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'nobody listens there';
  if (error.code === 'ECONNRESET') return 'the connection was closed without an answer';
  return error.message || error.code || 'no answer';
}
