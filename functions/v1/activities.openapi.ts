// OpenAPI descriptions of activities.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityTypes } from '../../shared/records/activities/schema.ts';
import type { activityEndpoints } from './activities.ts';
import { batchOperation } from './batch.openapi.ts';
import { created, dealFilter, describeIn, listOf, ownerFilter, paging } from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

const tag = 'Activities';

export function activityOperations(schemas: Schemas): OperationsOf<typeof activityEndpoints> {
  const { id: variant, activity, newActivity } = schemas;
  const describe = describeIn(variant);
  return {
    listActivities: describe({
      summary: 'List activities',
      tag,
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        type: z.enum(activityTypes).optional(),
        ...ownerFilter(variant),
        ...dealFilter(variant),
      }),
      data: z.array(activity),
      list: listOf(variant),
    }),
    createActivity: describe({
      summary: 'Log an activity',
      description:
        'The deal is optional. An activity of a deal belongs to the owner of the deal and is also listed in the history of its lead. ' +
        'Without a deal, it belongs to the user that the client acts as; without a user, no player gets points for it.',
      tag,
      body: newActivity,
      status: 201,
      data: activity,
      writes: true,
      failures: [422],
    }),
    batchActivities: batchOperation(describe, {
      tag,
      name: 'Activity',
      records: 'activities',
      create: newActivity,
      data: activity,
    }),
  };
}
