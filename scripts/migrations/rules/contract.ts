// The rule `expand-contract`: the previous version runs while the migration is applied, and after it.
import type { CreateFunctionStmt, DropStmt, GrantStmt, Node } from 'libpg-query';
import { createdBy, type Signature, signatureOf } from '../catalog.ts';
import { qualified, relationName, stringsOf, typeName } from '../names.ts';
import { narrowed } from './narrowing.ts';
import { type Change, type Context, changesOf, type Rule } from './rule.ts';

const LATER =
  'The previous version may use it. Remove it one release after its last use, with a comment above: -- contracts: <version>';

/** Changes of a table that remove something. */
const TAKEN_AWAY: Record<string, string> = {
  AT_DropColumn: 'drops a column',
  AT_DropIdentity: 'drops the numbers of a column',
  AT_DropExpression: 'drops the expression of a column',
  AT_DetachPartition: 'detaches a partition',
  AT_DropInherit: 'drops an inheritance',
  AT_DisableRowSecurity: 'disables row-level security',
  AT_DisableRule: 'disables a rule',
  AT_DisableTrig: 'disables a trigger',
  AT_DisableTrigAll: 'disables triggers',
  AT_DisableTrigUser: 'disables triggers',
};

/** Objects that the previous version uses must not be dropped, renamed or narrowed, and must keep their signature. */
export const expandContract: Rule = (statement, context) => {
  const { node } = statement;
  if ('DropStmt' in node) return dropped(node.DropStmt, context);
  if ('DropRoleStmt' in node || 'DropOwnedStmt' in node) return [`drops a role or what it owns. ${LATER}`];
  if ('RenameStmt' in node || 'AlterObjectSchemaStmt' in node) return moved(node, context);
  if ('AlterEnumStmt' in node && node.AlterEnumStmt.oldVal !== undefined)
    return [`renames a value of a type. ${LATER}`];
  if ('GrantStmt' in node) return revoked(node.GrantStmt, context);
  if ('CreateFunctionStmt' in node) return ambiguous(node.CreateFunctionStmt, context);
  if ('DoStmt' in node && node.DoStmt.args === undefined)
    return [
      'this dynamic SQL cannot be checked. Write it as a statement, or as execute format() of one string',
    ];
  return [
    ...narrowed(node, context).map((what) => `${what}. ${LATER}`),
    ...changesOf(node, context).flatMap((change) => takenAway(change, context)),
  ];
};

function takenAway({ subtype, name, def, table }: Change, context: Context): string[] {
  if (subtype === 'AT_DropConstraint') return droppedConstraint(table, name ?? '', context);
  if (subtype === 'AT_ColumnDefault' && def === undefined)
    return [`drops the default of ${table}.${name}. ${LATER}`];
  if (
    subtype === 'AT_DropColumn' &&
    context.catalog.isOwn('column', `${table}.${name}`, context.migration.name)
  )
    return [];
  const what = TAKEN_AWAY[subtype ?? ''];
  return what === undefined ? [] : [`${what} of ${table}. ${LATER}`];
}

/** Dropping a check only allows more. Other constraints protect data or are used by `on conflict`, unless the file adds them again. */
function droppedConstraint(table: string, name: string, { catalog, migration }: Context): string[] {
  const type = catalog.constraints.get(`${table}.${name}`)?.type;
  const isCheck = type === undefined ? /_check\d*$/.test(name) : type === 'CONSTR_CHECK';
  const isReplaced = migration.statements.some(({ node }) =>
    addedConstraints(node).includes(`${table}.${name}`),
  );
  return isCheck || isReplaced ? [] : [`drops the constraint ${name} of ${table}. ${LATER}`];
}

function addedConstraints(node: Node): string[] {
  if (!('AlterTableStmt' in node)) return [];
  const table = relationName(node.AlterTableStmt.relation ?? {});
  return (node.AlterTableStmt.cmds ?? []).flatMap((command) => {
    if (!('AlterTableCmd' in command)) return [];
    const { subtype, def } = command.AlterTableCmd;
    return subtype === 'AT_AddConstraint' && def && 'Constraint' in def
      ? [`${table}.${def.Constraint.conname}`]
      : [];
  });
}

const REPLACEABLE = ['trigger', 'policy'];

function dropped(
  { objects = [], removeType = 'OBJECT_TABLE', concurrent }: DropStmt,
  context: Context,
): string[] {
  const { catalog, migration } = context;
  const kind = removeType.replace('OBJECT_', '').toLowerCase();
  return objects.flatMap((object) => {
    const name = droppedName(object, kind);
    if (catalog.isOwn(kind, name, migration.name)) return [];
    // An earlier failed run of the same file may have left it.
    if (kind === 'index' && concurrent && !catalog.isKnown(kind, name)) return [];
    const isReplaced =
      REPLACEABLE.includes(kind) &&
      migration.statements.some(({ node }) =>
        createdBy(node).some((one) => one.kind === kind && one.name === name),
      );
    return isReplaced ? [] : [`drops the ${kind} ${name}. ${LATER}`];
  });
}

function droppedName(object: Node, kind: string): string {
  if ('ObjectWithArgs' in object) {
    const { objname, objargs = [] } = object.ObjectWithArgs;
    const types = objargs.flatMap((one) => ('TypeName' in one ? [typeName(one.TypeName)] : []));
    return `${qualified(stringsOf(objname))}(${types})`;
  }
  if ('TypeName' in object) return qualified(stringsOf(object.TypeName.names));
  if ('String' in object) return object.String.sval ?? '';
  const parts = 'List' in object ? stringsOf(object.List.items) : [];
  return qualified(parts, REPLACEABLE.includes(kind) ? 2 : 1);
}

function moved(node: Node, { catalog, migration }: Context): string[] {
  const { relation, object, subname } =
    'RenameStmt' in node
      ? node.RenameStmt
      : 'AlterObjectSchemaStmt' in node
        ? { ...node.AlterObjectSchemaStmt, subname: undefined }
        : {};
  const name = relation ? relationName(relation) : object ? droppedName(object, '') : '';
  const isOwn =
    ['table', 'view', 'index', 'sequence', 'function', 'procedure', 'type', 'domain'].some((kind) =>
      catalog.isOwn(kind, name, migration.name),
    ) || catalog.isOwn('column', `${name}.${subname}`, migration.name);
  return isOwn ? [] : [`renames or moves ${[name, subname].filter(Boolean).join('.')}. ${LATER}`];
}

function revoked(
  { is_grant, targtype, objects = [], objtype = 'OBJECT_TABLE' }: GrantStmt,
  context: Context,
): string[] {
  if (is_grant || targtype === 'ACL_TARGET_DEFAULTS') return [];
  const { catalog, migration } = context;
  const kind = objtype.replace('OBJECT_', '').toLowerCase();
  const isOwn = (object: Node): boolean => {
    if (targtype === 'ACL_TARGET_ALL_IN_SCHEMA')
      return 'String' in object && catalog.isOwn('schema', object.String.sval ?? '', migration.name);
    if ('RangeVar' in object)
      return ['table', 'view', 'matview', 'sequence'].some((one) =>
        catalog.isOwn(one, relationName(object.RangeVar), migration.name),
      );
    if ('ObjectWithArgs' in object && object.ObjectWithArgs.args_unspecified)
      return (catalog.functions.get(qualified(stringsOf(object.ObjectWithArgs.objname))) ?? []).every(
        ({ file }) => file === migration.name,
      );
    return catalog.isOwn(kind, droppedName(object, kind), migration.name);
  };
  return objects.every(isOwn) ? [] : [`revokes a right on an existing ${kind}. ${LATER}`];
}

/** Existing calls of a function fail if a second function with the same name also matches them. */
function ambiguous(statement: CreateFunctionStmt, { catalog, migration }: Context): string[] {
  const name = qualified(stringsOf(statement.funcname));
  const added = signatureOf(statement, migration.name);
  const others = (catalog.functions.get(name) ?? []).filter(({ file }) => file !== migration.name);
  if (others.some(({ types }) => String(types) === String(added.types))) return [];
  return others.some((other) => overlaps(other, added))
    ? [
        `calls of the existing ${name}(${others[0]?.types}) become ambiguous, because the new arguments have defaults. Remove the defaults, or choose another name`,
      ]
    : [];
}

function overlaps(one: Signature, other: Signature): boolean {
  const least = Math.max(one.required, other.required);
  const most = Math.min(one.types.length, other.types.length);
  for (let passed = least; passed <= most; passed++)
    if (String(one.types.slice(0, passed)) === String(other.types.slice(0, passed))) return true;
  return false;
}
