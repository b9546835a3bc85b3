// Decides which request gets a worker's next database connection. Each tenant can use only a share of the connections, so that its slow
// statements do not block other tenants. A request over the share waits for a limited time and then fails with 429.
import { ApiError } from '../errors.ts';

/** A request or job that needs a connection. */
export interface Requester {
  /** Null for jobs and for queries before the tenant is known. Their statements are short, so no share limits them. */
  tenantId: string | null;
  /** Whether the request has stored something. It is then never rejected. */
  hasWritten: boolean;
}

export interface ConnectionQueueOptions {
  /** Maximum connections that one tenant uses at a time. */
  perTenant: number;
  /** How long a request waits for its tenant's share, in milliseconds. */
  waitMs: number;
}

interface ConnectionQueue<C> {
  /** Waits for a connection from `serve`. Rejects with 429 if the tenant's share stays used up for `waitMs`. */
  join(requester: Requester): { connection: Promise<C>; cancel(reason: Error): void };
  /** Assigns a connection to the next requester. Returns false if no requester is eligible. */
  serve(take: () => C): boolean;
  /** Marks the requester's connection as returned. */
  release(requester: Requester): void;
}

interface Waiting<C> {
  requester: Requester;
  give(connection: C): void;
}

/** Maximum waiting requests of one tenant. Further ones are rejected immediately. */
const MAX_WAITING = 500;
const RETRY_AFTER_SECONDS = 2;

export function createConnectionQueue<C>({ perTenant, waitMs }: ConnectionQueueOptions): ConnectionQueue<C> {
  const waiting = new Set<Waiting<C>>();
  /** Connections in use by tenant id; null for connections without a tenant. */
  const inUse = new Map<string | null, number>();

  const usedBy = ({ tenantId }: Requester): number => inUse.get(tenantId) ?? 0;
  const usesWholeShare = (requester: Requester): boolean =>
    requester.tenantId !== null && usedBy(requester) >= perTenant;
  const isQueueFull = ({ tenantId }: Requester): boolean =>
    [...waiting].filter(({ requester }) => requester.tenantId === tenantId).length >= MAX_WAITING;
  /** Fewest connections first; ties go to requests that have written, then to the one that has waited longest. */
  const goesBefore = (one: Requester, other: Requester): boolean =>
    usedBy(one) < usedBy(other) || (usedBy(one) === usedBy(other) && one.hasWritten && !other.hasWritten);

  return {
    join(requester) {
      const canBeRejected = requester.tenantId !== null && !requester.hasWritten;
      let cancel: (reason: Error) => void = () => {};
      const connection = new Promise<C>((resolve, reject) => {
        if (canBeRejected && usesWholeShare(requester) && isQueueFull(requester))
          return reject(tooManyAtOnce());
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
        if (!canBeRejected) return;
        // Most requests are served immediately and need no timer. A request that waits only because of other tenants keeps waiting.
        queueMicrotask(() => {
          if (waiting.has(entry))
            timer = setTimeout(() => usesWholeShare(requester) && cancel(tooManyAtOnce()), waitMs);
        });
      });
      return { connection, cancel };
    },
    serve(take) {
      let next: Waiting<C> | undefined;
      for (const one of waiting) {
        if (!usesWholeShare(one.requester) && (!next || goesBefore(one.requester, next.requester)))
          next = one;
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
