// How many rows of the request log somebody may cause in a minute. What is beyond is counted in sums: a flood fills no disk,
// and is seen all the same.
import type { Counter } from '../access/request-counter.ts';
import type { Logger } from '../logger.ts';

const WINDOW_MS = 60_000;

/** Rows a minute that one worker writes for one tenant. */
const TENANT_ROWS = 3000;
/** For callers whom nobody knows, whatever their addresses: those of so many addresses. */
const UNKNOWN_ADDRESSES = 10;

/** Whom a row is about. */
export interface RowSubject {
  tenantId: string | undefined;
  address: string | undefined;
  status: number;
  apiKeyId?: string | undefined;
  clientId?: string | undefined;
}

/** Who is refused: an address that nobody knows, or a key or client that may not come in, such as a revoked one. */
function refusedCaller({ tenantId, apiKeyId, clientId, address, status }: RowSubject): string | undefined {
  if (!tenantId) return address;
  return status === 401 || status === 403 ? `${tenantId} ${apiKeyId ?? clientId ?? ''}` : undefined;
}

export interface RowBudget {
  /** For each cause whether its request gets a row of its own. Never throws. */
  admit(causes: readonly RowSubject[]): Promise<boolean[]>;
}

export interface RowBudgetOptions {
  unknownCallerRows: number;
  /** Makes the limit of a caller hold for all workers together; without Redis each worker has its own. */
  counter?: Counter | undefined;
  log: Logger;
}

export function createRowBudget({ unknownCallerRows: perCaller, counter, log }: RowBudgetOptions): RowBudget {
  const perWorker = perCaller * UNKNOWN_ADDRESSES;
  let windowEndsAt = 0;
  // At most one entry for each row of the window, so it is bounded by itself.
  const used = new Map<string, number>();
  const take = (key: string, max: number): boolean => {
    const soFar = used.get(key) ?? 0;
    if (soFar < max) used.set(key, soFar + 1);
    return soFar < max;
  };
  const takeInMemory = (cause: RowSubject): boolean => {
    const { tenantId, address } = cause;
    const refused = refusedCaller(cause);
    if (tenantId) return (!refused || take(refused, perCaller)) && take(tenantId, TENANT_ROWS);
    const full = (used.get('unknown') ?? 0) >= perWorker;
    return !full && take(`address ${address ?? ''}`, perCaller) && take('unknown', perWorker);
  };
  /** How many of so many rows somebody who is refused may still have, of all workers. */
  const takeInRedis = async (caller: string, rows: number): Promise<number> => {
    const usage = await counter?.countMany('unknownCaller', caller, log, rows);
    return usage ? Math.max(0, rows - Math.max(0, usage.used - perCaller)) : rows;
  };

  return {
    async admit(causes) {
      if (performance.now() > windowEndsAt) {
        used.clear();
        windowEndsAt = performance.now() + WINDOW_MS;
      }
      const admitted = causes.map(takeInMemory);
      const refused = causes.map(refusedCaller);
      const rowsOf = new Map<string, number>();
      refused.forEach((caller, i) => {
        if (admitted[i] && caller) rowsOf.set(caller, (rowsOf.get(caller) ?? 0) + 1);
      });
      const left = new Map(
        await Promise.all(
          [...rowsOf].map(async ([caller, rows]) => [caller, await takeInRedis(caller, rows)] as const),
        ),
      );
      return refused.map((caller, i) => {
        if (!admitted[i] || !caller) return admitted[i] ?? false;
        const rest = left.get(caller) ?? 0;
        left.set(caller, rest - 1);
        return rest > 0;
      });
    },
  };
}
