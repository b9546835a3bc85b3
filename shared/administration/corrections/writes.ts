// Corrects points and activities, and hides players from standings.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { type Changed, change } from '../change.ts';
import {
  insertAdjustment,
  rememberPlayer,
  selectActivity,
  selectPlayer,
  selectTotal,
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
  const { rows, summary } = await change(context, (sql) => ({
    found: rememberPlayer(sql, tenantId, email),
    write: setRow(sql, email, optedOut),
    // Another request may have removed the person in the meantime.
    still: rememberPlayer(sql, tenantId, email),
    shown: selectPlayer(sql, tenantId),
  }));
  return { ...oneRow(rows.shown), summary };
}

/** Adds points to a player, or deducts them. Throws `unprocessable`. */
export async function adjustPoints(
  context: Context,
  { email, points, reason }: z.output<typeof pointsAdjustment>,
): Promise<Changed> {
  const { tenantId } = context;
  const { rows, summary } = await change(context, (sql) => ({
    found: rememberPlayer(sql, tenantId, email),
    entry: insertAdjustment(sql, email, points, reason),
    player: selectTotal(sql, tenantId),
  }));
  const { email: shown, total_points } = oneRow(rows.player);
  const record = {
    entry_id: Number(oneRow(rows.entry).entry_id),
    email: shown,
    points,
    reason,
    total_points,
  };
  return { record, summary };
}

/** Voids an activity and reverses its points; again, nothing changes. Throws `unprocessable`. */
export async function voidActivity(
  context: Context,
  { external_id: externalId, reason }: z.output<typeof voidRequest>,
): Promise<Changed> {
  const { tenantId } = context;
  const { rows, summary } = await change(context, (sql) => ({
    write: voidRow(sql, tenantId, externalId, reason),
    shown: selectActivity(sql, tenantId, externalId),
  }));
  return { ...oneRow(rows.shown), summary };
}
