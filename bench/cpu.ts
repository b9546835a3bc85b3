// CPU time of processes, from /proc.
import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import { printTable } from './report.ts';

/** Process ids of each part of the stack. */
export type Parts = Record<string, () => number[]>;

const TICKS_PER_SECOND = 100;

interface ProcessTime {
  parent: number;
  /** Seconds in ticks, including ended threads. */
  ticked: number;
  /** The same for ended children. */
  ofEndedChildren: number;
  /** Exact seconds of each running thread; empty if the system has no schedstat. */
  threads: Map<string, number>;
}

/** Undefined if the process or /proc does not exist. */
function timeOf(pid: number): ProcessTime | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const seconds = (...indexes: number[]) =>
      indexes.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
    return {
      parent: Number(fields[1]),
      ticked: seconds(11, 12),
      ofEndedChildren: seconds(13, 14),
      threads: threadsOf(pid),
    };
  } catch {
    return undefined;
  }
}

function threadsOf(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      threads.set(thread, Number(nanoseconds) / 1e9);
    } catch {
      // The thread has ended, or the system has no schedstat.
    }
  }
  return threads;
}

/** Precision of CPU times on this system: nanoseconds, ticks of 10 ms, or none. */
export function processorAccount(): 'nanoseconds' | 'ticks' | 'none' {
  const own = timeOf(process.pid);
  if (!own) return 'none';
  return own.threads.size > 0 ? 'nanoseconds' : 'ticks';
}

/** Processes of the server of this connection. */
export async function postgresProcesses(sql: postgres.Sql): Promise<() => number[]> {
  const [row] = await sql`select pg_backend_pid() as pid`;
  const server = timeOf(Number(row?.pid))?.parent;
  return () =>
    server === undefined
      ? []
      : readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map(Number)
          .filter((pid) => pid === server || timeOf(pid)?.parent === server);
}

type Reading = Map<number, ProcessTime>;

const read = (pids: number[]): Reading =>
  new Map(
    pids.flatMap((pid) => {
      const time = timeOf(pid);
      return time ? [[pid, time] as const] : [];
    }),
  );

/** A smaller difference between both counters is rounding; a larger one is due to ended threads. */
const ROUNDING_SECONDS = 2 / TICKS_PER_SECOND;

function secondsBetween(before: Reading, after: Reading): number {
  let seconds = 0;
  for (const [pid, time] of after) {
    const earlier = before.get(pid);
    const ticked = time.ticked - (earlier?.ticked ?? 0);
    let exact = 0;
    for (const [thread, spent] of time.threads) exact += spent - (earlier?.threads.get(thread) ?? 0);
    const isExact = time.threads.size > 0 && ticked - exact <= ROUNDING_SECONDS;
    seconds += (isExact ? exact : ticked) + time.ofEndedChildren - (earlier?.ofEndedChildren ?? 0);
  }
  // After a process ends, its parent's counter includes its whole time, even from before the measurement.
  for (const [pid, { ticked }] of before) if (!after.has(pid)) seconds -= ticked;
  return seconds;
}

/** CPU seconds of each part while the work is done; NaN if not available. */
export async function processorSeconds<Name extends string, T>(
  parts: Record<Name, () => number[]>,
  work: () => Promise<T>,
): Promise<{ result: T; seconds: Record<Name, number> }> {
  const names = Object.keys(parts) as Name[];
  const before = names.map((name) => read(parts[name]()));
  const result = await work();
  // In reverse order: if the last part is this process, reading the other counters is not included in its time.
  const seconds = names.toReversed().map((name) => {
    const [earlier = new Map(), later] = [before[names.indexOf(name)], read(parts[name]())];
    return [name, later.size > 0 ? secondsBetween(earlier, later) : Number.NaN] as const;
  });
  return { result, seconds: Object.fromEntries(seconds) as Record<Name, number> };
}

/** Does the work, and prints the CPU share of each part. */
export async function watchCpu<T>(title: string, parts: Parts, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const { result, seconds } = await processorSeconds(parts, work);
  const elapsed = (performance.now() - startedAt) / 1000;
  const rows = Object.entries(seconds).map(([name, spent]) => [
    name,
    `${((100 * spent) / elapsed).toFixed(0)} %`,
  ]);
  printTable(title, ['', 'of one CPU'], rows);
  return result;
}
