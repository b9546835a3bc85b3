// A server that keeps what it receives.
import { buffer } from 'node:stream/consumers';
import { serveHttp } from '../../../../local/http-server.ts';

export interface Received {
  path: string;
  headers: Headers;
  body: Uint8Array;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  const received: Received[] = [];
  const server = await serveHttp(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const headers = new Headers(
      Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
    );
    received.push({ path: incoming.url ?? '', headers, body });
    outgoing.writeHead(200).end();
  });
  return { ...server, received };
}
