// HTTP server for the gateway and for emulators with their own port.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { LOOPBACK, listen } from './ports.ts';

export interface HttpServer {
  /** Without a trailing slash. */
  url: string;
  /** Closes open connections, too. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections. With Node's default of 5 s, clients would sometimes use a closing connection. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Whether the request names this machine as its host. Pages of other sites cannot: a foreign name that resolves to this machine (DNS
 * rebinding) stays in the header.
 */
export function namesThisMachine({ headers }: IncomingMessage): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(headers.host ?? '');
}

/** Answers requests that do not name this machine with 403. */
export const forThisMachine =
  (listener: RequestListener): RequestListener =>
  (incoming, outgoing) => {
    if (namesThisMachine(incoming)) return listener(incoming, outgoing);
    outgoing
      .writeHead(403, { 'content-type': 'text/plain' })
      .end('Use 127.0.0.1 or localhost as the host.\n');
  };

/** Starts a server. Port 0 selects a free port. Throws `EADDRINUSE`. */
export async function serveHttp(
  listener: RequestListener,
  options: { host?: string | undefined; port?: number | undefined } = {},
): Promise<HttpServer> {
  const { host = LOOPBACK, port = 0 } = options;
  const server = createServer(listener);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const bound = await listen(server, { host, port });
  return {
    url: `http://${host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
