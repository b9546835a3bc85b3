/** Sends one POST to a registered URL, on a new connection and without following redirects. */
import * as http from 'node:http';
import * as https from 'node:https';

export interface PostOptions {
  url: string;
  body: string;
  headers: Record<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface PostResponse {
  /** 0 if there was no response. */
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The response body, or the reason why there is none. */
  body: string;
}

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Never throws. */
export async function post({ url, body, headers, timeoutMs, signal }: PostOptions): Promise<PostResponse> {
  try {
    return await new Promise((resolve, reject) => {
      const target = new URL(url);
      const sent = (target.protocol === 'https:' ? https : http).request(
        target,
        {
          method: 'POST',
          agent: false,
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes <= MAX_RESPONSE_BYTES) chunks.push(chunk);
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  } catch (error) {
    return { status: 0, headers: {}, body: error instanceof Error ? error.message : String(error) };
  }
}
