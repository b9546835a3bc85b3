// Endpoints of /activities.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { batchEndpoint } from './batch.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/activities/reads.ts');
const writes = () => import('../../shared/records/activities/writes.ts');

export const activityEndpoints = {
  listActivities: recordsEndpoint({
    method: 'get',
    path: '/activities',
    scopes: ['read:deals'],
    body: 'none',
    resource: 'activity',
    handle: async (request) => request.list('activity', (await reads()).activityList),
  }),
  createActivity: recordsEndpoint({
    method: 'post',
    path: '/activities',
    scopes: ['write:deals'],
    body: 'required',
    resource: 'activity',
    async handle(request) {
      const { newActivity, createActivity } = await writes();
      const activity = request.parse(newActivity);
      return request.record(201, 'activity', (context) => createActivity(context, activity));
    },
  }),
  batchActivities: batchEndpoint({
    resource: 'activity',
    base: '/activities',
    scopes: ['write:deals'],
    kind: async () => (await writes()).activityBatch,
  }),
} satisfies Endpoints;
