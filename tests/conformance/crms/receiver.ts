/** A server that receives webhooks, answers 200, and keeps them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceivedWebhook } from './subject.ts';

export interface Receiver {
  url: string;
  received: readonly ReceivedWebhook[];
  close(): void;
}

/** @param port 0: a free one */
export async function startReceiver(port: number): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    if (request.method === 'POST')
      received.push({ headers: new Headers(headers), body: Buffer.concat(parts) });
    response.end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  // The address of a server that listens on a port has this type.
  const { port: used } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${used}`, received },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
