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
    handle: async (request) => request.wholeList('stage', (await reads()).listStages),
  });

export const stageEndpoints = {
  listStages: listAt('/stages'),
  listPipelineStages: listAt('/pipeline/stages'),
} satisfies Endpoints;
