// /activities
import type { Endpoint } from '../../shared/http/app.ts';
import { parseBody } from '../../shared/records/bodies.ts';
import { activityList, createActivity } from '../../shared/records/deals/activities.ts';
import { listAnswer, one, recordsEndpoint } from './records.ts';

const docs = () => import('./docs/deals.ts');
const schemas = () => import('../../shared/records/deals/schemas.ts');

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
