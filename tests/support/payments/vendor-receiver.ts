/** A server that receives the webhooks of a fake. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received body. Tests read only some of its members. */
// biome-ignore lint/suspicious/noExplicitAny: tests check the content
export type Json = any;

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  /** The raw body, which signatures cover. */
  raw: string;
  body: Json;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** The status of responses from now on. Default: 200. */
  answer: (request: Received) => { status: number; body?: unknown; headers?: Record<string, string> };
  /** The event types, in the vendor's terms. */
  events(): string[];
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const receiver: Receiver = {
    url: '',
    received,
    answer: () => ({ status: 200 }),
    events: () => received.map(({ body }) => (body.event ?? body.type) as string),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const taken = { path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw) };
      received.push(taken);
      const { status, body: answer, headers } = receiver.answer(taken);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(answer === undefined ? '' : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  // The address of a server that listens on a port has this type.
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
