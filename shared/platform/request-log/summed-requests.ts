// Requests that get no row of their own, counted by what they have in common.
import type { RequestLogEntry } from './request-log.ts';

export interface SummedRequests {
  entry: RequestLogEntry;
  requests: number;
}

/** Kinds that are told apart; those beyond are one. */
const MAX_KINDS = 200;

export interface LogAggregator {
  /** Gives whether it is the first one since they were taken. */
  add(entry: RequestLogEntry): boolean;
  /** What was counted since it was last taken. */
  take(): SummedRequests[];
}

export function createLogAggregator(): LogAggregator {
  let kinds = new Map<string, SummedRequests>();
  return {
    add(entry) {
      const sum = sumEntry(entry);
      const name = JSON.stringify([sum.tenantId, sum.service, sum.method, sum.path, sum.status, sum.reason]);
      const key = kinds.has(name) || kinds.size < MAX_KINDS ? name : 'others';
      const first = kinds.size === 0;
      const found = kinds.get(key);
      if (found) found.requests++;
      else kinds.set(key, { entry: key === 'others' ? { ...sum, ...OTHERS } : sum, requests: 1 });
      return first;
    },
    take() {
      const all = [...kinds.values()];
      kinds = new Map();
      return all;
    },
  };
}

/** What a sum says that stands for many kinds. */
const OTHERS = { tenantId: undefined, method: '', path: 'others', status: 0, reason: undefined };

/** What requests of one kind have in common. */
function sumEntry({
  tenantId,
  service,
  method,
  route,
  path,
  status,
  reason,
}: RequestLogEntry): RequestLogEntry {
  return {
    requestId: 'sum',
    ...{ tenantId, apiKeyId: undefined, clientId: undefined, address: undefined },
    ...{ service, method, path: route ?? path, status, reason, elapsedMs: 0 },
  };
}
