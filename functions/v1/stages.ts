// Endpoints of /stages and /pipeline/stages: the same stages at two paths.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/stages/reads.ts');

const listAt = (path: '/stages' | '/pipeline/stages') =>
  recordsEndpoint({
    method: 'get',
    path,
    scopes: ['read:deals'],
    body: 'none',
    resource: 'stage',
    async handle(request) {
      const { listStages } = await reads();
      return request.respond(listStages, (stages, meta) => {
        const data = stages.map((stage) => request.shape('stage', stage));
        return request.variant.listsInMeta ? { data, meta } : { data };
      });
    },
  });

export const stageEndpoints = {
  listStages: listAt('/stages'),
  listPipelineStages: listAt('/pipeline/stages'),
} satisfies Endpoints;
