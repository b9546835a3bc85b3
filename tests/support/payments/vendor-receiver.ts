/** A server that the webhooks of a vendor's emulator reach. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A body of the wire, of which a test looks at what it is about. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked by expectations
export type Json = any;

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  /** As it came: what a signature is of. */
  raw: string;
  body: Json;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** What is answered from here on; the default is 200. */
  answer: (request: Received) => { status: number; body?: unknown; headers?: Record<string, string> };
  /** What they say happened, in the vendor's words. */
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
  // A server that listens on a port has this form of address.
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
