/** Emulates a customer's webhook endpoint: accepts all requests and lists them. */
import { type Context, Hono } from 'hono';
import { basePath } from 'hono/route';
import { openEntryLog } from './entry-log.ts';

const MAX_ENTRIES = 1000;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** A request as listed by the inbox. */
export interface RecordedRequest {
  /** RFC 3339, UTC. */
  at: string;
  /** Path below the inbox URL, with a leading slash and without the query. */
  path: string;
  /** Keys in lower case. */
  headers: Record<string, string>;
  /** The raw text, truncated after 1 MiB. */
  body: string;
}

export interface Inbox {
  newestFirst(): RecordedRequest[];
  /** `GET /` lists the requests, newest first; `DELETE /` empties the inbox; other requests are recorded. */
  routes: Hono;
}

/** Opens the inbox of a directory. Keeps the newest 1000 requests. */
export function createInbox(directory: string): Inbox {
  const requests = openEntryLog<RecordedRequest>(directory, {
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

/** Reads the whole body so that the sender is not cut off, but returns only the beginning. */
async function readBody(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    if (bytes < MAX_BODY_BYTES) chunks.push(chunk.subarray(0, MAX_BODY_BYTES - bytes));
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}
