// OpenAPI descriptions of activities.
import { z } from 'zod';
import type { activityEndpoints } from './activities.ts';
import { batchDescription } from './batch.openapi.ts';
import { type DescriptionsOf, tagged } from './openapi.ts';
import { activityTypeFilter, created, dealFilter, ownerFilter, paging } from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

export function activityDescriptions(schemas: Schemas): DescriptionsOf<typeof activityEndpoints> {
  const { id: variant, activity, newActivity } = schemas;
  return tagged('Activities', {
    listActivities: {
      summary: 'List activities',
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        type: activityTypeFilter,
        ...ownerFilter(variant),
        ...dealFilter(variant),
      }),
      data: z.array(activity),
    },
    createActivity: {
      summary: 'Log an activity',
      description:
        'The deal is optional. An activity of a deal belongs to the owner of the deal and is also listed in the history of its lead. ' +
        'Without a deal, it belongs to the user that the client acts as; without a user, no player gets points for it.',
      body: newActivity,
      status: 201,
      data: activity,
      failures: [422],
    },
    batchActivities: batchDescription({
      name: 'Activity',
      records: 'activities',
      create: newActivity,
      data: activity,
    }),
  });
}
