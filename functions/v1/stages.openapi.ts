// What OpenAPI says of stages of the pipeline.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { stageResponse } from '../../shared/records/stages/schema.ts';
import { describe } from './openapi.ts';
import type { stageEndpoints } from './stages.ts';

const summary = 'List the stages of the pipeline, in order';
const { position, probability, ...named } = stageResponse.shape;
/** As variant B names it. */
const pipelineStage = z.object({ ...named, order: position, default_probability: probability });

export const stageOperations: OperationsOf<typeof stageEndpoints> = {
  listStages: describe({ summary, tag: 'Deals', data: z.array(stageResponse) }),
  listPipelineStages: describe({
    summary,
    tag: 'Opportunities',
    data: z.array(pipelineStage),
    list: 'none',
  }),
};
