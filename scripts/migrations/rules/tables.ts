// The rules about existing tables: `not-valid` and `no-rewrite`.
import type { ColumnDef, Constraint, Node } from 'libpg-query';
import { stringsOf, typeName } from '../names.ts';
import { type Change, type Context, changesOf, type Rule } from './rule.ts';

/** Checks and foreign keys are added `not valid` and validated in a later file. */
export const notValid: Rule = ({ node }, context) => [
  ...changesOf(node, context).flatMap((change) => scannedBy(change, context)),
  ...scannedByDomain(node),
];

function scannedBy({ subtype, def, name, table }: Change, { catalog, migration }: Context): string[] {
  if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def) {
    const { contype, skip_validation } = def.Constraint;
    return isChecked(def.Constraint) && !skip_validation
      ? [
          `a ${kindOf(contype)} on ${table} is checked for every row under a lock. Add not valid, and validate the constraint in a later file`,
        ]
      : [];
  }
  if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def)
    return constraintsOf(def.ColumnDef)
      .filter(isChecked)
      .map(
        ({ contype }) =>
          `a new column with a ${kindOf(contype)} scans ${table} or locks it longer. Add the column without it, then: add constraint ... not valid`,
      );
  if (
    subtype === 'AT_ValidateConstraint' &&
    catalog.constraints.get(`${table}.${name}`)?.file === migration.name
  )
    return [`${name} is validated in the file that adds it, under its lock. Validate it in a later file`];
  return [];
}

const isChecked = ({ contype }: Constraint) => contype === 'CONSTR_CHECK' || contype === 'CONSTR_FOREIGN';
const kindOf = (contype: Constraint['contype']) => (contype === 'CONSTR_CHECK' ? 'check' : 'foreign key');

const constraintsOf = ({ constraints = [] }: ColumnDef): Constraint[] =>
  constraints.flatMap((one) => ('Constraint' in one ? [one.Constraint] : []));

function scannedByDomain(node: Node): string[] {
  if (!('AlterDomainStmt' in node) || node.AlterDomainStmt.subtype !== 'C') return [];
  const { def } = node.AlterDomainStmt;
  return def && 'Constraint' in def && !def.Constraint.skip_validation
    ? [
        'a constraint of a domain scans every table that uses it. Add not valid, and validate it in a later file',
      ]
    : [];
}

/** Changes that rewrite or scan a table under an exclusive lock. */
const REWRITES: Record<string, string> = {
  AT_AlterColumnType:
    'a change of type rewrites the table. Add a column of the new type, and fill it by a job',
  AT_SetExpression: 'a change of a generated column rewrites the table. Add another column',
  AT_SetLogged: 'set logged rewrites the table',
  AT_SetUnLogged: 'set unlogged rewrites the table',
  AT_SetAccessMethod: 'a change of access method rewrites the table',
  AT_SetTableSpace: 'a change of tablespace copies the table',
};

/** Nothing rewrites an existing table, or scans it under a lock. */
export const noRewrite: Rule = ({ node }, context) => {
  if ('ClusterStmt' in node) return ['cluster rewrites the table under an exclusive lock'];
  if ('VacuumStmt' in node && node.VacuumStmt.is_vacuumcmd) return ['vacuum does not run in a migration'];
  if ('RefreshMatViewStmt' in node && !node.RefreshMatViewStmt.concurrent)
    return ['refresh materialized view blocks readers. Refresh it concurrently, in a job'];
  return changesOf(node, context).flatMap((change) => {
    const { subtype = '', def, name, table } = change;
    if (subtype === 'AT_SetNotNull') return nullable(table, name, context);
    if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) return rewritingColumn(def.ColumnDef, table);
    if (
      subtype === 'AT_AttachPartition' &&
      'AlterTableStmt' in node &&
      node.AlterTableStmt.objtype === 'OBJECT_TABLE'
    )
      return [
        `attaching a partition scans it under the lock of ${table}. Create it with: partition of ${table}`,
      ];
    const message = REWRITES[subtype];
    return message === undefined ? [] : [`${table}: ${message}`];
  });
};

function nullable(table: string, column: string | undefined, { catalog }: Context): string[] {
  const isChecked = [...catalog.constraints].some(
    ([name, { isValid, notNull }]) =>
      name.startsWith(`${table}.`) && isValid && notNull.includes(column ?? ''),
  );
  if (isChecked) return [];
  return [
    `set not null scans ${table} under an exclusive lock. First add check (${column} is not null) not valid, and validate it in a later file`,
  ];
}

const SERIALS = ['serial', 'serial2', 'serial4', 'serial8', 'smallserial', 'bigserial'];

function rewritingColumn(column: ColumnDef, table: string): string[] {
  const constraints = constraintsOf(column);
  const of = (type: Constraint['contype']) => constraints.find(({ contype }) => contype === type);
  const added = `${table}.${column.colname}`;
  if (of('CONSTR_GENERATED')) return [`the generated column ${added} rewrites the table`];
  if (of('CONSTR_IDENTITY') || SERIALS.includes(typeName(column.typeName ?? {})))
    return [`the numbers of ${added} rewrite the table. Add a nullable column, and fill it by a job`];
  const standard = of('CONSTR_DEFAULT')?.raw_expr;
  if (standard && !isConstant(standard))
    return [
      `the default of ${added} is not a constant, so the table may be rewritten. Add the column without a default, then: alter column ... set default ...`,
    ];
  if ((of('CONSTR_NOTNULL') || of('CONSTR_PRIMARY')) && (!standard || isNull(standard)))
    return [
      `${added} is not null and has no default, so the table must be empty. Make it nullable, or give it a constant default`,
    ];
  return [];
}

const isNull = (node: Node): boolean => 'A_Const' in node && node.A_Const.isnull === true;

/** Functions whose value Postgres computes once for all rows. */
const COMPUTED_ONCE = [
  'now',
  'transaction_timestamp',
  'statement_timestamp',
  'make_interval',
  'make_date',
  'to_jsonb',
];

/** Whether Postgres can keep the value in the catalog instead of writing it into every row. */
function isConstant(node: Node): boolean {
  const all = (nodes: readonly Node[] = []) => nodes.every(isConstant);
  if ('A_Const' in node || 'SQLValueFunction' in node) return true;
  if ('TypeCast' in node) return node.TypeCast.arg === undefined || isConstant(node.TypeCast.arg);
  if ('A_ArrayExpr' in node) return all(node.A_ArrayExpr.elements);
  if ('RowExpr' in node) return all(node.RowExpr.args);
  if ('CollateClause' in node)
    return node.CollateClause.arg !== undefined && isConstant(node.CollateClause.arg);
  if ('A_Expr' in node) {
    const { lexpr, rexpr } = node.A_Expr;
    return [lexpr, rexpr].every((side) => side === undefined || isConstant(side));
  }
  if ('FuncCall' in node)
    return COMPUTED_ONCE.includes(stringsOf(node.FuncCall.funcname).at(-1) ?? '') && all(node.FuncCall.args);
  return false;
}
