// Resources of the functions during requests: memory, open files and connections.
import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';

export interface Sample {
  requests: number;
  /** Resident memory of each function in MiB. */
  memory: Record<string, number>;
  /** Open files, including sockets. */
  files: Record<string, number>;
  /** Connections to Postgres. */
  connections: number;
}

/** Undefined without `/proc`. */
export async function takeSample(
  sql: postgres.Sql,
  pids: Record<string, number>,
  requests: number,
): Promise<Sample | undefined> {
  try {
    const each = <T>(read: (pid: number) => T) =>
      Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, read(pid)]));
    const memory = each((pid) => {
      const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Math.round(Number(kib) / 1024);
    });
    const files = each((pid) => readdirSync(`/proc/${pid}/fd`).length);
    const [row] =
      await sql`select count(*)::integer as n from pg_stat_activity where backend_type = 'client backend'`;
    return { requests, memory, files, connections: row?.n };
  } catch {
    return undefined;
  }
}

/** The gateway keeps as many idle connections to `callbacks` as jobs were ever due at the same time. */
const FILES: Record<string, number> = { callbacks: 100 };

const leastOf = (values: number[]) => Math.min(...values);

/**
 * Growth between the second and the last fifth of the samples; the first fifth is the warm-up. Garbage collection makes memory
 * go up and down, so the lowest of each part is compared.
 */
export function growthIn(samples: Sample[]): string[] {
  const fifth = Math.floor(samples.length / 5);
  if (fifth < 4) return [];
  const [early, late] = [samples.slice(fifth, 2 * fifth), samples.slice(-fifth)];
  const compare = (what: string, read: (sample: Sample) => number, allowed: number) => {
    const [before, after] = [leastOf(early.map(read)), leastOf(late.map(read))];
    return after > before + allowed ? [`${what} grew from ${before} to ${after}`] : [];
  };
  const names = Object.keys(samples[0]?.memory ?? {});
  return [
    ...names.flatMap((name) => compare(`memory of ${name} (MiB)`, (one) => one.memory[name] ?? 0, 60)),
    ...names.flatMap((name) =>
      compare(`open files of ${name}`, (one) => one.files[name] ?? 0, FILES[name] ?? 10),
    ),
    ...compare('connections to Postgres', (one) => one.connections, 4),
  ];
}
