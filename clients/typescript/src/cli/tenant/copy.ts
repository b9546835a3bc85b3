// COPY from one database into another, with the memory of a few buffers.
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';

export interface Copy {
  from: postgres.Sql;
  /** A query whose rows are copied. */
  select: string;
  /** The transaction that receives them. */
  to: postgres.TransactionSql;
  /** Table and columns. */
  into: string;
  /** Condition on rows that are stored; others are dropped. */
  where?: string;
  /** Undefined for no limit. */
  bytesPerSecond?: number | undefined;
}

export async function copyRows({ from, select, to, into, where, bytesPerSecond }: Copy): Promise<void> {
  const rows = await from.unsafe(`copy (${select}) to stdout`).readable();
  const query = to.unsafe(`copy ${into} from stdin${where ? ` where ${where}` : ''}`);
  const failure = new AbortController();
  const failed = rejectionOf(query, failure);
  const target = await Promise.race([query.writable(), failed]);
  try {
    await Promise.race([
      pipeline(rows, throttle(bytesPerSecond), target, { signal: failure.signal }),
      failed,
    ]);
  } finally {
    // The driver pauses the socket when the stream is full and resumes it only when the stream reads on, which it may not after the end.
    rows._read(0);
  }
}

/** Rejects if the server rejects a row: the driver does not report that once the stream is open. */
function rejectionOf(query: object, failure: AbortController): Promise<never> {
  // A property of the driver's queries that its types do not have.
  const settling = query as { reject(error: unknown): void };
  const reject = settling.reject;
  const failed = new Promise<never>((_, fail) => {
    settling.reject = (error) => {
      fail(error);
      failure.abort(error);
      reject(error);
    };
  });
  failed.catch(() => {});
  return failed;
}

/** Delays data so that no more than `bytesPerSecond` pass. */
function throttle(bytesPerSecond: number | undefined): Transform {
  const beganAt = performance.now();
  let bytes = 0;
  return new Transform({
    async transform(data: Buffer, _, done) {
      bytes += data.length;
      const aheadMs = bytesPerSecond ? (bytes / bytesPerSecond) * 1000 - (performance.now() - beganAt) : 0;
      if (aheadMs > 5) await sleep(aheadMs);
      done(null, data);
    },
  });
}
