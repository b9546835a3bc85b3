/** A QStash of our own: the v2 protocol as the `@upstash/qstash` client and receiver speak it. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createRoutes } from './api.ts';
import { type Clock, systemClock } from './clock.ts';
import { createDelivery } from './delivery.ts';
import type { Mail } from './email-provider.ts';
import { createQueue } from './queue.ts';
import { createSchedules } from './schedules.ts';
import { openStore } from './store.ts';

export type { Clock } from './clock.ts';
export type { Mail } from './email-provider.ts';

export interface QstashOptions {
  /** Address to listen on; 127.0.0.1 when absent. */
  host?: string;
  /** A free port when 0 or absent. */
  port?: number;
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
  /** Where pending messages, schedules and dead letters are kept; made when missing. */
  stateDir: string;
  /** Gets what was published to the e-mail provider; when it throws, the mail is retried like any message. */
  onMail: (mail: Mail) => Promise<void> | void;
  log?: (line: string) => void;
  clock?: Clock;
}

export interface Qstash {
  /** Without a slash at the end. */
  url: string;
  /** Deliveries under way are abandoned and made again at the next start. */
  close(): Promise<void>;
}

/**
 * Starts the emulator, with what an earlier one left in the state directory.
 *
 * @throws the listen error, for instance when the port is taken
 */
export async function startQstash(options: QstashOptions): Promise<Qstash> {
  const { host = '127.0.0.1', port = 0, onMail, log = () => {}, clock = systemClock } = options;
  let serve: (listener: RequestListener) => void = () => {};
  const ready = new Promise<RequestListener>((resolve) => {
    serve = resolve;
  });
  const server = createServer((request, response) => {
    void ready.then((listener) => listener(request, response));
  });
  // Longer than clients keep an idle connection: with Node's five seconds they would now and then use one that is just closed.
  server.keepAliveTimeout = 120_000;
  // The port comes before the state: a second emulator on the same port must not touch the journal of the first.
  const boundPort = await listen(server, host, port);
  const store = await openStore(options.stateDir).catch((error: unknown) => {
    server.close();
    throw error;
  });
  const queue = createQueue(store, clock, createDelivery(options.currentSigningKey, onMail), log);
  const schedules = createSchedules(store, clock, queue);
  serve(getRequestListener(createRoutes({ ...options, store, queue, schedules, log }).fetch));

  return {
    url: `http://${host}:${boundPort}`,
    async close() {
      schedules.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, queue.close()]);
      await store.close();
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
