// The SQL of `database/`, which describes the database as it is to be. `database/order.txt` lists the files in the order in which they run.
import { readFile } from 'node:fs/promises';
import postgres from 'postgres';

const folder = new URL('../../database/', import.meta.url);

export interface Source {
  /** Path below `database/`, such as `records/leads.sql`. */
  path: string;
  sql: string;
}

/** The files in their order. */
export async function readSources(): Promise<Source[]> {
  const order = await readFile(new URL('order.txt', folder), 'utf8');
  const paths = order.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return await Promise.all(
    paths.map(async (path) => ({ path, sql: await readFile(new URL(path, folder), 'utf8') })),
  );
}

/** Runs all files in the empty database of a project. Throws with file and line of the first error. */
export async function loadSources(databaseUrl: string, sources?: readonly Source[]): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    // Functions may call others that are defined further down. Their bodies are checked at the end.
    await sql`set check_function_bodies = off`;
    for (const { path, sql: text } of sources ?? (await readSources())) {
      await sql.unsafe(text).catch((error: unknown) => {
        throw new Error(`database/${path}${lineOf(error, text)}: ${messageOf(error)}`);
      });
    }
    await sql`set check_function_bodies = on`;
    await checkBodies(sql);
  } finally {
    await sql.end();
  }
}

async function checkBodies(sql: postgres.Sql): Promise<void> {
  const functions = await sql<{ name: string; oid: number; validator: string }[]>`
    select p.oid::regprocedure::text as name, p.oid::integer as oid, l.lanvalidator::regproc::text as validator
    from pg_catalog.pg_proc p
    join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname in ('sql', 'plpgsql')
    where p.pronamespace = any (array['public', 'app', 'admin', 'private', 'monitor']::text[]::regnamespace[])`;
  for (const { name, oid, validator } of functions) {
    await sql.unsafe(`select ${validator}($1::oid)`, [oid]).catch((error: unknown) => {
      throw new Error(`database/: ${name}: ${messageOf(error)}`);
    });
  }
}

function lineOf(error: unknown, text: string): string {
  const { position } = error as { position?: string };
  return position === undefined ? '' : `:${text.slice(0, Number(position)).split('\n').length}`;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
