// The rules about locks: `lock-timeout` and `concurrent-index`.
import type { Node, VariableSetStmt } from 'libpg-query';
import { qualified, relationName, stringsOf, walk } from '../names.ts';
import type { Migration } from '../statements.ts';
import { type Change, changesOf, type Rule } from './rule.ts';

const MAX_MS = 3000;
const UNITS_MS: Record<string, number> = { '': 1, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** The file begins with a `lock_timeout` of at most 3 s, and keeps it. */
export const lockTimeout: Rule = ({ node }, { migration }) => {
  if (isConcurrent(migration)) return [];
  const isFirst = node === migration.statements[0]?.node;
  const set = 'VariableSetStmt' in node ? node.VariableSetStmt : undefined;
  const isTimeout = set?.name === 'lock_timeout';
  if (isFirst && !isTimeout) return ["the file does not begin with: set local lock_timeout = '3s';"];
  if (isTimeout && !(set.is_local && isShort(set)))
    return ["the lock timeout is not local, or not from 1 ms to 3 s. Write: set local lock_timeout = '3s';"];
  if (setsTimeout(node)) return ['set_config changes the lock timeout of the file'];
  if ('TransactionStmt' in node)
    return ['begin, commit and rollback end the transaction of the file, and the lock timeout with it'];
  return [];
};

/** Whether the statement itself, not a function that it defines, calls `set_config('lock_timeout', ...)`. */
function setsTimeout(node: Node): boolean {
  let found = false;
  if ('CreateFunctionStmt' in node) return found;
  walk(node, (name, content) => {
    if (name !== 'FuncCall') return;
    const { funcname, args } = content as { funcname?: Node[]; args?: Node[] };
    const [first] = args ?? [];
    const setting = first && 'A_Const' in first ? first.A_Const.sval?.sval : undefined;
    if (stringsOf(funcname).at(-1) === 'set_config' && setting === 'lock_timeout') found = true;
  });
  return found;
}

function isShort({ args = [] }: VariableSetStmt): boolean {
  const [value] = args;
  if (!value || !('A_Const' in value)) return false;
  const text = value.A_Const.sval?.sval ?? String(value.A_Const.ival?.ival ?? 0);
  const [, number, unit = ''] = /^\s*(\d+)\s*(ms|s|min|h|d)?\s*$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_MS;
}

/** Indexes on an existing table are built and dropped `concurrently`, in a file that can run again. */
export const concurrentIndex: Rule = ({ node }, context) => {
  const { migration } = context;
  if (isConcurrent(migration)) return rerunnable(node, migration);
  if ('IndexStmt' in node) {
    const table = relationName(node.IndexStmt.relation ?? {});
    if (context.catalog.isOwn('table', table, migration.name)) return [];
    return [`the index blocks writes to ${table} while it is built. ${OWN_FILE}`];
  }
  if ('DropStmt' in node && node.DropStmt.removeType === 'OBJECT_INDEX')
    return droppedIndexes(node)
      .filter((index) => !context.catalog.isOwn('index', index, migration.name))
      .map((index) => `dropping ${index} blocks its table. ${OWN_FILE}`);
  if ('ReindexStmt' in node) return [`reindex blocks writes. ${OWN_FILE}`];
  return changesOf(node, context).flatMap(builtByConstraint);
};

const OWN_FILE =
  'In a file with nothing else, write: drop index concurrently if exists x; create index concurrently x on ...;';

function builtByConstraint({ subtype, def, table }: Change): string[] {
  const constraints =
    subtype === 'AT_AddConstraint'
      ? [def]
      : def && 'ColumnDef' in def
        ? (def.ColumnDef.constraints ?? [])
        : [];
  return constraints.flatMap((one) => {
    if (!one || !('Constraint' in one) || one.Constraint.indexname) return [];
    const { contype = '' } = one.Constraint;
    if (!['CONSTR_PRIMARY', 'CONSTR_UNIQUE', 'CONSTR_EXCLUSION'].includes(contype)) return [];
    return [
      `the constraint builds an index, which blocks ${table}. Create a unique index concurrently in an earlier file, then write: add constraint ... unique using index ...`,
    ];
  });
}

/** Whether any statement runs outside a transaction. */
export const isConcurrent = ({ statements }: Migration): boolean =>
  statements.some(({ node }) => isConcurrentStatement(node));

function isConcurrentStatement(node: Node): boolean {
  if ('IndexStmt' in node) return node.IndexStmt.concurrent === true;
  if ('DropStmt' in node)
    return node.DropStmt.removeType === 'OBJECT_INDEX' && node.DropStmt.concurrent === true;
  return (
    'ReindexStmt' in node &&
    (node.ReindexStmt.params ?? []).some(
      (param) => 'DefElem' in param && param.DefElem.defname === 'concurrently',
    )
  );
}

const droppedIndexes = (node: Node): string[] =>
  'DropStmt' in node
    ? (node.DropStmt.objects ?? []).flatMap((object) =>
        'List' in object ? [qualified(stringsOf(object.List.items))] : [],
      )
    : [];

/** Without a transaction, a run that fails leaves an invalid index behind. */
function rerunnable(node: Node, { statements }: Migration): string[] {
  if (!isConcurrentStatement(node))
    return ['a file with concurrently runs outside a transaction, so it must contain nothing else'];
  if ('DropStmt' in node && !node.DropStmt.missing_ok)
    return ['the file cannot run again after a failure. Write: drop index concurrently if exists ...'];
  if (!('IndexStmt' in node)) return [];
  const { idxname, relation } = node.IndexStmt;
  const index = `${relation?.schemaname ?? 'public'}.${idxname}`;
  const at = statements.findIndex((one) => one.node === node);
  const isDropped = statements.slice(0, at).some((one) => droppedIndexes(one.node).includes(index));
  if (idxname !== undefined && isDropped) return [];
  return [
    `a run that fails leaves an invalid index. Begin the file with: drop index concurrently if exists ${idxname === undefined ? '<name>' : index};`,
  ];
}
