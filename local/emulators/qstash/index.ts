/**
 * Emulates the QStash v2 protocol as used by the `@upstash/qstash` client and receiver: publish and batch, delays,
 * deduplication, retries, dead letters, flow control, schedules, signatures and the email provider, whose emails it captures.
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
  /** Listen address. Default: 127.0.0.1. */
  host?: string | undefined;
  /** Default: a free port, also for 0. */
  port?: number | undefined;
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
  /** Folder for pending messages, schedules and dead letters. Created if missing. */
  stateDir: string;
  /** Receives emails to the email provider. If it throws, the email is retried like any message. */
  onMail: (mail: Mail) => Promise<void> | void;
  log?: ((line: string) => void) | undefined;
  clock?: Clock;
}

/**
 * Starts the emulator with the state of an earlier run. Deliveries that were in flight are repeated.
 *
 * @throws the listen error, for example if the port is in use
 */
export async function startQstash(options: QstashOptions): Promise<HttpServer> {
  const { host, port, onMail, log = () => {}, clock = systemClock } = options;
  let serve: (listener: RequestListener) => void = () => {};
  const ready = new Promise<RequestListener>((resolve) => {
    serve = resolve;
  });
  // Listens before it opens the state: a second emulator on the same port must not touch the journal of the first.
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
