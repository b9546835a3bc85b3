// Reads activity codes and point rules.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { adminError } from '../errors.ts';
import type { Page, Paging, Shown } from '../statements.ts';
import { ruleWithId, selectCode, selectCodes, selectRule, selectRules } from './queries.ts';

/** Activity codes that are mapped to a mission (`mapped`) or not, or both. */
export async function listCodes(
  { read, tenantId }: Context,
  mapped: string | undefined,
  paging: Paging,
): Promise<Page> {
  return oneRow(await read((sql) => selectCodes(sql, tenantId, mapped, paging)));
}

export async function getCode({ read, tenantId }: Context, code: string): Promise<Shown> {
  return oneRow(await read((sql) => selectCode(sql, tenantId, code)));
}

export async function listRules({ read, tenantId }: Context, paging: Paging): Promise<Page> {
  return oneRow(await read((sql) => selectRules(sql, tenantId, paging)));
}

/** Throws `not_found`. */
export async function getRule({ read, tenantId }: Context, id: string): Promise<Shown> {
  const [rule] = await read((sql) => selectRule(sql, tenantId, ruleWithId(sql, id)));
  if (!rule) throw adminError('unknown_reference', { kind: 'point_rule' });
  return rule;
}
