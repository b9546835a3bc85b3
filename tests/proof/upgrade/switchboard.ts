// The address of the functions during an upgrade: routes the requests of each function to its current version.
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type HttpServer, serveHttp } from '../../../local/http-server.ts';
import { LOOPBACK } from '../../../local/ports.ts';

export interface Switchboard extends HttpServer {
  /** Port of each function. Requests in flight are not rerouted. */
  ports: Map<string, number>;
}

const PREFIX = '/functions/v1';

export async function startSwitchboard(): Promise<Switchboard> {
  const ports = new Map<string, number>();
  const server = await serveHttp((incoming, outgoing) => forward(ports, incoming, outgoing), { port: 0 });
  return { ...server, ports };
}

function forward(ports: Map<string, number>, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const path = incoming.url?.slice(PREFIX.length) ?? '';
  const port = ports.get(/^\/([^/?]+)/.exec(path)?.[1] ?? '');
  if (port === undefined) return void outgoing.writeHead(404).end();
  const headers = { ...incoming.headers, host: `${LOOPBACK}:${port}`, 'cf-connecting-ip': LOOPBACK };
  const upstream = request({ host: LOOPBACK, port, path, method: incoming.method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  // A broken connection is passed on as such: a response would hide it.
  upstream.on('error', () => outgoing.destroy());
  incoming.pipe(upstream);
}
