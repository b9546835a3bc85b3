/**
 * Shared server of the payment provider emulators: the provider's host, and `/_control`, with which tests advance the clock,
 * inject faults, and read recorded requests and deliveries. `control-routes.ts` has the routes, `control.ts` a client.
 */
import { join } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { requireLoopbackHost, serveHttp } from '../../http-server.ts';
import { EmulatedProviderError } from '../emulated-provider-error.ts';
import { createControlRoutes } from './control-routes.ts';
import { createFaults, type FaultMeans, withFault } from './faults.ts';
import {
  createJobScheduler,
  type JobScheduler,
  type JobSchedulerState,
  newJobSchedulerState,
} from './job-scheduler.ts';
import { bodyForLog, createRequestLog } from './request-log.ts';
import { openStoredState } from './stored-state.ts';
import { createWebhookFaults } from './webhook-faults.ts';
import {
  createWebhookQueue,
  newWebhookState,
  type WebhookQueue,
  type WebhookRules,
  type WebhookState,
} from './webhook-queue.ts';

export interface ProviderOptions {
  /** Listen address. Default: 127.0.0.1. */
  host?: string | undefined;
  /** Default: a free port, also for 0. */
  port?: number | undefined;
  /** Folder for the state. Created if missing. Default: in memory only. */
  stateDir?: string | undefined;
}

export interface ProviderState<Account> {
  scheduler: JobSchedulerState;
  webhooks: WebhookState;
  /** By id. All data of an account is in here, so that accounts never mix. */
  accounts: Record<string, Account>;
  /** Last sequence number. */
  last: number;
  /** The provider's own keys by name, such as its event signing key. */
  keys: Record<string, string>;
}

/** Services for a provider's emulator. */
export interface ProviderKit<Account> {
  state: ProviderState<Account>;
  scheduler: JobScheduler;
  /** Base URL without a trailing slash. */
  url: string;
  /** Reports a change of the state outside a request or job. */
  changed(): void;
  /** Sequence numbers without gaps, over all accounts. */
  nextNumber(): number;
  webhooks: Pick<WebhookQueue, 'publish' | 'resume' | 'list'>;
}

/** A provider's implementation. */
export interface ProviderEmulator {
  /** The provider's host: API, pages and files. Created by {@link providerApp}. */
  app: Hono<ProviderEnvironment>;
  /** The provider's routes under `/_control`. */
  control: Hono;
  rules: WebhookRules;
  /** Account id of the key in a request. */
  accountOf(headers: Headers): string | undefined;
  /** 429 in the provider's format. */
  rateLimited(): Response;
  /** 5xx in the provider's format. */
  serverError(status: number): Response;
}

/** The Node request, needed to detect the body of a GET. */
export type ProviderEnvironment = { Bindings: HttpBindings };

export interface RunningProvider {
  /** Base URL of the provider's host, without a trailing slash. */
  url: string;
  stop(): Promise<void>;
}

/** An app whose errors are thrown as {@link EmulatedProviderError}. */
export function providerApp(serverError: (status: number) => Response): Hono<ProviderEnvironment> {
  const app = new Hono<ProviderEnvironment>();
  app.onError((error) => {
    if (error instanceof EmulatedProviderError) return error.toResponse();
    console.error('The emulator failed', error);
    return serverError(500);
  });
  return app;
}

/** Whether a request has a body, for any method. */
export function hasBody({ incoming }: HttpBindings): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

/**
 * Starts an emulator with the state of an earlier run.
 *
 * @param name name of the provider, used for its state file and in messages
 * @throws the listen error, for example if the port is in use
 */
export async function startProvider<Account>(
  name: string,
  options: ProviderOptions,
  createEmulator: (kit: ProviderKit<Account>) => ProviderEmulator,
): Promise<RunningProvider> {
  const app = new Hono<ProviderEnvironment>();
  // Listens before it opens the state: a second emulator on the same port must not touch the file of the first.
  const server = await serveHttp(requireLoopbackHost(getRequestListener(app.fetch)), options);
  const file = options.stateDir === undefined ? undefined : join(options.stateDir, `${name}.json`);
  const stored = await openStoredState<ProviderState<Account>>(file, {
    scheduler: newJobSchedulerState(),
    webhooks: newWebhookState(),
    accounts: {},
    last: 0,
    keys: {},
  }).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const { state, changed } = stored;
  const scheduler = createJobScheduler(state.scheduler, changed);
  const faults = createFaults();
  const webhookFaults = createWebhookFaults();
  const requests = createRequestLog();
  const kit: ProviderKit<Account> = {
    state,
    scheduler,
    url: server.url,
    changed,
    nextNumber: () => {
      state.last += 1;
      return state.last;
    },
    webhooks: {
      publish: (event, endpoints) => webhooks.publish(event, endpoints),
      resume: (endpoint, how) => webhooks.resume(endpoint, how),
      list: (filter) => webhooks.list(filter),
    },
  };
  const emulator = createEmulator(kit);
  const webhooks = createWebhookQueue({
    state: state.webhooks,
    scheduler,
    rules: emulator.rules,
    faults: webhookFaults,
    onChange: changed,
  });

  emulator.control.use(async (_, next) => {
    await next();
    changed();
  });
  app.route('/_control', createControlRoutes({ name, scheduler, faults, webhookFaults, requests, webhooks }));
  app.route('/_control', emulator.control);
  app.all('*', async (c) => {
    const { method, path } = c.req;
    const { incoming, outgoing } = c.env;
    const account = emulator.accountOf(c.req.raw.headers);
    const text = await c.req.raw.clone().text();
    const fault = faults.take({ method, path, account });
    const logged = requests.add({
      at: new Date(scheduler.now()).toISOString(),
      method,
      path,
      query: c.req.query(),
      headers: c.req.header(),
      account: account ?? null,
      body: bodyForLog(text),
      status: null,
      fault: fault?.kind ?? null,
    });
    const means: FaultMeans = {
      cut: () => incoming.socket.destroy(),
      gone: new Promise((resolve) => outgoing.once('close', () => resolve())),
      rateLimited: emulator.rateLimited,
      serverError: emulator.serverError,
    };
    return withFault(fault, means, async () => {
      const response = await emulator.app.fetch(c.req.raw, c.env);
      logged.status = response.status;
      changed();
      return response;
    });
  });
  scheduler.start();

  return {
    url: server.url,
    async stop() {
      webhooks.close();
      await server.close();
      await scheduler.stop();
      await stored.close();
    },
  };
}
