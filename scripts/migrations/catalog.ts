// Tracks the objects that earlier statements have created, to tell existing objects from those of the same file.
import type { Constraint, CreateFunctionStmt, CreateStmt, FunctionParameter, Node } from 'libpg-query';
import { qualified, relationName, stringsOf, typeName } from './names.ts';
import type { Statement } from './statements.ts';

interface KnownConstraint {
  type: Constraint['contype'];
  isValid: boolean;
  /** Columns that the check prevents from being null. */
  notNull: string[];
  /** File that added it. */
  file: string;
}

export interface Signature {
  /** Types of the arguments that a caller passes. */
  types: string[];
  /** How many of them have no default. */
  required: number;
  file: string;
}

export class Catalog {
  /** File that created an object, by kind and name: `table public.leads`, `trigger public.leads.leads_events`. */
  readonly #created = new Map<string, string>();
  /** Columns of each table's primary key. */
  readonly primaryKeys = new Map<string, string[]>();
  /** By `table.constraint`. */
  readonly constraints = new Map<string, KnownConstraint>();
  readonly functions = new Map<string, Signature[]>();

  isKnown(kind: string, name: string): boolean {
    return this.#created.has(`${kind} ${name}`);
  }

  /** Whether this file created the object, so that no other version uses it. */
  isOwn(kind: string, name: string, file: string): boolean {
    return this.#created.get(`${kind} ${name}`) === file;
  }

  /** Records the objects that the statement creates. Existing objects keep the file that created them. */
  add({ node }: Statement, file: string): void {
    for (const { kind, name } of createdBy(node)) {
      const key = `${kind} ${name}`;
      if (!this.#created.has(key)) this.#created.set(key, file);
    }
    if ('CreateStmt' in node) this.#addTable(node.CreateStmt, file);
    else if ('AlterTableStmt' in node) this.#alterTable(node, file);
    else if ('CreateFunctionStmt' in node) this.#addFunction(node.CreateFunctionStmt, file);
  }

  #addTable({ relation, tableElts = [] }: CreateStmt, file: string): void {
    const table = relationName(relation ?? {});
    for (const element of tableElts) {
      if ('Constraint' in element) this.#addConstraint(table, element.Constraint, file);
      if (!('ColumnDef' in element)) continue;
      for (const inner of element.ColumnDef.constraints ?? [])
        if ('Constraint' in inner)
          this.#addConstraint(table, inner.Constraint, file, element.ColumnDef.colname);
    }
  }

  #addConstraint(table: string, constraint: Constraint, file: string, column?: string): void {
    const { contype, conname, keys, skip_validation, raw_expr } = constraint;
    if (contype === 'CONSTR_PRIMARY')
      this.primaryKeys.set(table, column === undefined ? stringsOf(keys) : [column]);
    if (conname === undefined) return;
    const notNull = contype === 'CONSTR_CHECK' ? notNullColumns(raw_expr) : [];
    this.constraints.set(`${table}.${conname}`, {
      type: contype,
      isValid: !skip_validation,
      notNull,
      file,
    });
  }

  #alterTable(node: Node, file: string): void {
    if (!('AlterTableStmt' in node)) return;
    const table = relationName(node.AlterTableStmt.relation ?? {});
    for (const command of node.AlterTableStmt.cmds ?? []) {
      if (!('AlterTableCmd' in command)) continue;
      const { subtype, name, def } = command.AlterTableCmd;
      if (subtype === 'AT_AddConstraint' && def && 'Constraint' in def)
        this.#addConstraint(table, def.Constraint, file);
      const known = this.constraints.get(`${table}.${name}`);
      if (subtype === 'AT_ValidateConstraint' && known) known.isValid = true;
      if (subtype === 'AT_DropConstraint') this.constraints.delete(`${table}.${name}`);
    }
  }

  #addFunction(statement: CreateFunctionStmt, file: string): void {
    const name = qualified(stringsOf(statement.funcname));
    const signatures = this.functions.get(name) ?? [];
    const signature = signatureOf(statement, file);
    if (!signatures.some(({ types }) => String(types) === String(signature.types)))
      this.functions.set(name, [...signatures, signature]);
  }
}

export function signatureOf({ parameters = [] }: CreateFunctionStmt, file: string): Signature {
  const passed: FunctionParameter[] = parameters.flatMap((one) =>
    'FunctionParameter' in one &&
    !['FUNC_PARAM_OUT', 'FUNC_PARAM_TABLE'].includes(one.FunctionParameter.mode ?? '')
      ? [one.FunctionParameter]
      : [],
  );
  const required = passed.filter(({ defexpr }) => defexpr === undefined).length;
  return { types: passed.map(({ argType }) => typeName(argType ?? {})), required, file };
}

/** Columns for which a check requires `is not null`. */
function notNullColumns(expression: Node | undefined): string[] {
  if (!expression) return [];
  if ('BoolExpr' in expression && expression.BoolExpr.boolop === 'AND_EXPR')
    return (expression.BoolExpr.args ?? []).flatMap(notNullColumns);
  if (!('NullTest' in expression) || expression.NullTest.nulltesttype !== 'IS_NOT_NULL') return [];
  const { arg } = expression.NullTest;
  return arg && 'ColumnRef' in arg ? stringsOf(arg.ColumnRef.fields).slice(-1) : [];
}

interface Named {
  kind: string;
  name: string;
}

/** Objects that a statement creates. */
export function createdBy(node: Node): Named[] {
  const one = (kind: string, name: string): Named[] => [{ kind, name }];
  if ('CreateStmt' in node) return one('table', relationName(node.CreateStmt.relation ?? {}));
  if ('CreateTableAsStmt' in node)
    return one(
      node.CreateTableAsStmt.objtype === 'OBJECT_MATVIEW' ? 'matview' : 'table',
      relationName(node.CreateTableAsStmt.into?.rel ?? {}),
    );
  if ('ViewStmt' in node) return one('view', relationName(node.ViewStmt.view ?? {}));
  if ('CreateSeqStmt' in node) return one('sequence', relationName(node.CreateSeqStmt.sequence ?? {}));
  if ('IndexStmt' in node) {
    const { relation, idxname = '' } = node.IndexStmt;
    return one('index', `${relation?.schemaname ?? 'public'}.${idxname}`);
  }
  if ('CreateTrigStmt' in node) {
    const { relation, trigname } = node.CreateTrigStmt;
    return one('trigger', `${relationName(relation ?? {})}.${trigname}`);
  }
  if ('CreatePolicyStmt' in node) {
    const { table, policy_name } = node.CreatePolicyStmt;
    return one('policy', `${relationName(table ?? {})}.${policy_name}`);
  }
  if ('CreateFunctionStmt' in node) {
    const { funcname, is_procedure } = node.CreateFunctionStmt;
    const { types } = signatureOf(node.CreateFunctionStmt, '');
    return one(is_procedure ? 'procedure' : 'function', `${qualified(stringsOf(funcname))}(${types})`);
  }
  if ('CreateSchemaStmt' in node) return one('schema', node.CreateSchemaStmt.schemaname ?? '');
  if ('CreateRoleStmt' in node) return one('role', node.CreateRoleStmt.role ?? '');
  if ('CreateEnumStmt' in node) return one('type', qualified(stringsOf(node.CreateEnumStmt.typeName)));
  if ('CreateDomainStmt' in node)
    return one('domain', qualified(stringsOf(node.CreateDomainStmt.domainname)));
  if ('CompositeTypeStmt' in node) return one('type', relationName(node.CompositeTypeStmt.typevar ?? {}));
  return addedColumns(node);
}

function addedColumns(node: Node): Named[] {
  if (!('AlterTableStmt' in node)) return [];
  const table = relationName(node.AlterTableStmt.relation ?? {});
  return (node.AlterTableStmt.cmds ?? []).flatMap((command): Named[] => {
    if (!('AlterTableCmd' in command)) return [];
    const { subtype, def } = command.AlterTableCmd;
    return subtype === 'AT_AddColumn' && def && 'ColumnDef' in def
      ? [{ kind: 'column', name: `${table}.${def.ColumnDef.colname}` }]
      : [];
  });
}
