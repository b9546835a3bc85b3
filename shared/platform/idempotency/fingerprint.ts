// What makes two requests with one Idempotency-Key the same one.
import { createHash } from 'node:crypto';

/** Members in another order are the same request; an object is never the same as an array, nor 1e400 as null. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { members: members.map(([name, member]) => [name, canonical(member)]) };
}

/** SHA-256 in hex of a request's method, path and body, and of what else its answer depends on. */
export function fingerprintOf(method: string, path: string, body: unknown, ...others: string[]): string {
  const text = JSON.stringify([method, path, canonical(body), ...others]);
  return createHash('sha256').update(text).digest('hex');
}
