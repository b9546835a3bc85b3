// The rule `grants`: a new table in `public` has row-level security and policies, and an entry that tells tenant moves how to handle it.
import { createdBy } from '../catalog.ts';
import { relationName, walk } from '../names.ts';
import type { Migration } from '../statements.ts';
import type { Rule } from './rule.ts';

/** The table that lists the tables to move exists after this file. */
const MOVES_SINCE = '20261123009999';
const MOVES = 'private.tables_of_tenants_to_move';

export const grants: Rule = ({ node }, { migration }) => {
  const isTable = 'CreateStmt' in node || 'CreateTableAsStmt' in node;
  const [{ kind, name } = { kind: '', name: '' }] = isTable ? createdBy(node) : [];
  if (kind !== 'table' || !name.startsWith('public.') || isTemporary(node)) return [];
  const isPartition = 'CreateStmt' in node && node.CreateStmt.partbound !== undefined;
  const missing = isSecured(migration, name) ? [] : [`Write: alter table ${name} enable row level security;`];
  if (!isPartition && !hasPolicy(migration, name)) missing.push(`Write: create policy ... on ${name} ...;`);
  if (!isPartition && (migration.version ?? '9') > MOVES_SINCE && !isListed(migration, name))
    missing.push(
      `Write: insert into ${MOVES} (table_name, how, why) values ('${name.slice('public.'.length)}', ...);`,
    );
  return missing.map((what) => `the new table ${name} is incomplete. ${what}`);
};

function isTemporary(node: object): boolean {
  let temporary = false;
  walk(node, (name, content) => {
    if (name === 'relpersistence' && content === 't') temporary = true;
  });
  return temporary;
}

const isSecured = ({ statements }: Migration, table: string): boolean =>
  statements.some(
    ({ node }) =>
      'AlterTableStmt' in node &&
      relationName(node.AlterTableStmt.relation ?? {}) === table &&
      node.AlterTableStmt.cmds?.some(
        (command) => 'AlterTableCmd' in command && command.AlterTableCmd.subtype === 'AT_EnableRowSecurity',
      ),
  );

const hasPolicy = ({ statements }: Migration, table: string): boolean =>
  statements.some(
    ({ node }) => 'CreatePolicyStmt' in node && relationName(node.CreatePolicyStmt.table ?? {}) === table,
  );

function isListed({ statements }: Migration, table: string): boolean {
  const names = [table, table.slice('public.'.length)];
  return statements.some(({ node }) => {
    if (!('InsertStmt' in node) || relationName(node.InsertStmt.relation ?? {}) !== MOVES) return false;
    let listed = false;
    walk(node, (name, content) => {
      if (name === 'sval' && names.includes(String(content))) listed = true;
    });
    return listed;
  });
}
