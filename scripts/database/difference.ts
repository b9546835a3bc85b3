// Compares the database that `migrations/` makes with the one that `database/` describes: objects by Supabase's pg-delta, then the rows that
// both define, such as plans.
import { extract } from '@supabase/pg-delta/extract';
import { type Action, plan } from '@supabase/pg-delta/plan';
import type { Predicate } from '@supabase/pg-delta/policy';
import pg from 'pg';
import { pushMigrations } from '../../local/postgres/provision.ts';
import { compareRows, type RowDifference } from './defined-rows.ts';
import { loadSources } from './sources.ts';
import { withTemporaryDatabase } from './temporary-database.ts';
import { compareViewComments } from './view-comments.ts';

export interface Difference {
  /** What the migrations lack, in an order in which it can run. */
  actions: Action[];
  /** Objects that disappear while similar ones appear, such as `public.leads.fax -> public.leads.website`. */
  renames: string[];
  rows: RowDifference;
  /** Statements for comments on columns of views. */
  viewComments: string[];
}

const HISTORY = 'supabase_migrations';
/** The CLI's history of migrations, and what the owner of everything may do. */
const notOurs: Predicate = {
  any: [
    { all: [{ kind: 'acl' }, { idField: { field: 'grantee', glob: 'postgres' } }] },
    { schema: HISTORY },
    { all: [{ kind: 'schema' }, { name: HISTORY }] },
    { target: { schema: HISTORY } },
    { target: { kind: 'schema', name: HISTORY } },
  ],
};

/** Builds both databases and compares them. Takes about ten seconds. */
export async function compareWithSources(): Promise<Difference> {
  return await withTemporaryDatabase(async (migrated) => {
    return await withTemporaryDatabase(async (described) => {
      await Promise.all([pushMigrations(migrated, { seed: false }), loadSources(described)]);
      return await compareDatabases(migrated, described);
    });
  });
}

/** Compares a migrated database with one that was made from `database/`. */
export async function compareDatabases(migrated: string, described: string): Promise<Difference> {
  const pools = [migrated, described].map((connectionString) =>
    // The databases stop right after, sometimes before a connection has been closed.
    new pg.Pool({ connectionString, max: 1 }).on('error', () => {}),
  );
  try {
    const [first, second] = pools;
    const [source, desired] = await Promise.all(pools.map((pool) => extract(pool)));
    if (!first || !second || !source || !desired) throw new Error('A database could not be read.');
    const { actions, renameCandidates } = plan(source.factBase, desired.factBase, {
      policy: { id: 'placar', filter: [{ match: notOurs, action: 'exclude' }] },
      params: { concurrentIndexes: true },
      renames: 'prompt',
    });
    const renames = renameCandidates.map(({ from, to }) => `${nameOf(from)} -> ${nameOf(to)}`);
    const rows = await compareRows(migrated, described);
    return { actions, renames, rows, viewComments: await compareViewComments(first, second) };
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

const nameOf = (id: object): string => {
  const { schema, table, name } = id as Partial<Record<'schema' | 'table' | 'name', string>>;
  return [schema, table, name].filter(Boolean).join('.');
};
