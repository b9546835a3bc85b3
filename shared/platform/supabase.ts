// The client for the project's Auth and Storage with the secret key. It is loaded on first use, because most requests do not need it.
// Never sign in a user with it, because its calls would then run as that user.
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Env } from './env.ts';
import { inSpan, traceFetch } from './tracing/scope.ts';

/** Returns a function that creates the client on first use. `timeoutMs` limits each of its requests. */
export function createSupabase(env: Env<'storage'>, timeoutMs?: number): () => Promise<SupabaseClient> {
  let client: Promise<SupabaseClient> | undefined;
  const connect = async () => {
    const [{ createClient }, { z }] = await Promise.all([import('@supabase/supabase-js'), import('zod')]);
    const { default: key } = z.object({ default: z.string() }).parse(JSON.parse(env.SUPABASE_SECRET_KEYS));
    return createClient(env.SUPABASE_URL, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { fetch: tracedFetch(timeoutMs) },
    });
  };
  return () => {
    client ??= connect();
    return client;
  };
}

/** `fetch` with a timeout and a span. */
const tracedFetch =
  (timeoutMs: number | undefined): typeof fetch =>
  async (input, init) => {
    const { pathname, hostname } = new URL(input instanceof Request ? input.url : input);
    return await inSpan('client', pathname.startsWith('/auth/') ? 'auth' : 'storage', async (span) => {
      const { method, headers } = traceFetch(init);
      span?.set('server.address', hostname).set('http.request.method', method);
      const response = await fetch(input, {
        ...init,
        headers,
        ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
      });
      span?.respond(response.status);
      return response;
    });
  };
