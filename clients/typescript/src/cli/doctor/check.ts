// What a check is given and what it says.
import type postgres from 'postgres';

export type Status = 'ok' | 'warning' | 'failed' | 'not checked';

export interface Finding {
  check: string;
  status: Status;
  found: string;
  /** What to do about it. */
  todo?: string;
}

export interface Deployment {
  /** Address of the functions. */
  url: string;
  /** Settings of the functions, from the environment or the file. */
  env: Readonly<Record<string, string | undefined>>;
  apiKey: string | undefined;
  /** Undefined without its address. */
  sql: postgres.Sql | undefined;
  signal: AbortSignal;
}

/** Each finding is a line; a check that throws has failed. */
export interface Check {
  name: string;
  /** Settings without which it is not made: variables of the functions, or those of the command line. */
  needs: readonly string[];
  run(deployment: Deployment): Promise<Finding | Finding[]>;
  /** What to do when it throws. */
  todo: string;
}

/** A check of the database. */
export const ofDatabase = (
  name: string,
  todo: string,
  look: (sql: postgres.Sql, deployment: Deployment) => Promise<Omit<Finding, 'check'> | Finding[]>,
): Check => ({
  name,
  needs: ['PLACAR_DATABASE_URL'],
  todo,
  async run(deployment) {
    const { sql } = deployment;
    if (!sql) throw new Error('there is no connection');
    const found = await look(sql, deployment);
    return Array.isArray(found) ? found : { check: name, ...found };
  },
});

const TIMEOUT_MS = 10_000;

/** Asks over HTTP; an answer is awaited for ten seconds. */
export async function ask(
  url: string,
  { signal, ...init }: RequestInit & { signal: AbortSignal },
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { ...init, redirect: 'manual', signal: ends });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Members of an answer; none where it is no object. */
export const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
