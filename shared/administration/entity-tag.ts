// Entity tags of the admin API.
import { createHash } from 'node:crypto';

/**
 * The entity tag of a record: its version, which `If-Match` compares, and a hash of what the response shows, which includes what the
 * service counts. Members that are returned only once do not count, so that the tag of a write matches that of a later read.
 */
export function entityTagOf(version: string, record: unknown, shownOnce: readonly string[] = []): string {
  const shown = JSON.stringify(record, (name, value) => (shownOnce.includes(name) ? undefined : value));
  const hash = createHash('sha256').update(shown).digest('base64url').slice(0, 16);
  return `"${version.split('.')[0]}.${hash}"`;
}
