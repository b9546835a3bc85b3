// Scopes required to receive events: an event contains the record, so the client must be allowed to read it.

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

/** Required scope by subject: the part of the event type before the dot. Points belong to users. */
const scopes: Record<Subject, Scope> = {
  lead: 'read:leads',
  deal: 'read:deals',
  user: 'read:users',
  badge: 'read:users',
  challenge: 'read:users',
  ranking: 'read:users',
};

/** All scopes that permit reading some events. */
export const eventScopes: readonly Scope[] = [...new Set(Object.values(scopes))];

/** The scope that the event's data requires; undefined for `webhook.test`, which contains no record. */
function scopeOf(type: string): Scope | undefined {
  const [subject = ''] = type.split('.');
  // The cast permits looking up unknown subjects.
  return (scopes as Record<string, Scope | undefined>)[subject];
}

/** Throws `insufficient_scope` with the scopes that the actor lacks to read events of these types. */
export function requireReadable(actor: Actor, types: readonly string[]): void {
  const needed = types.map(scopeOf).filter((scope) => scope !== undefined);
  const missing = [...new Set(needed)].filter((scope) => !allows(actor.scopes, [scope])).sort();
  if (missing.length > 0) throw insufficientScope('token', missing, 'and');
}

/** Event types whose data the actor may read. */
export const readableTypes = (actor: Actor): string[] =>
  eventTypes.filter((type) => {
    const scope = scopeOf(type);
    return scope === undefined || allows(actor.scopes, [scope]);
  });

/** Awaits work that calls `app.check_readable`. Throws `insufficient_scope` if that check fails. */
export const withReadableEvents = <T>(actor: Actor, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (isSqlError(error, 'eventsNotReadable')) requireReadable(actor, error.detail?.split(' ') ?? []);
    throw error;
  });
