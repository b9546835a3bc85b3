// Reads what users may do after signing in.
import type { Context } from '../../platform/access/context.ts';
import type { Paging } from '../statements.ts';
import { readPage, readShown } from '../transactions.ts';
import { rememberUser, selectUserAccess, selectUsers } from './queries.ts';

export const listUsers = (context: Context, access: string | undefined, paging: Paging) =>
  readPage(context, (sql) => selectUsers(sql, context.tenantId, access, paging));

/** The access of the user with this id or email address. Throws `not_found`. */
export const getUserAccess = (context: Context, ref: string) =>
  readShown(context, (sql) => ({
    found: rememberUser(sql, context.tenantId, ref),
    shown: selectUserAccess(sql, context.tenantId),
  }));
