// A proxy before the functions that does to each request what a test says.
import { createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';

/** Passed on; answered with that status; cut before it is passed on; passed on, and cut instead of answered. */
export type Fault = 'pass' | 'busy' | 'away' | 'cut' | 'lose';

export interface FaultyProxy {
  url: string;
  /** Method and path of all that came, with what was done to each. */
  seen: { request: string; fault: Fault; key: string | undefined }[];
}

/** Ends with the test. `choose` is asked for each request, the nth of its path from 0. */
export async function startFaultyProxy(choose: (path: string, nth: number) => Fault): Promise<FaultyProxy> {
  const target = new URL(inject('stack').base_url);
  const seen: FaultyProxy['seen'] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const request = `${method} ${path}`;
    const fault = choose(path, seen.filter((one) => one.request === request).length);
    seen.push({ request, fault, key: headers['idempotency-key']?.toString() });
    const body = await buffer(incoming);
    if (fault === 'cut') return void incoming.socket.destroy();
    if (fault === 'busy' || fault === 'away') {
      const status = fault === 'busy' ? 429 : 503;
      return void outgoing.writeHead(status, { 'Retry-After': '0' }).end('{}');
    }
    const onward = send(
      { host: target.hostname, port: target.port, method, path, headers, agent: false },
      async (response) => {
        const answer = await buffer(response);
        if (fault === 'lose') return void incoming.socket.destroy();
        outgoing.writeHead(response.statusCode ?? 502, response.headers).end(answer);
      },
    );
    onward.on('error', () => incoming.socket.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/functions/v1`, seen };
}
