// An HTTP proxy in front of the stack that injects faults: closes connections, does not respond, or responds itself.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export type Fault =
  /** Closes the connection before the request is executed, after it was executed, or in the middle of the response. */
  | 'cut'
  | 'cut-answer'
  | 'cut-body'
  /** Never responds. */
  | 'silent'
  | { status: number; headers?: Record<string, string>; body?: unknown };

export interface Seen {
  atMs: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

interface FaultProxy {
  url: string;
  seen: Seen[];
  /** Requests to this path, without the query. */
  to(path: string): Seen[];
}

/** `faultOf` returns the fault of the nth request (from 0) to its path, or undefined to pass it on. The proxy ends with the test. */
export async function startFaultProxy(
  target: string,
  faultOf: (seen: Seen, nth: number) => Fault | undefined = () => undefined,
): Promise<FaultProxy> {
  const seen: Seen[] = [];
  const pathOf = (path: string) => path.replace(/\?.*/, '');
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const nth = seen.filter((earlier) => pathOf(earlier.path) === pathOf(path)).length;
    const now = { atMs: Date.now(), method, path, headers, body: Buffer.concat(chunks).toString() };
    seen.push(now);
    const fault = faultOf(now, nth);
    if (fault === 'cut') return void response.destroy();
    if (fault === 'silent') return;
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      return void response.end(
        JSON.stringify(fault.body ?? { error: { code: 'SERVER_ERROR', message: 'x' } }),
      );
    }
    await pass(target, now, response, fault).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    to: (path) => seen.filter((one) => pathOf(one.path) === path),
  };
}

/** Hop-by-hop headers, or headers that are set again. */
const OWN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'content-encoding',
]);

async function pass(
  target: string,
  { method, path, headers, body }: Seen,
  response: ServerResponse,
  fault: 'cut-answer' | 'cut-body' | undefined,
): Promise<void> {
  const kept = Object.entries(headers).filter(([name]) => !OWN.has(name));
  const answer = await fetch(target + path, {
    method,
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    ...(body && { body }),
  });
  const text = await answer.text();
  if (fault === 'cut-answer') return void response.destroy();
  const given = [...answer.headers].filter(([name]) => !OWN.has(name));
  if (fault === 'cut-body') {
    response.writeHead(answer.status, { ...Object.fromEntries(given), 'content-length': text.length + 100 });
    return void response.write(text, () => response.destroy());
  }
  response.writeHead(answer.status, Object.fromEntries(given));
  response.end(text);
}
