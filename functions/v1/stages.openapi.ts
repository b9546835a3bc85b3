// OpenAPI descriptions of pipeline stages.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { describeIn, listOf } from './openapi.ts';
import { type Schemas, schemasOf } from './schemas.openapi.ts';
import type { stageEndpoints } from './stages.ts';

const summary = 'List the stages of the pipeline, in order';
const description = 'Returns all stages, without pages.';
const inPipelineOfA = schemasOf('b').stage.meta({ id: 'PipelineStage' });

export function stageOperations({ id: variant, stage }: Schemas): OperationsOf<typeof stageEndpoints> {
  const describe = describeIn(variant);
  const list = listOf(variant) === 'meta' ? 'one' : 'none';
  return {
    listStages: describe({ summary, description, tag: 'Deals', data: z.array(stage), list }),
    listPipelineStages: describe({
      summary,
      description,
      tag: 'Opportunities',
      data: z.array(variant === 'a' ? inPipelineOfA : stage),
      list: 'none',
    }),
  };
}
