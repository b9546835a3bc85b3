// A proxy in front of the functions that injects the faults of a test.
import { createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';

/** Forwarded; answered with this status; closed before forwarding; forwarded, and closed instead of a response. */
export type Fault = 'pass' | 'busy' | 'away' | 'cut' | 'lose';

export interface FaultyProxy {
  url: string;
  /** Method, path and outcome of all requests. */
  seen: { request: string; fault: Fault; key: string | undefined }[];
}

/** Ends with the test. `choose` is called for each request, the nth of its path from 0. */
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
