/**
 * The server of a vendor's fake: the vendor's host, and `/_control`. A fake has a state, the documented responses that our adapters use,
 * faults on demand, and events with signatures as documented. It is not the vendor: that our adapters read the vendor right is shown by
 * `npm run check:provider` at the vendor's sandbox, and `npm run check:crm` at a test account.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { requireLoopbackHost, serveHttp } from '../http-server.ts';
import { type Clock, type ClockState, createClock } from './clock.ts';
import { type Controls, controlOf, controlRoutes, type Remote } from './controls.ts';
import {
  ATTEMPT,
  createDeliveries,
  type Deliveries,
  type DeliveryFilter,
  type DeliveryRules,
  type DeliveryState,
  type WebhookFault,
} from './deliveries.ts';
import { createFaults, type FaultOrder, withFault } from './faults.ts';
import { createRequestLog, type RequestFilter } from './request-log.ts';
import { VendorError } from './vendor-error.ts';

export interface FakeOptions {
  /** Default: a free port, also for 0. */
  port?: number | undefined;
  /** Folder for the state. Created if missing. Default: in memory only. */
  stateDir?: string | undefined;
}

interface FakeState<Account> {
  clock: ClockState;
  webhooks: DeliveryState;
  /** By id. All data of an account is in here, so that accounts never mix. */
  accounts: Record<string, Account>;
  /** Last sequence number. */
  last: number;
  /** The vendor's own keys by name, such as its event signing key. */
  keys: Record<string, string>;
}

/** What a vendor's fake is built on. */
export interface FakeKit<Account> {
  state: FakeState<Account>;
  clock: Clock;
  /** Base URL without a trailing slash. */
  url: string;
  /** Sequence numbers without gaps, over all accounts. */
  nextNumber(): number;
  webhooks: Pick<Deliveries, 'publish' | 'resume' | 'list'>;
}

/** The Node request, needed to detect the body of a GET. */
export type FakeEnvironment = { Bindings: HttpBindings };

/** A vendor's part. */
interface Fake<C extends Controls> {
  /** The vendor's host. Its handlers throw {@link VendorError}. */
  app: Hono<FakeEnvironment>;
  controls: C;
  rules: DeliveryRules;
  /** Scheduled jobs by name. */
  jobs: Record<string, (data: Record<string, string>) => Promise<void> | void>;
  /** Account id of the key in a request. */
  accountOf(headers: Headers): string | undefined;
  /** 429 and 5xx in the vendor's format. */
  rateLimited(): Response;
  serverError(status: number): Response;
}

export interface Moved {
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
  ms?: number;
  /** A point in time instead of a duration. */
  to?: string;
}

export type CommonControls = ReturnType<typeof commonControls>;

export interface RunningFake<C extends Controls> {
  /** Base URL of the vendor's host, without a trailing slash. */
  url: string;
  control: Remote<C & CommonControls>;
  stop(): Promise<void>;
}

/** Whether a request has a body, for any method. */
export function hasBody({ incoming }: HttpBindings): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || Number(length ?? 0) > 0;
}

interface Parts {
  accounts: Record<string, unknown>;
  clock: Clock;
  faults: ReturnType<typeof createFaults>;
  requests: ReturnType<typeof createRequestLog>;
  deliveries: Deliveries;
}

function commonControls({ accounts, clock, faults, requests, deliveries }: Parts) {
  return {
    now: () => new Date(clock.now()).toISOString(),
    /** Advances the clock. Responds when all due jobs and deliveries have run. */
    async advance({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0, to }: Moved) {
      const lengthMs = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
      await clock.advanceTo(to === undefined ? clock.now() + lengthMs : Date.parse(to));
    },
    /** Freezes the clock between advances, for tests of exact times, or lets it run. */
    setFrozen: (frozen: boolean) => clock.setFrozen(frozen),
    /** Responds when nothing is in flight or due. */
    settle: () => clock.settle(),
    /** Adds a fault for the next requests. */
    fault: (order: FaultOrder) => faults.add(order),
    clearFaults: () => faults.clear(),
    /** Adds a fault for the next events. */
    webhookFault: (order: WebhookFault) => deliveries.fault(order),
    clearWebhookFaults: () => deliveries.clearFaults(),
    /** Sends events that are held back for reordering. */
    releaseEvents: () => deliveries.release(),
    /** Recorded requests, oldest first. */
    requests: (filter?: RequestFilter) => requests.list(filter),
    forgetRequests: (filter?: RequestFilter) => requests.clear(filter),
    /** Queued and recent events with their attempts. */
    deliveries: (filter?: DeliveryFilter) => [...deliveries.list(filter)],
    accounts: () => Object.keys(accounts),
  };
}

/** Members of an account, or all of it. */
export function partsOf<Account extends object, Part extends keyof Account>(
  account: Account,
  parts: Part[],
): Account {
  if (parts.length === 0) return account;
  // Callers read only the members that they name.
  return Object.fromEntries(parts.map((part) => [part, account[part]])) as Account;
}

/** Changes may be lost by a crash within this time. */
const WRITE_EACH_MS = 2_000;

/** Loads the state of an earlier run, or starts with `initial`. Only this module writes the file, so its content is a T. */
async function openState<T extends object>(file: string | undefined, initial: T) {
  if (file === undefined) return { state: initial, changed: () => {}, close: async () => {} };
  const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const state: T = found === undefined ? initial : { ...initial, ...JSON.parse(found) };
  let isChanged = false;
  async function write(): Promise<void> {
    if (!isChanged) return;
    isChanged = false;
    await writeFile(`${file}.new`, JSON.stringify(state));
    await rename(`${file}.new`, file ?? '');
  }
  let writing = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(write).catch((error: unknown) => console.error(`Cannot write ${file}`, error));
  }, WRITE_EACH_MS);
  return {
    state,
    changed: () => {
      isChanged = true;
    },
    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}

/**
 * Starts a fake with the state of an earlier run. Throws the listen error, for example if the port is in use.
 *
 * @param name name of the vendor, used for its state file
 */
export async function startFake<Account, C extends Controls>(
  name: string,
  options: FakeOptions,
  create: (kit: FakeKit<Account>) => Fake<C>,
): Promise<RunningFake<C>> {
  const app = new Hono<FakeEnvironment>();
  // Listens before it opens the state: a second fake on the same port must not touch the file of the first.
  const server = await serveHttp(requireLoopbackHost(getRequestListener(app.fetch)), options);
  if (options.stateDir !== undefined) await mkdir(options.stateDir, { recursive: true });
  const file = options.stateDir === undefined ? undefined : join(options.stateDir, `${name}.json`);
  const initial: FakeState<Account> = {
    clock: { offsetMs: 0, frozenAtMs: null, jobs: [], lastJob: 0 },
    webhooks: { deliveries: [], lastDelivery: 0 },
    accounts: {},
    last: 0,
    keys: {},
  };
  const { state, changed, close } = await openState(file, initial).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const clock = createClock(state.clock, (job, data) => {
    changed();
    return job === ATTEMPT ? deliveries.attempt(Number(data.delivery)) : fake.jobs[job]?.(data);
  });
  const kit: FakeKit<Account> = {
    state,
    clock,
    url: server.url,
    nextNumber: () => {
      state.last += 1;
      return state.last;
    },
    webhooks: {
      publish: (event, endpoints) => deliveries.publish(event, endpoints),
      resume: (endpoint) => deliveries.resume(endpoint),
      list: (filter) => deliveries.list(filter),
    },
  };
  const fake = create(kit);
  const deliveries = createDeliveries(state.webhooks, clock, fake.rules);
  const parts = { clock, deliveries, accounts: state.accounts, faults: createFaults() };
  const requests = createRequestLog();
  app.route(
    '/_control',
    controlRoutes({ ...commonControls({ ...parts, requests }), ...fake.controls }, changed),
  );
  fake.app.onError((error) => {
    if (error instanceof VendorError) return error.toResponse();
    console.error(`The fake of ${name} failed`, error);
    return fake.serverError(500);
  });
  app.all('*', async (c) => {
    const { incoming, outgoing } = c.env;
    const account = fake.accountOf(c.req.raw.headers);
    const { method, path } = c.req;
    const fault = parts.faults.take({ method, path, account });
    const logged = requests.add(c.req, await c.req.raw.clone().text(), account, fault);
    const means = {
      cut: () => void incoming.socket.destroy(),
      gone: new Promise<void>((resolve) => outgoing.once('close', () => resolve())),
      rateLimited: fake.rateLimited,
      serverError: fake.serverError,
    };
    return withFault(fault, means, async () => {
      const response = await fake.app.fetch(c.req.raw, c.env);
      logged.status = response.status;
      changed();
      return response;
    });
  });
  clock.start();
  return {
    url: server.url,
    control: controlOf<C & CommonControls>(server.url),
    async stop() {
      deliveries.close();
      await server.close();
      await clock.stop();
      await close();
    },
  };
}
