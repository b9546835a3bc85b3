// Turns a difference into the text of migrations: one file for what runs in a transaction, and one for each index on an existing table.
import type { Action } from '@supabase/pg-delta/plan';
import { formatSqlStatements } from '@supabase/pg-delta/sql-format';
import type { Difference } from './difference.ts';

export interface NewMigration {
  /** File name: version and name. */
  name: string;
  sql: string;
}

/** Thrown where a person must decide. The message says what to do. */
export class DecisionNeeded extends Error {
  override readonly name = 'DecisionNeeded';
}

/**
 * @param version of the first file, such as `20261128093000`; further files count on from it
 * @throws DecisionNeeded for what could lose data or block requests
 */
export function writeMigrations(difference: Difference, version: bigint, name: string): NewMigration[] {
  const decisions = [...decisionsOf(difference)];
  if (decisions.length > 0) throw new DecisionNeeded(decisions.join('\n'));
  const created = tablesCreatedBy(difference.actions);
  const { viewComments } = difference;
  const { inserts } = difference.rows;
  const isConcurrent = ({ transactionality, consumes }: Action) =>
    transactionality === 'nonTransactional' &&
    !consumes.some((id) => id.kind === 'table' && created.has(nameOf(id)));
  // The role that runs migrations owns what they create.
  const isOwner = ({ sql }: Action) => /\bOWNER TO "postgres"$/.test(sql);
  const statements = difference.actions
    .filter((action) => !isConcurrent(action) && !isOwner(action))
    .map(({ sql }) => format(sql.replace(/^(CREATE (?:UNIQUE )?INDEX) CONCURRENTLY /, '$1 ')));
  const indexes = difference.actions.filter(isConcurrent);
  const texts = [
    ...(statements.length + inserts.length + viewComments.length > 0
      ? [`${HEADER}\n\n${[...statements, ...viewComments, ...inserts].join('\n\n')}\n`]
      : []),
    ...indexes.map(
      ({ sql, produces }) => `drop index concurrently if exists ${indexNamed(produces)};\n${format(sql)}\n`,
    ),
  ];
  return texts.map((sql, place) => ({
    name: `${version + BigInt(place)}_${name}${sql.startsWith('drop index') ? '_index' : ''}.sql`,
    sql,
  }));
}

const HEADER = "set local lock_timeout = '3s';\nset local check_function_bodies = off;";

/** Keywords in lower case, as in the sources. Bodies stay as they are. */
function format(sql: string): string {
  const [text = sql] = formatSqlStatements([sql], {
    keywordCase: 'lower',
    preserveRoutineBodies: true,
    preserveViewBodies: true,
  });
  return text.trimEnd().endsWith(';') ? text : `${text};`;
}

const nameOf = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`;

const tablesCreatedBy = (actions: readonly Action[]): Set<string> =>
  new Set(
    actions.flatMap(({ produces }) => produces.flatMap((id) => (id.kind === 'table' ? [nameOf(id)] : []))),
  );

const indexNamed = (ids: Action['produces']): string =>
  ids.flatMap((id) => (id.kind === 'index' ? [nameOf(id)] : []))[0] ?? '';

function* decisionsOf({ actions, renames, rows }: Difference): Generator<string> {
  for (const rename of renames)
    yield `${rename}: if it was renamed, the running version still uses the old name. Add the new one beside it, write both, and drop the old one in a later release.`;
  const created = tablesCreatedBy(actions);
  for (const { sql, dataLoss, rewriteRisk, produces } of actions) {
    const [line = ''] = sql.split('\n');
    if (dataLoss === 'destructive')
      yield `${line}: loses data. If nothing uses it since a release, write the statement yourself, below "-- contracts: <version>".`;
    // A new table has no rows.
    else if (rewriteRisk && !/^CREATE TABLE\b/.test(sql))
      yield `${line}: can rewrite the table while requests wait. Add a column and fill it by a job instead.`;
    else if (/\bSET NOT NULL\b/.test(sql))
      yield `${line}: needs a validated check first, in files of their own.`;
    else if (/\bADD COLUMN\b/.test(sql) && /\bNOT NULL\b/.test(sql) && !/\bDEFAULT\b/.test(sql))
      yield `${line}: rows exist that have no value. Give the column a constant default, or make it required after a job has filled it.`;
    else if (
      produces.some(
        (id) => id.kind === 'constraint' && !created.has(nameOf({ schema: id.schema, name: id.table })),
      )
    )
      yield `${line}: add it "not valid", and validate it in a second file.`;
  }
  for (const table of rows.changed)
    yield `Rows of ${table} were changed or removed: admins may have changed them as well. Write the update or delete yourself.`;
}
