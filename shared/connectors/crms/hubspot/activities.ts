// Calls, meetings, emails and tasks. Only tasks can be undone; the others are done when they exist.
import type { CrmActivity } from '../crm.ts';
import { ACTIVITY_OBJECTS, type ObjectName, TASK_DONE } from './facts.ts';
import type { Kind } from './kinds.ts';
import { type Row, toIso } from './rows.ts';

/** `CrmActivity.id` */
export const activityId = (object: ObjectName, id: string): string => `${object}:${id}`;

export const activities: Kind<'activity'> = {
  objects: ACTIVITY_OBJECTS,
  toRecords: async (rows) => rows.map(toActivity),
};

function toActivity({ object, id, updatedAt, property }: Row): CrmActivity {
  const isDone = object !== 'tasks' || property('hs_task_status') === TASK_DONE;
  const doneAt = toIso(property('hs_task_completion_date')) ?? toIso(property('hs_timestamp'));
  return {
    id: activityId(object, id),
    updatedAt,
    type: object,
    number: id,
    isDone,
    doneAt: isDone ? doneAt : null,
    owner: property('hubspot_owner_id'),
  };
}
