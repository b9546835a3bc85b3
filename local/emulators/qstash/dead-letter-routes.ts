/** `/v2/dlq`: messages that failed for good, newest first. */
import { Hono } from 'hono';
import type { Environment, Parts } from './api.ts';
import { page, readFilter } from './filters.ts';
import { type DeadLetter, renderDeadLetter } from './message.ts';

const UNKNOWN = { error: 'dlq message not found' };

/** The routes below the prefix where they are mounted. */
export function deadLetterRoutes({ store, queue }: Parts): Hono<Environment> {
  const letters = store.all('deadLetters');
  const app = new Hono<Environment>();

  function find(query: URLSearchParams): { items: DeadLetter[]; cursor: string | undefined } {
    const matches = readFilter(query);
    const found = [...letters.values()].filter((letter) => matches(letter.message, letter));
    return page(found.reverse(), query);
  }
  /** As `find`, for what takes letters off the list: what is left over is then at its beginning. */
  function findToRemove(query: URLSearchParams): { items: DeadLetter[]; cursor: string | undefined } {
    query.delete('cursor');
    const { items, cursor } = find(query);
    return { items, cursor: cursor === undefined ? undefined : '0' };
  }

  app.get('/', (c) => {
    const { items, cursor } = find(new URL(c.req.url).searchParams);
    return c.json({ messages: items.map(renderDeadLetter), cursor });
  });
  app.get('/:id', (c) => {
    const letter = letters.get(c.req.param('id'));
    return letter === undefined ? c.json(UNKNOWN, 404) : c.json(renderDeadLetter(letter));
  });
  app.delete('/', (c) => {
    const { items, cursor } = findToRemove(new URL(c.req.url).searchParams);
    for (const { dlqId } of items) store.remove('deadLetters', dlqId);
    return c.json({ deleted: items.length, cursor });
  });
  app.delete('/:id', (c) => {
    const id = c.req.param('id');
    if (!letters.has(id)) return c.json(UNKNOWN, 404);
    store.remove('deadLetters', id);
    return c.body(null, 200);
  });
  app.post('/retry', (c) => {
    const { items, cursor } = findToRemove(new URL(c.req.url).searchParams);
    const revived = items.flatMap(({ dlqId }) => queue.revive(dlqId) ?? []);
    return c.json({ responses: revived.map(({ messageId }) => ({ messageId })), cursor });
  });
  return app;
}
