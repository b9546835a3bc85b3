// Processor time of processes, where /proc tells it.
import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import { printTable } from './report.ts';

/** Part of the stack, and its processes. */
export type Parts = Record<string, () => number[]>;

const TICKS_PER_SECOND = 100;

interface ProcessTime {
  parent: number;
  /** Seconds in steps of a tick, with threads that ended. */
  ticked: number;
  /** The same of children that ended and were waited for. */
  ofEndedChildren: number;
  /** Seconds of each thread that is there, exactly; empty where the system keeps no such account. */
  threads: Map<string, number>;
}

/** Undefined when there is no such process, or no /proc. */
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
      // The thread ended meanwhile, or the system keeps no such account.
    }
  }
  return threads;
}

/** How processor time is known here: to the nanosecond, in ticks of 10 ms, or not at all. */
export function processorAccount(): 'nanoseconds' | 'ticks' | 'none' {
  const own = timeOf(process.pid);
  if (!own) return 'none';
  return own.threads.size > 0 ? 'nanoseconds' : 'ticks';
}

/** The server that this connection leads to, and its processes. */
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

/** Less than that between the two accounts of a process is rounding, more is a thread that ended. */
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
  // All that a process took is its parent's once it ended, also what it took before.
  for (const [pid, { ticked }] of before) if (!after.has(pid)) seconds -= ticked;
  return seconds;
}

/** Processor seconds that each part takes while the work is done; NaN where nothing tells them. */
export async function processorSeconds<Name extends string, T>(
  parts: Record<Name, () => number[]>,
  work: () => Promise<T>,
): Promise<{ result: T; seconds: Record<Name, number> }> {
  const names = Object.keys(parts) as Name[];
  const before = names.map((name) => read(parts[name]()));
  const result = await work();
  // The other way around, so that the last part can be this process: reading the others is then no work of its own.
  const seconds = names.toReversed().map((name) => {
    const [earlier = new Map(), later] = [before[names.indexOf(name)], read(parts[name]())];
    return [name, later.size > 0 ? secondsBetween(earlier, later) : Number.NaN] as const;
  });
  return { result, seconds: Object.fromEntries(seconds) as Record<Name, number> };
}

/** Runs the work and prints the share of one processor that each part took. */
export async function watchCpu<T>(title: string, parts: Parts, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const { result, seconds } = await processorSeconds(parts, work);
  const elapsed = (performance.now() - startedAt) / 1000;
  const rows = Object.entries(seconds).map(([name, spent]) => [
    name,
    `${((100 * spent) / elapsed).toFixed(0)} %`,
  ]);
  printTable(title, ['', 'of one processor'], rows);
  return result;
}
