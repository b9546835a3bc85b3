// The rule `no-backfill`: a statement may change only a limited number of existing rows.
import type { Node, RangeVar } from 'libpg-query';
import { relationName, stringsOf, walk } from '../names.ts';
import type { Context, Rule } from './rule.ts';

const MAX_ROWS = 1000;
const INSTEAD = `Change at most ${MAX_ROWS} rows (where id in (select id ... limit ${MAX_ROWS})), name them by primary key, or fill them by a job`;

/** Statements that run when the file is applied and may change rows, in any of their parts. */
const CHANGES = ['UpdateStmt', 'DeleteStmt', 'MergeStmt'];
/** Their statements run later, when the object is used. */
const DEFINITIONS = ['CreateFunctionStmt', 'RuleStmt', 'ViewStmt', 'CreateStmt', 'CreateTrigStmt'];

/** No update or delete without a bound. */
export const noBackfill: Rule = ({ node, inLoop }, context) => {
  const found: string[] = [];
  if (DEFINITIONS.some((name) => name in node)) return found;
  walk(node, (name, content) => {
    if (CHANGES.includes(name)) found.push(...unbounded(name, content as Change, inLoop, context));
    if (name === 'TruncateStmt') found.push(...emptied(content as { relations?: Node[] }, context));
    if (name === 'InsertStmt') found.push(...copied(content as Insert, context));
    if (name === 'CreateTableAsStmt')
      found.push(...copied({ selectStmt: (content as TableAs).query }, context));
    if (name === 'SelectStmt' && 'intoClause' in (content as object))
      found.push(...copied({ selectStmt: { SelectStmt: content } as Node }, context));
  });
  return found;
};

interface Change {
  relation?: RangeVar;
  whereClause?: Node;
  withClause?: unknown;
  fromClause?: unknown;
  usingClause?: unknown;
}

function unbounded(name: string, change: Change, inLoop: boolean, context: Context): string[] {
  const table = relationName(change.relation ?? {});
  if (isOwnTable(table, context)) return [];
  const verb = name.replace('Stmt', '').toLowerCase();
  if (inLoop) return [`the loop of this ${verb} changes ${table} in one transaction. ${INSTEAD}`];
  const { whereClause, withClause, fromClause, usingClause } = change;
  if (isLimited([whereClause, withClause, fromClause, usingClause])) return [];
  if (namesRows(whereClause, context.catalog.primaryKeys.get(table) ?? [])) return [];
  return [`the ${verb} of ${table} has no bound. ${INSTEAD}`];
}

function emptied({ relations = [] }: { relations?: Node[] }, context: Context): string[] {
  return relations.flatMap((one) => {
    const table = 'RangeVar' in one ? relationName(one.RangeVar) : '';
    return isOwnTable(table, context) ? [] : [`truncate deletes all rows of ${table}. ${INSTEAD}`];
  });
}

interface Insert {
  selectStmt?: Node | undefined;
}

interface TableAs {
  query?: Node;
}

/** `insert ... select` from an existing table is a backfill, too, and so is a table that is created from one. */
function copied({ selectStmt }: Insert, context: Context): string[] {
  if (!selectStmt || isLimited([selectStmt])) return [];
  const sources: string[] = [];
  walk(selectStmt, (name, content) => {
    if (name === 'RangeVar') sources.push(relationName(content as RangeVar));
  });
  const source = sources.find(
    (table) => context.catalog.isKnown('table', table) && !isOwnTable(table, context),
  );
  return source === undefined ? [] : [`it copies all rows of ${source}. ${INSTEAD}`];
}

const isOwnTable = (table: string, { catalog, migration }: Context): boolean =>
  catalog.isOwn('table', table, migration.name);

/** Whether a part has a `limit` of at most 1000. */
function isLimited(parts: readonly unknown[]): boolean {
  let limited = false;
  walk(parts, (name, content) => {
    if (name !== 'limitCount') return;
    const { A_Const } = content as { A_Const?: { ival?: { ival?: number } } };
    const rows = A_Const?.ival?.ival ?? Number.NaN;
    if (rows <= MAX_ROWS) limited = true;
  });
  return limited;
}

/** Whether the condition fixes every column of the primary key. */
function namesRows(where: Node | undefined, key: readonly string[]): boolean {
  if (!where || key.length === 0) return false;
  const conditions =
    'BoolExpr' in where && where.BoolExpr.boolop === 'AND_EXPR' ? (where.BoolExpr.args ?? []) : [where];
  const fixed = conditions.flatMap((one) => {
    if (!('A_Expr' in one)) return [];
    const { kind, name, lexpr, rexpr } = one.A_Expr;
    const isEqual = ['AEXPR_OP', 'AEXPR_IN'].includes(kind ?? '') && stringsOf(name)[0] === '=';
    const isColumn = lexpr && 'ColumnRef' in lexpr;
    return isEqual && isColumn && rexpr && isLiteral(rexpr)
      ? stringsOf(lexpr.ColumnRef.fields).slice(-1)
      : [];
  });
  return key.every((column) => fixed.includes(column));
}

function isLiteral(node: Node): boolean {
  if ('List' in node) return (node.List.items ?? []).every(isLiteral);
  if ('TypeCast' in node) return node.TypeCast.arg !== undefined && isLiteral(node.TypeCast.arg);
  return 'A_Const' in node;
}
