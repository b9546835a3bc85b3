// The client for the project's Auth and Storage with the secret key. It is loaded on first use, because most requests do not need it.
// Never sign in a user with it, because its calls would then run as that user.
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Env } from './env.ts';

/** Returns a function that creates the client on first use. `timeoutMs` limits each of its requests. */
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
