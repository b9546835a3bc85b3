// Reads settings and plans.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { readShown } from '../transactions.ts';
import { selectPlan, selectPlans, selectSettings } from './queries.ts';

export const getSettings = (context: Context) =>
  readShown(context, (sql) => ({ shown: selectSettings(sql, context.tenantId) }));

/** The plan of the tenant and how much of it is used. */
export const getPlan = async ({ read, tenantId }: Context) =>
  oneRow(await read((sql) => selectPlan(sql, tenantId)));

export const listPlans = async ({ read }: Context) => ({ records: await read(selectPlans) });
