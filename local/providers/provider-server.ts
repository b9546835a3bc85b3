/**
 * Shared server of the payment provider emulators: the vendor's host, and `/_control`, with which tests advance the clock,
 * inject faults, and read recorded requests and deliveries. `control-routes.ts` has the routes, `control.ts` a client.
 */
import { join } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { requireLoopbackHost, serveHttp } from '../http-server.ts';
import { createControlRoutes } from './control-routes.ts';
import { createFaults, type FaultMeans, withFault } from './faults.ts';
import {
  createJobScheduler,
  type JobScheduler,
  type JobSchedulerState,
  newJobSchedulerState,
} from './job-scheduler.ts';
import { keepState } from './kept-state.ts';
import { bodyForLog, createRequestLog } from './request-log.ts';
import { VendorError } from './vendor-error.ts';
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
  /** The vendor's own keys by name, such as its event signing key. */
  keys: Record<string, string>;
}

/** Services for a vendor's emulator. */
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

/** A vendor's implementation. */
export interface Vendor {
  /** The vendor's host: API, pages and files. Created by {@link vendorApp}. */
  app: Hono<VendorEnvironment>;
  /** The vendor's routes under `/_control`. */
  control: Hono;
  rules: WebhookRules;
  /** Account id of the key in a request. */
  accountOf(headers: Headers): string | undefined;
  /** 429 in the vendor's format. */
  rateLimited(): Response;
  /** 5xx in the vendor's format. */
  serverError(status: number): Response;
}

/** The Node request, needed to detect the body of a GET. */
export type VendorEnvironment = { Bindings: HttpBindings };

export interface RunningProvider {
  /** Base URL of the vendor's host, without a trailing slash. */
  url: string;
  stop(): Promise<void>;
}

/** An app whose errors are thrown as {@link VendorError}. */
export function vendorApp(serverError: (status: number) => Response): Hono<VendorEnvironment> {
  const app = new Hono<VendorEnvironment>();
  app.onError((error) => {
    if (error instanceof VendorError) return error.toResponse();
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
 * @param name name of the vendor, used for its state file and in messages
 * @throws the listen error, for example if the port is in use
 */
export async function startProvider<Account>(
  name: string,
  options: ProviderOptions,
  createVendor: (kit: ProviderKit<Account>) => Vendor,
): Promise<RunningProvider> {
  const app = new Hono<VendorEnvironment>();
  // Listens before it opens the state: a second emulator on the same port must not touch the file of the first.
  const server = await serveHttp(requireLoopbackHost(getRequestListener(app.fetch)), options);
  const file = options.stateDir === undefined ? undefined : join(options.stateDir, `${name}.json`);
  const kept = await keepState<ProviderState<Account>>(file, {
    scheduler: newJobSchedulerState(),
    webhooks: newWebhookState(),
    accounts: {},
    last: 0,
    keys: {},
  }).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const { state, changed } = kept;
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
  const vendor = createVendor(kit);
  const webhooks = createWebhookQueue({
    state: state.webhooks,
    scheduler,
    rules: vendor.rules,
    faults: webhookFaults,
    onChange: changed,
  });

  vendor.control.use(async (_, next) => {
    await next();
    changed();
  });
  app.route('/_control', createControlRoutes({ name, scheduler, faults, webhookFaults, requests, webhooks }));
  app.route('/_control', vendor.control);
  app.all('*', async (c) => {
    const { method, path } = c.req;
    const { incoming, outgoing } = c.env;
    const account = vendor.accountOf(c.req.raw.headers);
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
      rateLimited: vendor.rateLimited,
      serverError: vendor.serverError,
    };
    return withFault(fault, means, async () => {
      const response = await vendor.app.fetch(c.req.raw, c.env);
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
      await kept.close();
    },
  };
}
