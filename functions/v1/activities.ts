// /activities
import type { Endpoint } from '../../shared/platform/http/app.ts';
import { activityList, createActivity } from '../../shared/records/activities/operations.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import { listAnswer, one, recordsEndpoint } from './endpoint.ts';

const docs = () => import('./deals.openapi.ts');
const schemas = () => import('../../shared/records/deals/schema.ts');

export const activityEndpoints: Endpoint[] = [
  recordsEndpoint({
    method: 'get',
    path: '/activities',
    scope: 'read:deals',
    successStatus: 200,
    body: 'none',
    resource: 'activity',
    docs: async () => (await docs()).listActivities,
    run: (request) => listAnswer(request, 'activity', activityList),
  }),
  recordsEndpoint({
    method: 'post',
    path: '/activities',
    scope: 'write:deals',
    successStatus: 201,
    body: 'required',
    resource: 'activity',
    docs: async () => (await docs()).createActivity,
    async run(request) {
      const activity = parseBody(
        (await schemas()).newActivity,
        request.variant.namings.activity,
        request.json,
      );
      return one(request, 201, 'activity', await createActivity(request.context, activity));
    },
  }),
];
