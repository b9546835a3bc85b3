// Who gets the next connection of a worker. A tenant has a share of the connections, so that its slow statements leave some
// to other tenants. A request beyond the share waits for a while, and is then refused.
import { ApiError } from '../errors.ts';

/** Who asks for a connection. */
export interface Requester {
  /** Null for jobs, and for what is asked before the tenant is known: short statements, which no share limits. */
  tenantId: string | null;
  /** Whether the request has stored something: then it is no longer refused. */
  hasWritten: boolean;
}

export interface ConnectionQueueOptions {
  /** Connections of one tenant at a time. */
  perTenant: number;
  /** How long a tenant's request waits for one of these. */
  waitMs: number;
}

export interface ConnectionQueue<C> {
  /** Waits for a connection, which `serve` gives; rejects with 429 when the tenant's share is used up for too long. */
  join(requester: Requester): { connection: Promise<C>; cancel(reason: Error): void };
  /** Gives a connection to the next requester. False when no requester may have one. */
  serve(take: () => C): boolean;
  /** The requester no longer uses the connection that it was given. */
  release(requester: Requester): void;
}

interface Waiting<C> {
  requester: Requester;
  give(connection: C): void;
}

/** Requests of one tenant that wait; more are refused at once. */
const MAX_WAITING = 500;
const RETRY_AFTER_SECONDS = 2;

export function createConnectionQueue<C>({ perTenant, waitMs }: ConnectionQueueOptions): ConnectionQueue<C> {
  const waiting = new Set<Waiting<C>>();
  /** Connections in use by tenant; those of no tenant under null. */
  const inUse = new Map<string | null, number>();

  const usedBy = ({ tenantId }: Requester): number => inUse.get(tenantId) ?? 0;
  const hasShare = (requester: Requester): boolean =>
    requester.tenantId !== null && usedBy(requester) >= perTenant;
  const isCrowded = ({ tenantId }: Requester): boolean =>
    [...waiting].filter(({ requester }) => requester.tenantId === tenantId).length >= MAX_WAITING;
  /** Fewest connections first; ties go to requests that have written, then to the first one. */
  const goesBefore = (one: Requester, other: Requester): boolean =>
    usedBy(one) < usedBy(other) || (usedBy(one) === usedBy(other) && one.hasWritten && !other.hasWritten);

  return {
    join(requester) {
      const refusable = requester.tenantId !== null && !requester.hasWritten;
      let cancel: (reason: Error) => void = () => {};
      const connection = new Promise<C>((resolve, reject) => {
        if (refusable && hasShare(requester) && isCrowded(requester)) return reject(tooManyAtOnce());
        let timer: ReturnType<typeof setTimeout> | undefined;
        const entry: Waiting<C> = {
          requester,
          give(given) {
            clearTimeout(timer);
            resolve(given);
          },
        };
        cancel = (reason) => {
          clearTimeout(timer);
          if (waiting.delete(entry)) reject(reason);
        };
        waiting.add(entry);
        if (!refusable) return;
        // Most are served at once, and need no timer. A request that waits for other tenants goes on waiting.
        queueMicrotask(() => {
          if (waiting.has(entry))
            timer = setTimeout(() => hasShare(requester) && cancel(tooManyAtOnce()), waitMs);
        });
      });
      return { connection, cancel };
    },
    serve(take) {
      let next: Waiting<C> | undefined;
      for (const one of waiting) {
        if (!hasShare(one.requester) && (!next || goesBefore(one.requester, next.requester))) next = one;
      }
      if (!next) return false;
      waiting.delete(next);
      inUse.set(next.requester.tenantId, usedBy(next.requester) + 1);
      next.give(take());
      return true;
    },
    release(requester) {
      const left = usedBy(requester) - 1;
      if (left > 0) inUse.set(requester.tenantId, left);
      else inUse.delete(requester.tenantId);
    },
  };
}

function tooManyAtOnce(): ApiError {
  const message = `Too many requests of this tenant are in progress. Nothing was done. Retry after ${RETRY_AFTER_SECONDS} s.`;
  return new ApiError('rate_limited', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'too_many_at_once',
  });
}
