// Sums requests that get no request log row of their own, grouped by tenant, route, status and reason.
import type { RequestLogEntry } from './request-log.ts';

export interface SummedRequests {
  entry: RequestLogEntry;
  requests: number;
}

/** Maximum groups. Requests of further groups are summed together. */
const MAX_GROUPS = 200;

interface LogAggregator {
  /** Adds a request. Returns whether it is the first one since the last `take`. */
  add(entry: RequestLogEntry): boolean;
  /** Returns the sums since the last call and resets them. */
  take(): SummedRequests[];
}

export function createLogAggregator(): LogAggregator {
  let groups = new Map<string, SummedRequests>();
  return {
    add(entry) {
      const sum = sumEntry(entry);
      const name = JSON.stringify([sum.tenantId, sum.service, sum.method, sum.path, sum.status, sum.reason]);
      const key = groups.has(name) || groups.size < MAX_GROUPS ? name : 'others';
      const first = groups.size === 0;
      const found = groups.get(key);
      if (found) found.requests++;
      else groups.set(key, { entry: key === 'others' ? { ...sum, ...OTHERS } : sum, requests: 1 });
      return first;
    },
    take() {
      const all = [...groups.values()];
      groups = new Map();
      return all;
    },
  };
}

/** The columns of the row for all further groups. */
const OTHERS = { tenantId: undefined, method: '', path: 'others', status: 0, reason: undefined };

/** The columns that the requests of a group have in common. */
const sumEntry = (entry: RequestLogEntry): RequestLogEntry => ({
  requestId: 'sum',
  tenantId: entry.tenantId,
  apiKeyId: undefined,
  clientId: undefined,
  address: undefined,
  service: entry.service,
  method: entry.method,
  path: entry.route ?? entry.path,
  status: entry.status,
  reason: entry.reason,
  elapsedMs: 0,
});
