// HTTP server for the gateway and for emulators with their own port.
import { createServer, type RequestListener } from 'node:http';
import { LOOPBACK, listen } from './ports.ts';

export interface HttpServer {
  /** Without a trailing slash. */
  url: string;
  /** Closes open connections, too. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections. With Node's default of 5 s, clients would sometimes use a closing connection. */
const KEEP_ALIVE_MS = 120_000;

/** With any port, because a proxy on this machine may be in front. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Rejects requests whose Host header is not a loopback name. This prevents DNS rebinding, where another
 * site's host name resolves to this machine.
 */
export const requireLoopbackHost =
  (listener: RequestListener): RequestListener =>
  (incoming, outgoing) => {
    if (LOOPBACK_HOST.test(incoming.headers.host ?? '')) return listener(incoming, outgoing);
    outgoing.writeHead(403, { 'content-type': 'text/plain' });
    outgoing.end(`Open ${LOOPBACK}:${incoming.socket.localPort}. Other host names are rejected.\n`);
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
