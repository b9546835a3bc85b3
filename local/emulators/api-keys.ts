// The project's API keys, as the gateway of Supabase checks them before Auth and Storage see a request.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';

/** Whether the value is one of the keys, in a time that does not tell which part of it was right. */
export function isOneOf(keys: readonly string[], value: string | undefined): boolean {
  const given = digest(value ?? '');
  return keys.filter((key) => key !== '' && timingSafeEqual(digest(key), given)).length > 0;
}

const digest = (value: string) => createHash('sha256').update(value).digest();

/** The token of `Authorization: Bearer <token>`; without one, the `apikey` stands for it, as on Supabase. */
export function readBearer(c: Context): string | undefined {
  return /^bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? c.req.header('apikey');
}
