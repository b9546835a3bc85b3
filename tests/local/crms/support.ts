/** A client of a fake that returns status, headers and body. */
import { type Json, type Receiver, startReceiver } from '../../support/payments/vendor-receiver.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export const clientOf =
  (base: () => string, headers: () => Record<string, string>) =>
  async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${base()}${path}`, {
      method,
      headers: { ...headers(), ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

/** A receiver of webhooks that ends with the test. */
export async function receiverFor(onFinished: (end: () => void) => void): Promise<Receiver> {
  const receiver = await startReceiver();
  onFinished(() => receiver.close());
  return receiver;
}
