// Finds lines that have the id of an earlier line.
import { createHash } from 'node:crypto';
import { toJson } from '../../core/json.ts';
import type { Kind } from './kind.ts';
import type { Line } from './lines.ts';
import type { NamedLine } from './send.ts';

interface Earlier {
  line: number;
  /** Activities: hash of the item. */
  content: string;
}

export type SeenLines = Map<string, Earlier>;

/**
 * Remembers the line, or returns the conflict with an earlier one of the same id. A record has the content of its last line, an activity that
 * of its first, and equal activities are no conflict.
 */
export function conflictOf(seen: SeenLines, kind: Kind, { number, item }: Line): NamedLine | undefined {
  const key = kind.keyOf(item);
  const isActivity = kind.name === 'activities';
  const content = isActivity ? createHash('sha256').update(toJson(item)).digest('base64') : '';
  const earlier = seen.get(key);
  if (!earlier) seen.set(key, { line: number, content });
  if (!earlier || (isActivity && earlier.content === content)) return undefined;
  const id = kind.name === 'collaborators' ? 'email address' : 'id';
  const reason = isActivity
    ? `differs from line ${earlier.line} with this id, which counts. Use another id if they are two activities`
    : `has the ${id} of line ${earlier.line}, and changes its record`;
  return { line: number, externalId: String(item.external_id ?? ''), reason };
}
