/** The v2 API over HTTP: reads requests, calls the queue and the schedules, and answers once the change is on disk. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { page, readFilter } from './filters.ts';
import { renderMessage, renderSchedule } from './message.ts';
import { BadRequest, type PublishHeaders, readPublication } from './publication.ts';
import type { Queue } from './queue.ts';
import type { Schedules } from './schedules.ts';
import type { Store } from './store.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** The Node request is at hand, for the destination's own spelling. */
export type Environment = { Bindings: HttpBindings };

/** What the routes work with. */
export interface Parts {
  token: string;
  currentSigningKey: string;
  nextSigningKey: string;
  store: Store;
  queue: Queue;
  schedules: Schedules;
  log: (line: string) => void;
}

const batchItems = z.array(
  z.object({
    destination: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().nullish(),
    queue: z.string().optional(),
  }),
);

/** The whole API, all of it behind the bearer token. */
export function createRoutes(parts: Parts): Hono<Environment> {
  const { store, log } = parts;
  const app = new Hono<Environment>();

  app.onError((error, c) => {
    if (error instanceof BadRequest) return c.json({ error: error.message }, 400);
    log(`qstash: ${c.req.method} ${c.req.path}: ${String(error)}`);
    return c.json({ error: 'internal error' }, 500);
  });
  app.notFound((c) => c.json({ error: `not found: ${c.req.method} ${c.req.path}` }, 404));

  app.use(async (c, next) => {
    if (!sameText(c.req.header('authorization') ?? '', `Bearer ${parts.token}`)) {
      return c.json({ error: 'unable to authenticate: invalid token' }, 401);
    }
    return next();
  });
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) => c.json({ error: 'the body is larger than 10 MB' }, 413),
    }),
  );
  // Nothing is acknowledged before it is safe from a kill.
  app.use(async (_, next) => {
    await next();
    await store.flush();
  });

  app.get('/v2/keys', (c) => c.json({ current: parts.currentSigningKey, next: parts.nextSigningKey }));
  publishRoutes(app, parts);
  messageRoutes(app, parts);
  scheduleRoutes(app, parts);
  app.route('/v2/dlq', deadLetterRoutes(parts));
  return app;
}

function publishRoutes(app: Hono<Environment>, { queue }: Parts): void {
  app.post('/v2/publish/*', async (c) => {
    const headers = c.req.header();
    const body = new Uint8Array(await c.req.arrayBuffer());
    const publication = readPublication(destinationAfter('/v2/publish/', c), headers, body, callerIp(c));
    const accepted = queue.publish(publication, headers);
    return c.json(accepted, accepted.deduplicated ? 202 : 201);
  });

  app.post('/v2/batch', async (c) => {
    const items = batchItems.safeParse(parseJson(await c.req.text()));
    if (!items.success) throw new BadRequest(`invalid batch: ${z.prettifyError(items.error)}`);
    // All are read before the first is accepted, so that a bad one refuses the whole batch.
    const publications = items.data.map(({ destination, headers: given, body, queue: queueName }) => {
      if (queueName !== undefined) throw new BadRequest('queues are not emulated');
      const headers = lowerCaseNames(given);
      return {
        headers,
        publication: readPublication(destination, headers, Buffer.from(body ?? ''), callerIp(c)),
      };
    });
    return c.json(
      publications.map(({ publication, headers }) => queue.publish(publication, headers)),
      201,
    );
  });
}

function messageRoutes(app: Hono<Environment>, { queue, store }: Parts): void {
  const messages = store.all('messages');
  const unknown = { error: 'message not found' };

  app.get('/v2/messages/:id', (c) => {
    const message = messages.get(c.req.param('id'));
    return message === undefined ? c.json(unknown, 404) : c.json(renderMessage(message));
  });
  app.delete('/v2/messages/:id', (c) =>
    queue.cancel(c.req.param('id')) ? c.json({ cancelled: 1 }) : c.json(unknown, 404),
  );
  app.delete('/v2/messages', (c) => {
    const matches = readFilter(new URL(c.req.url).searchParams);
    const chosen = [...messages.values()].filter((message) => matches(message));
    return c.json({ cancelled: chosen.filter(({ messageId }) => queue.cancel(messageId)).length });
  });
  app.get('/v2/messages', (c) => {
    const query = new URL(c.req.url).searchParams;
    const matches = readFilter(query);
    const found = page(
      [...messages.values()].filter((message) => matches(message)),
      query,
    );
    return c.json({ messages: found.items.map(renderMessage), cursor: found.cursor });
  });
}

function scheduleRoutes(app: Hono<Environment>, { schedules, store }: Parts): void {
  const kept = store.all('schedules');
  const unknown = { error: 'schedule not found' };

  app.post('/v2/schedules/*', async (c) => {
    const headers = c.req.header();
    const body = new Uint8Array(await c.req.arrayBuffer());
    const publication = readPublication(destinationAfter('/v2/schedules/', c), headers, body, callerIp(c));
    const { scheduleId } = schedules.set(
      publication,
      headers['upstash-cron'],
      headers['upstash-schedule-id'],
    );
    return c.json({ scheduleId }, 201);
  });
  app.get('/v2/schedules', (c) => c.json([...kept.values()].map(renderSchedule)));
  app.get('/v2/schedules/:id', (c) => {
    const schedule = kept.get(c.req.param('id'));
    return schedule === undefined ? c.json(unknown, 404) : c.json(renderSchedule(schedule));
  });
  app.delete('/v2/schedules/:id', (c) =>
    schedules.remove(c.req.param('id')) ? c.body(null, 200) : c.json(unknown, 404),
  );
  app.patch('/v2/schedules/:id/:action{pause|resume}', (c) => {
    const { id, action } = c.req.param();
    return schedules.pause(id, action === 'pause') ? c.body(null, 200) : c.json(unknown, 404);
  });
}

/** The destination is the rest of the URL, spelled as the publisher spelled it. */
const destinationAfter = (prefix: string, c: Context<Environment>): string =>
  (c.env.incoming.url ?? '').slice(prefix.length);

const callerIp = (c: Context<Environment>): string => c.env.incoming.socket.remoteAddress ?? '';

const lowerCaseNames = (headers: Record<string, string>): PublishHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest('the body is not JSON');
  }
}

function sameText(a: string, b: string): boolean {
  const [digestA, digestB] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return digestA !== undefined && digestB !== undefined && timingSafeEqual(digestA, digestB);
}
