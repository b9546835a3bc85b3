// The client of the project's own Auth and Storage, with the secret key. Loaded where it is first needed: most calls do
// without it. Nobody ever signs in on it, or its calls would go out as that person.
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Env } from './env.ts';

/** Gives the one client of this worker. With `timeoutMs` each of its requests takes no longer. */
export function createSupabase(env: Env<'storage'>, timeoutMs?: number): () => Promise<SupabaseClient> {
  let client: Promise<SupabaseClient> | undefined;
  const connect = async () => {
    const [{ createClient }, { z }] = await Promise.all([import('@supabase/supabase-js'), import('zod')]);
    const { default: key } = z.object({ default: z.string() }).parse(JSON.parse(env.SUPABASE_SECRET_KEYS));
    return createClient(env.SUPABASE_URL, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      ...(timeoutMs !== undefined && { global: { fetch: fetchWithin(timeoutMs) } }),
    });
  };
  return () => {
    client ??= connect();
    return client;
  };
}

const fetchWithin =
  (ms: number): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(ms) });
