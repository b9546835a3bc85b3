// Part of the rule `expand-contract`: statements that leave an object in place but allow less, or do something else, than before.
import type { AlterFunctionStmt, Node, RangeVar } from 'libpg-query';
import { relationName } from '../names.ts';
import { type Context, changesOf } from './rule.ts';

/** Changes of a table after which its readers or writers may do less. */
const RESTRICTS: Record<string, string> = {
  AT_ForceRowSecurity: 'applies row-level security to the owner',
  AT_ChangeOwner: 'changes the owner',
};

/** Options of a function that make existing calls do something else, with their value. */
const OTHER_BEHAVIOR: Record<string, boolean> = { strict: true, security: false };

/** Descriptions of what the statement narrows; empty if nothing. */
export function narrowed(node: Node, context: Context): string[] {
  if ('AlterPolicyStmt' in node) return ofTable(node.AlterPolicyStmt.table, 'changes a policy', context);
  if ('CreatePolicyStmt' in node && !node.CreatePolicyStmt.permissive)
    return ofTable(node.CreatePolicyStmt.table, 'adds a restrictive policy', context);
  if ('RuleStmt' in node) return ofTable(node.RuleStmt.relation, 'rewrites statements', context);
  if ('GrantRoleStmt' in node && !node.GrantRoleStmt.is_grant) return ['revokes the membership in a role'];
  if ('AlterRoleStmt' in node || 'AlterRoleSetStmt' in node) return ['changes a role that may be in use'];
  if ('AlterFunctionStmt' in node && changesCalls(node.AlterFunctionStmt))
    return ['changes what existing calls of a function do'];
  return changesOf(node, context).flatMap(({ subtype = '', table }) =>
    subtype in RESTRICTS ? [`${RESTRICTS[subtype]} of ${table}`] : [],
  );
}

function ofTable(relation: RangeVar | undefined, what: string, { catalog, migration }: Context): string[] {
  const table = relationName(relation ?? {});
  return catalog.isOwn('table', table, migration.name) ? [] : [`${what} of ${table}`];
}

const changesCalls = ({ actions = [] }: AlterFunctionStmt): boolean =>
  actions.some((action) => {
    if (!('DefElem' in action)) return false;
    const { defname = '', arg } = action.DefElem;
    const isOn = arg !== undefined && 'Boolean' in arg && arg.Boolean.boolval === true;
    return OTHER_BEHAVIOR[defname] === isOn;
  });
