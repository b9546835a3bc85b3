// Reads stages. Loaded on first use to keep function startup fast.
import type { Context } from '../../platform/access/context.ts';
import { type StageRecord, selectStages } from './queries.ts';

/** All stages in pipeline order. */
export async function listStages({ read, tenantId }: Context): Promise<StageRecord[]> {
  const stages = await read((sql) => selectStages(sql, tenantId));
  return stages;
}
