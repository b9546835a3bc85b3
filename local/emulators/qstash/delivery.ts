/** Makes one delivery attempt: an HTTP request to the destination, or an email to the mailbox. */
import * as http from 'node:http';
import * as https from 'node:https';
import { isMail, type Mail, sendMail } from './email-provider.ts';
import type { Answer, Message } from './message.ts';
import { signDelivery } from './signature.ts';

/** Timeout of a delivery attempt. */
const TIMEOUT_MS = 15 * 60_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
// Connection headers are not part of the message.
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Makes one attempt and resolves with its outcome. Never throws. */
export type Deliver = (message: Message, signal: AbortSignal) => Promise<Answer>;

/** @param signingKey the current signing key, which receivers check first */
export function createDelivery(signingKey: string, onMail: (mail: Mail) => Promise<void> | void): Deliver {
  return async function deliver(message, signal) {
    try {
      if (isMail(message.url)) return await sendMail(message, onMail);
      return await request(message, signingKey, signal);
    } catch (error) {
      return { status: 0, headers: {}, body: error instanceof Error ? error.message : String(error) };
    }
  };
}

function request(message: Message, signingKey: string, signal: AbortSignal): Promise<Answer> {
  const body = Buffer.from(message.bodyBase64, 'base64');
  const url = new URL(message.url);
  return new Promise((resolve, reject) => {
    // Uses a new connection: the peer may close an idle one at the moment of use, which would count as a failure.
    const sent = (url.protocol === 'https:' ? https : http).request(
      url,
      {
        method: message.method,
        agent: false,
        signal,
        headers: deliveryHeaders(message, body, signDelivery(signingKey, message.url, body)),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          if (bytes < MAX_RESPONSE_BYTES) chunks.push(chunk.subarray(0, MAX_RESPONSE_BYTES - bytes));
          bytes += chunk.length;
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
    const timer = setTimeout(() => sent.destroy(new Error('the destination timed out')), TIMEOUT_MS);
    sent.on('close', () => clearTimeout(timer));
    sent.on('error', reject);
    sent.end(body);
  });
}

function deliveryHeaders(message: Message, body: Buffer, signature: string): Record<string, string> {
  const forwarded = Object.entries(message.headers).filter(([name]) => !CONNECTION_HEADERS.has(name));
  return {
    'user-agent': 'Upstash-QStash',
    ...Object.fromEntries(forwarded),
    'content-length': String(body.length),
    'upstash-signature': signature,
    'upstash-message-id': message.messageId,
    'upstash-retried': String(message.retried),
    ...(message.scheduleId === undefined ? {} : { 'upstash-schedule-id': message.scheduleId }),
  };
}
