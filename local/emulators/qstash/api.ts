/** The v2 API over HTTP. Responds after changes are on disk. */
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { bearerOf, isOneOf } from '../credentials.ts';
import { renderDeadLetter, renderSchedule } from './message.ts';
import { BadRequest, readPublication } from './publication.ts';
import type { Queue } from './queue.ts';
import type { Schedules } from './schedules.ts';
import type { Store } from './store.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** The raw Node request, for the exact spelling of the destination. */
type Environment = { Bindings: HttpBindings };

interface ApiOptions {
  token: string;
  /** The current and the next key that sign deliveries. */
  signingKeys: { current: string; next: string };
  store: Store;
  queue: Queue;
  schedules: Schedules;
  log: (line: string) => void;
}

const batchItems = z.array(
  z.object({
    destination: z.string(),
    headers: z.record(z.string().toLowerCase(), z.string()).default({}),
    body: z.string().nullish(),
    queue: z.never('queues are not emulated').optional(),
  }),
);

/** The API. All routes require the bearer token. */
export function createApi({
  token,
  signingKeys,
  store,
  queue,
  schedules,
  log,
}: ApiOptions): Hono<Environment> {
  const app = new Hono<Environment>();

  app.onError((error, c) => {
    if (error instanceof BadRequest) return c.json({ error: error.message }, 400);
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 400);
    if (error instanceof SyntaxError) return c.json({ error: 'the body is not JSON' }, 400);
    log(`qstash: ${c.req.method} ${c.req.path}: ${String(error)}`);
    return c.json({ error: 'internal error' }, 500);
  });
  app.notFound((c) => c.json({ error: `not found: ${c.req.method} ${c.req.path}` }, 404));

  app.use(async (c, next) => {
    if (isOneOf([token], bearerOf(c.req.header('authorization')))) return next();
    return c.json({ error: 'unable to authenticate: invalid token' }, 401);
  });
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) => c.json({ error: 'the body is larger than 10 MB' }, 413),
    }),
  );
  // Responses wait for the flush, so that a crash cannot lose acknowledged changes.
  app.use(async (_, next) => {
    await next();
    await store.flush();
  });

  app.post('/v2/publish/*', async (c) => {
    const accepted = queue.publish(await publicationOf(c, '/v2/publish/'));
    return c.json(accepted, accepted.deduplicated ? 202 : 201);
  });
  app.post('/v2/batch', async (c) => {
    const items = batchItems.parse(await c.req.json());
    // All items are parsed before the first is accepted, so that an invalid item rejects the whole batch.
    const publications = items.map(({ destination, headers, body }) =>
      readPublication(destination, headers, Buffer.from(body ?? '')),
    );
    return c.json(
      publications.map((publication) => queue.publish(publication)),
      201,
    );
  });

  app.post('/v2/schedules/*', async (c) => {
    const publication = await publicationOf(c, '/v2/schedules/');
    const cron = c.req.header('upstash-cron');
    const { scheduleId } = schedules.set(publication, cron, c.req.header('upstash-schedule-id'));
    return c.json({ scheduleId }, 201);
  });
  app.get('/v2/schedules/:id', (c) => {
    const schedule = store.all('schedules').get(c.req.param('id'));
    return schedule ? c.json(renderSchedule(schedule)) : c.json({ error: 'schedule not found' }, 404);
  });

  app.get('/v2/keys', (c) => c.json(signingKeys));

  app.get('/v2/dlq', (c) => {
    const newestFirst = [...store.all('deadLetters').values()].reverse();
    return c.json({ messages: newestFirst.map(renderDeadLetter) });
  });
  return app;
}

/** The destination is the rest of the URL, exactly as the publisher wrote it. */
async function publicationOf(c: Context<Environment>, prefix: string) {
  const destination = (c.env.incoming.url ?? '').slice(prefix.length);
  return readPublication(destination, c.req.header(), new Uint8Array(await c.req.arrayBuffer()));
}
