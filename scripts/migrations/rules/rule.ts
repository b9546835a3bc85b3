import type { AlterTableCmd, Node } from 'libpg-query';
import type { Catalog } from '../catalog.ts';
import { relationName } from '../names.ts';
import type { Migration, Statement } from '../statements.ts';

export interface Context {
  migration: Migration;
  /** The objects that exist before the statement. */
  catalog: Catalog;
}

/** Returns the violations of a statement, each with what to do instead. */
export type Rule = (statement: Statement, context: Context) => string[];

/** Commands of an `alter table` on a table that exists before the file; none for other statements. */
export function changesOf(node: Node, { migration, catalog }: Context): Change[] {
  if (!('AlterTableStmt' in node)) return [];
  const table = relationName(node.AlterTableStmt.relation ?? {});
  if (catalog.isOwn('table', table, migration.name)) return [];
  return (node.AlterTableStmt.cmds ?? []).flatMap((command) =>
    'AlterTableCmd' in command ? [{ ...command.AlterTableCmd, table }] : [],
  );
}

export type Change = AlterTableCmd & { table: string };
