/**
 * `/_control` of all emulators. Bodies and responses are JSON. Invalid requests return a 400 with `error`.
 *
 * | route | what it does |
 * |---|---|
 * | `GET /clock` | `{now, frozen}` |
 * | `POST /clock` `{days?, hours?, minutes?, seconds?, ms?}` or `{to}` | advances the clock; responds when all due jobs and deliveries have run |
 * | `POST /clock/frozen` `{frozen}` | freezes the clock between advances, or lets it run |
 * | `POST /settle` | responds when nothing is in flight or due |
 * | `GET`, `POST`, `DELETE /faults` | faults for the next requests: `Fault` in `faults.ts` |
 * | `GET`, `POST`, `DELETE /webhook-faults` | faults for the next events: `WebhookFault` in `webhook-faults.ts` |
 * | `POST /webhook-faults/release` | releases events that are held back for reordering |
 * | `GET`, `DELETE /requests?method=&path=&account=` | recorded requests; `*` in `path` matches anything |
 * | `GET /deliveries?account=&endpoint=&state=` | queued events with their attempts |
 * | `POST /events/{id}/repeat` | sends an event again with the same id |
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { EmulatedProviderError } from '../emulated-provider-error.ts';
import { Fault, type Faults } from './faults.ts';
import type { JobScheduler } from './job-scheduler.ts';
import type { RequestLog } from './request-log.ts';
import { WebhookFault, type WebhookFaults } from './webhook-faults.ts';
import type { WebhookQueue } from './webhook-queue.ts';

export interface ControlParts {
  name: string;
  scheduler: JobScheduler;
  faults: Faults;
  webhookFaults: WebhookFaults;
  requests: RequestLog;
  webhooks: WebhookQueue;
}

export const ClockMove = z.strictObject({
  days: z.number().nonnegative().default(0),
  hours: z.number().nonnegative().default(0),
  minutes: z.number().nonnegative().default(0),
  seconds: z.number().nonnegative().default(0),
  ms: z.number().nonnegative().default(0),
  /** A point in time instead of a duration. */
  to: z.iso.datetime({ offset: true }).optional(),
});
export type ClockMove = z.input<typeof ClockMove>;

const FrozenClock = z.strictObject({ frozen: z.boolean() });

/** A router for `/_control`. Invalid bodies return a 400 that names the problem. */
export function controlApp(): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof EmulatedProviderError) return error.toResponse();
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 400);
    if (error instanceof SyntaxError) return c.json({ error: 'the body is not JSON' }, 400);
    console.error('A control route failed', error);
    return c.json({ error: String(error) }, 500);
  });
  return app;
}

/** The state of an account: the members in `?parts=`, separated by commas, or all. */
export function selectRequestedMembers<Account extends object>(
  c: Context,
  account: Account,
): Partial<Account> {
  const parts = c.req.query('parts')?.split(',');
  if (!parts?.[0]) return account;
  const held = Object.entries(account).filter(([name]) => parts.includes(name));
  // The names are members of the account.
  return Object.fromEntries(held) as Partial<Account>;
}

export function createControlRoutes(parts: ControlParts): Hono {
  const { name, scheduler, faults, webhookFaults, requests, webhooks } = parts;
  const app = controlApp();
  const clock = () => ({ now: new Date(scheduler.now()).toISOString(), frozen: scheduler.isFrozen() });

  app.get('/', (c) => c.json({ name, ...clock() }));
  app.get('/clock', (c) => c.json(clock()));
  app.post('/clock', async (c) => {
    const { days, hours, minutes, seconds, ms, to } = ClockMove.parse(await c.req.json());
    const lengthMs = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
    await scheduler.advanceTo(to === undefined ? scheduler.now() + lengthMs : Date.parse(to));
    return c.json(clock());
  });
  app.post('/clock/frozen', async (c) => {
    scheduler.setFrozen(FrozenClock.parse(await c.req.json()).frozen);
    return c.json(clock());
  });
  app.post('/settle', async (c) => {
    await scheduler.settle();
    return c.json(clock());
  });

  app.get('/faults', (c) => c.json(faults.list()));
  app.post('/faults', async (c) => {
    faults.add(Fault.parse(await c.req.json()));
    return c.json(faults.list());
  });
  app.delete('/faults', (c) => {
    faults.clear();
    return c.json(faults.list());
  });

  app.get('/webhook-faults', (c) => c.json(webhookFaults.list()));
  app.post('/webhook-faults', async (c) => {
    webhookFaults.add(WebhookFault.parse(await c.req.json()));
    return c.json(webhookFaults.list());
  });
  app.post('/webhook-faults/release', (c) => {
    webhooks.release();
    return c.json(webhookFaults.list());
  });
  app.delete('/webhook-faults', (c) => {
    webhooks.release();
    webhookFaults.clear();
    return c.json(webhookFaults.list());
  });

  app.get('/requests', (c) => {
    const { method, path, account } = c.req.query();
    return c.json(requests.list({ method, path, account }));
  });
  app.delete('/requests', (c) => {
    const { method, path, account } = c.req.query();
    requests.clear({ method, path, account });
    return c.json([]);
  });

  app.get('/deliveries', (c) => {
    const { account, endpoint, state } = c.req.query();
    return c.json(webhooks.list({ account, endpoint, state }));
  });
  app.post('/events/:id/repeat', (c) => {
    const known = webhooks.repeat(c.req.param('id'));
    return known ? c.json({}) : c.json({ error: 'the event does not exist' }, 404);
  });
  return app;
}
