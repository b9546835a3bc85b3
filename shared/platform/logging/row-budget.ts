// How many rows of the request log somebody may cause in a minute. What is beyond is counted in sums: a flood fills no disk,
// and is seen all the same.
import type { Counter } from '../limits/request-counter.ts';
import type { Logger } from './logger.ts';

const WINDOW_MS = 60_000;

/** Rows a minute that one worker writes for one tenant. */
const TENANT_ROWS = 3000;
/** For callers whom nobody knows, whatever their addresses: those of so many addresses. */
const UNKNOWN_ADDRESSES = 10;

/** Whom a row is about. */
export interface Cause {
  tenantId: string | undefined;
  address: string | undefined;
}

export interface RowBudget {
  /** For each cause whether its request gets a row of its own. Never throws. */
  admit(causes: readonly Cause[]): Promise<boolean[]>;
}

export interface RowBudgetOptions {
  unknownCallerRows: number;
  /** Makes the limit of an address hold for all workers together; without Redis each worker has its own. */
  counter?: Counter | undefined;
  log: Logger;
}

export function createRowBudget({
  unknownCallerRows: perAddress,
  counter,
  log,
}: RowBudgetOptions): RowBudget {
  const perWorker = perAddress * UNKNOWN_ADDRESSES;
  let windowEndsAt = 0;
  // At most one entry for each row of the window, so it is bounded by itself.
  const used = new Map<string, number>();
  const take = (key: string, max: number): boolean => {
    const soFar = used.get(key) ?? 0;
    if (soFar < max) used.set(key, soFar + 1);
    return soFar < max;
  };
  const takeInMemory = ({ tenantId, address }: Cause): boolean => {
    if (tenantId) return take(tenantId, TENANT_ROWS);
    const full = (used.get('unknown') ?? 0) >= perWorker;
    return !full && take(`address ${address ?? ''}`, perAddress) && take('unknown', perWorker);
  };
  /** How many of so many rows an address may still have, of all workers. */
  const takeInRedis = async (address: string, rows: number): Promise<number> => {
    const usage = await counter?.countMany('unknownCaller', address, log, rows);
    return usage ? Math.max(0, rows - Math.max(0, usage.used - perAddress)) : rows;
  };

  return {
    async admit(causes) {
      if (performance.now() > windowEndsAt) {
        used.clear();
        windowEndsAt = performance.now() + WINDOW_MS;
      }
      const admitted = causes.map(takeInMemory);
      const rowsOf = new Map<string, number>();
      causes.forEach(({ tenantId, address }, i) => {
        if (admitted[i] && !tenantId && address) rowsOf.set(address, (rowsOf.get(address) ?? 0) + 1);
      });
      const left = new Map(
        await Promise.all(
          [...rowsOf].map(async ([address, rows]) => [address, await takeInRedis(address, rows)] as const),
        ),
      );
      return causes.map(({ tenantId, address }, i) => {
        if (!admitted[i] || tenantId || !address) return admitted[i] ?? false;
        const rest = left.get(address) ?? 0;
        left.set(address, rest - 1);
        return rest > 0;
      });
    },
  };
}
