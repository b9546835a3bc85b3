// OpenAPI descriptions of pipeline stages.
import { z } from 'zod';
import type { DescriptionsOf } from './openapi.ts';
import { listOf } from './responses.openapi.ts';
import { type Schemas, schemasOf } from './schemas.openapi.ts';
import type { stageEndpoints } from './stages.ts';

const summary = 'List the stages of the pipeline, in order';
const description = 'Returns all stages, without pages.';
const inPipelineOfA = schemasOf('b').stage.meta({ id: 'PipelineStage' });

export function stageDescriptions({ id: variant, stage }: Schemas): DescriptionsOf<typeof stageEndpoints> {
  const list = listOf(variant) === 'meta' ? 'one' : 'none';
  return {
    listStages: { summary, description, tag: 'Deals', data: z.array(stage), list },
    listPipelineStages: {
      summary,
      description,
      tag: 'Opportunities',
      data: z.array(variant === 'a' ? inPipelineOfA : stage),
      list: 'none',
    },
  };
}
