// Response schema of pipeline stages.
import { z } from 'zod';
import { id } from '../fields.ts';

/** A stage in a response. */
export const stageResponse = z
  .object({ id, name: z.string(), position: z.int(), probability: z.int().min(0).max(100) })
  .meta({ id: 'Stage' });

export type StageResponse = z.output<typeof stageResponse>;
