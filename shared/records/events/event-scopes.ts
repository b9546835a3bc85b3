// What a program must be allowed to read to be told of an event: an event holds the record.

import type { Actor } from '../../platform/access/context.ts';
import { allows, type Scope } from '../../platform/access/scopes.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { insufficientScope } from '../../platform/errors.ts';
import { eventTypes } from './event-types.ts';

type Subject = (typeof eventTypes)[number] extends infer Type
  ? Type extends `${infer Name}.${string}`
    ? Name
    : never
  : never;

/** By what an event is about: the word before the dot. Points are those of users. */
const scopes: Record<Subject, Scope> = {
  lead: 'read:leads',
  deal: 'read:deals',
  user: 'read:users',
  badge: 'read:users',
  challenge: 'read:users',
  ranking: 'read:users',
};

/** Any one of them lets a program read some events. */
export const eventScopes: readonly Scope[] = [...new Set(Object.values(scopes))];

/** The scope that an event's data needs; none for `webhook.test`, which has none. */
function scopeOf(type: string): Scope | undefined {
  const [subject = ''] = type.split('.');
  // Looked up by any word: what is not in the table gives undefined.
  return (scopes as Record<string, Scope | undefined>)[subject];
}

/** Throws `insufficient_scope` naming what the actor lacks to read the data of events of these types. */
export function requireReadable(actor: Actor, types: readonly string[]): void {
  const needed = types.map(scopeOf).filter((scope) => scope !== undefined);
  const missing = [...new Set(needed)].filter((scope) => !allows(actor.scopes, [scope])).sort();
  if (missing.length > 0) throw insufficientScope('token', missing, 'and');
}

/** Types of events whose data the actor may read. */
export const readableTypes = (actor: Actor): string[] =>
  eventTypes.filter((type) => {
    const scope = scopeOf(type);
    return scope === undefined || allows(actor.scopes, [scope]);
  });

/** Waits for work that asks `app.check_readable`; throws `insufficient_scope` where it refused. */
export async function withReadableEvents<T>(actor: Actor, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isSqlError(error, 'eventsNotReadable')) requireReadable(actor, error.detail?.split(' ') ?? []);
    throw error;
  }
}
