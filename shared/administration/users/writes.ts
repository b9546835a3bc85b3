// Writes what users may do after signing in.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import type { Target } from '../named/writes.ts';
import { expectRecord } from '../statements.ts';
import { type Changed, change } from '../transactions.ts';
import { lockUser, rememberUser, selectUserAccess, updateAccess } from './queries.ts';
import type { accessChange } from './schema.ts';

/** Replaces the access, which ends the user's tokens. Throws `not_found`, `precondition_failed` and `insufficient_scope`. */
export const setUserAccess = (
  context: Context,
  { ref, versions }: Target,
  body: z.output<typeof accessChange>,
): Promise<Changed> =>
  change(context, (sql) => {
    const { tenantId } = context;
    return {
      locked: [
        rememberUser(sql, tenantId, ref),
        lockUser(sql, tenantId),
        expectRecord(sql, null, versions, selectUserAccess(sql, tenantId)),
      ],
      update: updateAccess(sql, body),
      shown: selectUserAccess(sql, tenantId),
    };
  });
