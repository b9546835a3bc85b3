/** Stands for a customer's endpoint: a receiver of webhooks that accepts everything and shows what it got. */
import { type Context, Hono } from 'hono';
import { basePath } from 'hono/route';
import { keepEntries } from './kept-entries.ts';

const MAX_ENTRIES = 1000;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** A request as the inbox lists it. */
export interface KeptRequest {
  /** RFC 3339, UTC. */
  at: string;
  /** Below the address of the inbox, beginning with a slash, without the query. */
  path: string;
  /** By lower-case name. */
  headers: Record<string, string>;
  /** The raw text, cut after 1 MiB. */
  body: string;
}

export interface Inbox {
  newestFirst(): KeptRequest[];
  /** `GET /` lists the requests, newest first; `DELETE /` empties the inbox; anything else is kept. */
  routes: Hono;
}

/** Opens the inbox of a directory; beyond 1000 requests the oldest go. */
export function createInbox(directory: string): Inbox {
  const requests = keepEntries<KeptRequest>(directory, {
    maxEntries: MAX_ENTRIES,
    maxCharacters: MAX_CHARACTERS,
  });
  const routes = new Hono();
  routes.all('*', async (c) => {
    const path = pathBelowMount(c);
    if (path === '/' && c.req.method === 'GET') return c.json(requests.newestFirst());
    if (path === '/' && c.req.method === 'DELETE') {
      await requests.clear();
      return c.body(null, 204);
    }
    await requests.add({
      at: new Date().toISOString(),
      path,
      headers: c.req.header(),
      body: await readBody(c.req.raw.body),
    });
    return c.json({ received: true });
  });
  return { newestFirst: () => requests.newestFirst(), routes };
}

function pathBelowMount(c: Context): string {
  const mount = basePath(c).replace(/\/+$/, '');
  return c.req.path.slice(mount.length) || '/';
}

/** Reads to the end, so that the sender isn't cut off, but keeps only the beginning. */
async function readBody(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    if (bytes < MAX_BODY_BYTES) chunks.push(chunk.subarray(0, MAX_BODY_BYTES - bytes));
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}
