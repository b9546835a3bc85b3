/**
 * Stands for QStash: the v2 protocol as the `@upstash/qstash` client and receiver speak it here. Publish and batch, delays,
 * deduplication, retries, dead letters, flow control, schedules, signatures, and the e-mail provider, whose mails it keeps.
 */
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type HttpServer, serveHttp } from '../../http-server.ts';
import { createApi } from './api.ts';
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
  host?: string | undefined;
  /** A free port when 0 or absent. */
  port?: number | undefined;
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
  /** Where pending messages, schedules and dead letters are kept; made when missing. */
  stateDir: string;
  /** Gets what was published to the e-mail provider; when it throws, the mail is retried like any message. */
  onMail: (mail: Mail) => Promise<void> | void;
  log?: ((line: string) => void) | undefined;
  clock?: Clock;
}

/**
 * Starts the emulator, with what an earlier one left in the state directory. Deliveries under way at its end are made again
 * at the next start.
 *
 * @throws the listen error, for instance when the port is taken
 */
export async function startQstash(options: QstashOptions): Promise<HttpServer> {
  const { host, port, onMail, log = () => {}, clock = systemClock } = options;
  let serve: (listener: RequestListener) => void = () => {};
  const ready = new Promise<RequestListener>((resolve) => {
    serve = resolve;
  });
  // The port comes before the state: a second emulator on the same port must not touch the journal of the first.
  const server = await serveHttp(
    (request, response) => void ready.then((listener) => listener(request, response)),
    { host, port },
  );
  const store = await openStore(options.stateDir).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const queue = createQueue(store, clock, createDelivery(options.currentSigningKey, onMail), log);
  const schedules = createSchedules(store, clock, queue);
  const signingKeys = { current: options.currentSigningKey, next: options.nextSigningKey };
  const api = createApi({ token: options.token, signingKeys, store, queue, schedules, log });
  serve(getRequestListener(api.fetch));

  return {
    url: server.url,
    async close() {
      schedules.close();
      await Promise.all([server.close(), queue.close()]);
      await store.close();
    },
  };
}
