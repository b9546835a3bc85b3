/**
 * What emulators of payment vendors share: a server with the vendor's whole host, and beside it `/_control`, which is none
 * of the vendor's and by which tests move the clock, order faults, and read what was asked and sent. `control-routes.ts`
 * names its routes, `control.ts` is a client for them.
 */
import { join } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { serveHttp } from '../http-server.ts';
import { type Agenda, type AgendaState, createAgenda, newAgendaState } from './agenda.ts';
import { createControlRoutes } from './control-routes.ts';
import { createFaults, type FaultMeans, withFault } from './faults.ts';
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
  /** Address to listen on; 127.0.0.1 when absent. */
  host?: string | undefined;
  /** A free port when 0 or absent. */
  port?: number | undefined;
  /** Where the state is kept; made when missing. Absent: in memory alone. */
  stateDir?: string | undefined;
}

export interface ProviderState<Account> {
  agenda: AgendaState;
  webhooks: WebhookState;
  /** By id. What belongs to an account is in here and nowhere else, so that accounts never mix. */
  accounts: Record<string, Account>;
  /** The last number given to anything. */
  last: number;
  /** Keys of the vendor's own by name, such as the one it signs events with. */
  keys: Record<string, string>;
}

/** What a vendor's emulator builds on. */
export interface ProviderKit<Account> {
  state: ProviderState<Account>;
  agenda: Agenda;
  /** Where it listens, without a slash at the end. */
  url: string;
  /** Says that the state changed outside a request and outside the agenda. */
  changed(): void;
  /** Numbers without gaps, over all accounts. */
  nextNumber(): number;
  webhooks: Pick<WebhookQueue, 'publish' | 'resume' | 'list'>;
}

/** A vendor, as the server needs it. */
export interface Vendor {
  /** Everything of the vendor's host: its API, its pages, its files. Made by {@link vendorApp}. */
  app: Hono<VendorEnvironment>;
  /** Its own routes under `/_control`. */
  control: Hono;
  rules: WebhookRules;
  /** Id of the account whose key came with a request. */
  accountOf(headers: Headers): string | undefined;
  /** 429 in the vendor's words. */
  rateLimited(): Response;
  /** 5xx in the vendor's words. */
  serverError(status: number): Response;
}

/** The Node request is at hand: a body of a GET shows nowhere else. */
export type VendorEnvironment = { Bindings: HttpBindings };

export interface RunningProvider {
  /** The root of the vendor's host, without a slash at the end. */
  url: string;
  stop(): Promise<void>;
}

/** An app whose refusals are thrown as {@link VendorError}. */
export function vendorApp(serverError: (status: number) => Response): Hono<VendorEnvironment> {
  const app = new Hono<VendorEnvironment>();
  app.onError((error) => {
    if (error instanceof VendorError) return error.toResponse();
    console.error('The emulator failed', error);
    return serverError(500);
  });
  return app;
}

/** Whether a request brought a body, even one of a method that has none. */
export function hasBody({ incoming }: HttpBindings): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

/**
 * Starts an emulator, with what an earlier one left in the folder.
 *
 * @param name of the vendor: of its folder's file, and in messages
 * @throws the listen error, for instance when the port is taken
 */
export async function startProvider<Account>(
  name: string,
  options: ProviderOptions,
  createVendor: (kit: ProviderKit<Account>) => Vendor,
): Promise<RunningProvider> {
  const app = new Hono<VendorEnvironment>();
  // The port comes before the state: a second emulator on the same port must not touch the file of the first.
  const server = await serveHttp(getRequestListener(app.fetch), options);
  const file = options.stateDir === undefined ? undefined : join(options.stateDir, `${name}.json`);
  const kept = await keepState<ProviderState<Account>>(file, {
    agenda: newAgendaState(),
    webhooks: newWebhookState(),
    accounts: {},
    last: 0,
    keys: {},
  }).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const { state, changed } = kept;
  const agenda = createAgenda(state.agenda, changed);
  const faults = createFaults();
  const webhookFaults = createWebhookFaults();
  const requests = createRequestLog();
  const kit: ProviderKit<Account> = {
    state,
    agenda,
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
    agenda,
    rules: vendor.rules,
    faults: webhookFaults,
    onChange: changed,
  });

  vendor.control.use(async (_, next) => {
    await next();
    changed();
  });
  app.route('/_control', createControlRoutes({ name, agenda, faults, webhookFaults, requests, webhooks }));
  app.route('/_control', vendor.control);
  app.all('*', async (c) => {
    const { method, path } = c.req;
    const { incoming, outgoing } = c.env;
    const account = vendor.accountOf(c.req.raw.headers);
    const text = await c.req.raw.clone().text();
    const fault = faults.take({ method, path, account });
    const logged = requests.add({
      at: new Date(agenda.now()).toISOString(),
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
  agenda.start();

  return {
    url: server.url,
    async stop() {
      webhooks.close();
      await server.close();
      await agenda.stop();
      await kept.close();
    },
  };
}
