// What OpenAPI says of activities.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityResponse, newActivity } from '../../shared/records/activities/schema.ts';
import { activityTypes } from '../../shared/records/activities/types.ts';
import type { activityEndpoints } from './activities.ts';
import { created, describe, idFilter, paging } from './openapi.ts';

const tag = 'Activities';

export const activityOperations: OperationsOf<typeof activityEndpoints> = {
  listActivities: describe({
    summary: 'List activities',
    tag,
    query: z.object({
      ...paging(['created_at']),
      ...created,
      type: z.enum(activityTypes).optional(),
      owner_id: idFilter,
      deal_id: idFilter,
    }),
    data: z.array(activityResponse),
    list: 'meta',
  }),
  createActivity: describe({
    summary: 'Log an activity',
    tag,
    body: newActivity,
    status: 201,
    data: activityResponse,
    writes: true,
    failures: [422],
  }),
};
