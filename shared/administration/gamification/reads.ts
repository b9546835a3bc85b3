// Reads activity codes and point rules.
import type { Context } from '../../platform/access/context.ts';
import type { Paging } from '../statements.ts';
import { readPage, readShown } from '../transactions.ts';
import { ruleWithId, selectCode, selectCodes, selectRule, selectRules } from './queries.ts';

/** Activity codes that are mapped to a mission (`mapped`) or not, or both. */
export const listCodes = (context: Context, mapped: string | undefined, paging: Paging) =>
  readPage(context, (sql) => selectCodes(sql, context.tenantId, mapped, paging));

export const getCode = (context: Context, code: string) =>
  readShown(context, (sql) => ({ shown: selectCode(sql, context.tenantId, code) }));

export const listRules = (context: Context, paging: Paging) =>
  readPage(context, (sql) => selectRules(sql, context.tenantId, paging));

/** Throws `not_found`. */
export const getRule = (context: Context, id: string) =>
  readShown(
    context,
    (sql) => ({ shown: selectRule(sql, context.tenantId, ruleWithId(sql, id)) }),
    'point_rule',
  );
