// Limits how many request log rows a caller can cause per minute. Further requests are summed in aggregate rows, so that a flood stays
// visible but does not fill the disk.
import type { Counter } from '../access/request-counter.ts';
import type { Logger } from '../logger.ts';

const WINDOW_MS = 60_000;

/** Rows per minute that one worker writes for one tenant. */
const TENANT_ROWS = 3000;
/** Together, all unknown callers of a worker get the budget of this many addresses. */
const UNKNOWN_ADDRESSES = 10;

/** The caller and status of a row. */
export interface RowSubject {
  tenantId: string | undefined;
  address: string | undefined;
  status: number;
  apiKeyId?: string | undefined;
  clientId?: string | undefined;
  userId?: string | undefined;
}

/** The rejected caller of a row: the address of an unknown caller, or a known key or client that got 401 or 403. Otherwise undefined. */
function rejectedCaller({
  tenantId,
  apiKeyId,
  clientId,
  userId,
  address,
  status,
}: RowSubject): string | undefined {
  if (!tenantId) return address;
  return status === 401 || status === 403 ? `${tenantId} ${apiKeyId ?? clientId ?? userId ?? ''}` : undefined;
}

interface RowBudget {
  /** Returns for each request whether it gets its own row. Never throws. */
  admit(requests: readonly RowSubject[]): Promise<boolean[]>;
}

interface RowBudgetOptions {
  unknownCallerRows: number;
  /** Counts rows across all workers. If it is absent or Redis is unreachable, each worker counts separately. */
  counter?: Counter | undefined;
  log: Logger;
}

export function createRowBudget({ unknownCallerRows: perCaller, counter, log }: RowBudgetOptions): RowBudget {
  const perWorker = perCaller * UNKNOWN_ADDRESSES;
  let windowEndsAt = 0;
  // Has at most one entry per admitted row, so its size is bounded.
  const used = new Map<string, number>();
  const consume = (key: string, max: number): boolean => {
    const soFar = used.get(key) ?? 0;
    if (soFar < max) used.set(key, soFar + 1);
    return soFar < max;
  };
  const consumeInMemory = (request: RowSubject): boolean => {
    const { tenantId, address } = request;
    const refused = rejectedCaller(request);
    if (tenantId) return (!refused || consume(refused, perCaller)) && consume(tenantId, TENANT_ROWS);
    const full = (used.get('unknown') ?? 0) >= perWorker;
    return !full && consume(`address ${address ?? ''}`, perCaller) && consume('unknown', perWorker);
  };
  /** Returns how many of `rows` a rejected caller still gets, across all workers. */
  const consumeInRedis = async (caller: string, rows: number): Promise<number> => {
    const usage = await counter?.countMany('unknownCaller', caller, log, rows);
    return usage ? Math.max(0, rows - Math.max(0, usage.used - perCaller)) : rows;
  };

  return {
    async admit(requests) {
      if (performance.now() > windowEndsAt) {
        used.clear();
        windowEndsAt = performance.now() + WINDOW_MS;
      }
      const admitted = requests.map(consumeInMemory);
      const refused = requests.map(rejectedCaller);
      const rowsOf = new Map<string, number>();
      refused.forEach((caller, i) => {
        if (admitted[i] && caller) rowsOf.set(caller, (rowsOf.get(caller) ?? 0) + 1);
      });
      const remaining = new Map(
        await Promise.all(
          [...rowsOf].map(async ([caller, rows]) => [caller, await consumeInRedis(caller, rows)] as const),
        ),
      );
      return refused.map((caller, i) => {
        if (!admitted[i] || !caller) return admitted[i] ?? false;
        const rows = remaining.get(caller) ?? 0;
        remaining.set(caller, rows - 1);
        return rows > 0;
      });
    },
  };
}
