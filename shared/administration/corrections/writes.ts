// Corrects points and activities, and hides players from standings.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import { type Changed, change } from '../transactions.ts';
import {
  insertAdjustment,
  rememberPlayer,
  selectActivity,
  selectAdjustment,
  selectPlayer,
  setOptOut as setRow,
  voidActivity as voidRow,
} from './queries.ts';
import type { optOut, pointsAdjustment, voidRequest } from './schema.ts';

/** Hides a player from standings, or shows them again. Throws `unprocessable`. */
export async function setOptOut(
  context: Context,
  { email, opted_out: optedOut }: z.output<typeof optOut>,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    found: rememberPlayer(sql, tenantId, email),
    write: setRow(sql, email, optedOut),
    // Another request may have removed the person in the meantime.
    still: rememberPlayer(sql, tenantId, email),
    shown: selectPlayer(sql, tenantId),
  }));
}

/** Adds points to a player, or deducts them. Throws `unprocessable`. */
export const adjustPoints = (
  context: Context,
  adjustment: z.output<typeof pointsAdjustment>,
): Promise<Changed> =>
  change(context, (sql) => ({
    found: rememberPlayer(sql, context.tenantId, adjustment.email),
    entry: insertAdjustment(sql, adjustment),
    shown: selectAdjustment(sql, context.tenantId, adjustment),
  }));

/** Voids an activity and reverses its points; again, nothing changes. Throws `unprocessable`. */
export async function voidActivity(
  context: Context,
  { external_id: externalId, reason }: z.output<typeof voidRequest>,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    write: voidRow(sql, tenantId, externalId, reason),
    shown: selectActivity(sql, tenantId, externalId),
  }));
}
