// The HTTP servers of the stack: the gateway, and the emulators that have an address of their own.
import { createServer, type RequestListener } from 'node:http';
import { LOOPBACK, listen } from './ports.ts';

export interface HttpServer {
  /** Without a slash at the end. */
  url: string;
  /** Cuts the connections that are open. */
  close(): Promise<void>;
}

/** Longer than clients keep an idle connection: with Node's five seconds they would now and then use one that is just closed. */
const KEEP_ALIVE_MS = 120_000;

/** Starts a server; port 0 takes a free one. Throws `EADDRINUSE` when the port is taken. */
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
