import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { newExternalIds } from '../external-ids.ts';
import { foundId, isToBeMade, type Upsert, type Upserted, upsert } from '../upsert.ts';
import { columns as columnsOfNew, orTakenEmail } from './invite.ts';
import { insertUser, lockUserCount, type UserRecord, updateUser as updateRow } from './queries.ts';
import type { NewUser, UserChange } from './schema.ts';
import { columns } from './update.ts';

/** Invites the user whom the caller calls so, or changes them. Throws what inviting and changing one do, and `precondition_failed`. */
export function upsertUser(
  context: Context,
  asked: Upsert<NewUser, UserChange>,
): Promise<Upserted<UserRecord>> {
  const { tenantId } = context;
  return orTakenEmail(
    upsert<NewUser, UserChange, UserRecord>(context, {
      ...asked,
      source: 'users',
      change: (sql, { external_id: _same, ...members }, given) =>
        updateRow(sql, tenantId, foundId(sql), columns, members, given),
      lock: (sql) => lockUserCount(sql, tenantId, isToBeMade(sql)),
      create(sql, { external_id: _same, ...members }, given) {
        const user = { ...members, ...newExternalIds(given) };
        return insertUser(sql, tenantId, randomUUID(), columnsOfNew, user, isToBeMade(sql));
      },
    }),
  );
}
