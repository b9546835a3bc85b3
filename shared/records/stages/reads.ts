// Reading stages; loaded with the first request that needs it, so that a function starts quickly.
import type { Context } from '../../platform/access/context.ts';
import { type StageRecord, selectStages } from './queries.ts';

/** All stages, in the order of the pipeline. */
export async function listStages({ read, tenantId }: Context): Promise<StageRecord[]> {
  const stages = await read((sql) => selectStages(sql, tenantId));
  return stages;
}
