// Writes settings.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { type ApiError, invalid } from '../../platform/errors.ts';
import { expectRecord } from '../statements.ts';
import { type Changed, change } from '../transactions.ts';
import { expectAccessScope, lockSettings, selectSettings, updateSettings as updateRow } from './queries.ts';
import { settingsChange } from './schema.ts';

const columns = columnsOf(settingsChange);

/** Settings that decide who signs in. */
const ACCESS_COLUMNS = ['sign_in', 'require_mfa'];

/** Changes the settings in the body. Throws `precondition_failed` and `insufficient_scope`, and `validation` if the time zone does not exist. */
export async function updateSettings(
  context: Context,
  versions: string | null,
  body: z.output<typeof settingsChange>,
): Promise<Changed> {
  const { tenantId } = context;
  const changed = columns.filter((name) => body[name as keyof typeof body] !== undefined);
  return await change(
    context,
    (sql) => ({
      lock: lockSettings(sql, tenantId),
      access: changed.some((name) => ACCESS_COLUMNS.includes(name)) ? [expectAccessScope(sql)] : [],
      version: expectRecord(sql, null, versions, selectSettings(sql, tenantId)),
      update: changed.length > 0 ? [updateRow(sql, tenantId, changed, body)] : [],
      shown: selectSettings(sql, tenantId),
    }),
    { onArgument: unknownTimeZone },
  );
}

/** The time zone is the only setting that SQL rejects. */
const unknownTimeZone = (): ApiError =>
  invalid(
    'field',
    'time_zone',
    'must be a time zone of the IANA database, such as America/Sao_Paulo',
    'validation',
  );
