// Who gets the next connection of a worker. A tenant has a share of them at a time, so that its slow statements leave some
// to the others; what is beyond its share waits for a while, and is then refused.
import { ApiError } from '../errors.ts';

/** For whom a connection is taken. */
export interface Taker {
  /** Null for jobs, and for what is asked before a tenant is known: short statements, which no share bounds. */
  tenantId: string | null;
  /** Whether the request stored something already: then it is not refused any more. */
  begun: boolean;
}

export interface LineOptions {
  /** Connections of one tenant at a time. */
  perTenant: number;
  /** How long a tenant's request waits for one of these. */
  waitMs: number;
}

export interface Line<C> {
  /** Waits for a connection, which `serve` gives; it rejects with 429 when the tenant's share does not get free in time. */
  join(taker: Taker): { connection: Promise<C>; giveUp(): void };
  /** Gives a connection to whoever is next. False when nobody waits who may have one. */
  serve(take: () => C): boolean;
  /** Whoever was given a connection has no use for it any more. */
  free(taker: Taker): void;
}

interface Waiting<C> {
  taker: Taker;
  give(connection: C): void;
}

/** Requests of one tenant that wait; more are refused at once. */
const MAX_WAITING = 500;
const RETRY_AFTER_SECONDS = 2;

export function createLine<C>({ perTenant, waitMs }: LineOptions): Line<C> {
  const waiting = new Set<Waiting<C>>();
  /** Connections by tenant; those of no tenant's under null. */
  const held = new Map<string | null, number>();

  const heldBy = ({ tenantId }: Taker): number => held.get(tenantId) ?? 0;
  const hasShare = (taker: Taker): boolean => taker.tenantId !== null && heldBy(taker) >= perTenant;
  const isCrowded = ({ tenantId }: Taker): boolean =>
    [...waiting].filter(({ taker }) => taker.tenantId === tenantId).length >= MAX_WAITING;
  /** Whoever has fewest; of equals one that has begun, then who came first. */
  const goesBefore = (one: Taker, other: Taker): boolean =>
    heldBy(one) < heldBy(other) || (heldBy(one) === heldBy(other) && one.begun && !other.begun);

  return {
    join(taker) {
      const refusable = taker.tenantId !== null && !taker.begun;
      let giveUp = () => {};
      const connection = new Promise<C>((resolve, reject) => {
        if (refusable && hasShare(taker) && isCrowded(taker)) return reject(tooManyAtOnce());
        const one = { taker, give: resolve };
        // Where others have the connections, it is not the tenant's doing: then it goes on waiting.
        const refuse = () => {
          if (hasShare(taker) && waiting.delete(one)) reject(tooManyAtOnce());
        };
        let timer: ReturnType<typeof setTimeout> | undefined;
        waiting.add(one);
        // Most are served at once, and need no timer.
        if (refusable) {
          queueMicrotask(() => {
            if (waiting.has(one)) timer = setTimeout(refuse, waitMs);
          });
        }
        giveUp = () => {
          clearTimeout(timer);
          waiting.delete(one);
        };
      });
      return { connection, giveUp };
    },
    serve(take) {
      let next: Waiting<C> | undefined;
      for (const one of waiting) {
        if (!hasShare(one.taker) && (!next || goesBefore(one.taker, next.taker))) next = one;
      }
      if (!next) return false;
      waiting.delete(next);
      held.set(next.taker.tenantId, heldBy(next.taker) + 1);
      next.give(take());
      return true;
    },
    free(taker) {
      const left = heldBy(taker) - 1;
      if (left > 0) held.set(taker.tenantId, left);
      else held.delete(taker.tenantId);
    },
  };
}

function tooManyAtOnce(): ApiError {
  const message = `Too many of your requests are under way at once. Nothing was done; try again in ${RETRY_AFTER_SECONDS} s.`;
  return new ApiError('rate_limited', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'too_many_at_once',
  });
}
