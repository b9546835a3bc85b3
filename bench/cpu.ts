// Processor time by process, where /proc tells it: which part of the stack a load keeps busy.
import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import { printTable } from './report.ts';

/** Part of the stack, and its processes. */
export type Parts = Record<string, () => number[]>;

const TICKS_PER_SECOND = 100;

/** Parent and processor seconds of a process; undefined when there is no such process, or no /proc. */
function statusOf(pid: number): { parent: number; seconds: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]];
    return { parent, seconds: (user + system) / TICKS_PER_SECOND };
  } catch {
    return undefined;
  }
}

/** Processes of the server that this connection leads to. */
export async function postgresProcesses(sql: postgres.Sql): Promise<() => number[]> {
  const [row] = await sql`select pg_backend_pid() as pid`;
  const server = statusOf(Number(row?.pid))?.parent;
  return () =>
    server === undefined
      ? []
      : readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map(Number)
          .filter((pid) => statusOf(pid)?.parent === server);
}

/** Runs the work and prints the share of one processor that each part took. */
export async function watchCpu<T>(title: string, parts: Parts, work: () => Promise<T>): Promise<T> {
  const read = () =>
    new Map(
      Object.entries(parts).map(([name, pids]) => [
        name,
        new Map(pids().map((pid) => [pid, statusOf(pid)?.seconds ?? 0])),
      ]),
    );
  const [before, startedAt] = [read(), performance.now()];
  const result = await work();
  const elapsed = (performance.now() - startedAt) / 1000;
  const rows = [...read()].map(([name, pids]) => {
    let seconds = 0;
    for (const [pid, spent] of pids) seconds += spent - (before.get(name)?.get(pid) ?? 0);
    return [name, `${((100 * seconds) / elapsed).toFixed(0)} %`];
  });
  if (rows.length > 0) printTable(title, ['', 'of one processor'], rows);
  return result;
}
