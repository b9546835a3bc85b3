/** Sends one POST to a registered URL, on a new connection and without following redirects. */
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';

export interface PostOptions {
  body: string;
  headers: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Never throws: without a response, the status is 0. */
export async function post(
  url: string,
  { body, headers, timeoutMs, signal }: PostOptions,
): Promise<{ status: number; body: string }> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const { request } = url.startsWith('https:') ? https : http;
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        agent: false,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      });
      sent.on('response', resolve).on('error', reject).end(body);
    });
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    return { status: 0, body: String(error) };
  }
}
