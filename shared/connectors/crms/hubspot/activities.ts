// Calls, meetings, emails and tasks. Only tasks can be undone; the others are done when they exist.
import { type ObjectName, TASK_DONE } from './facts.ts';
import type { ToRecords } from './kinds.ts';
import { toIso } from './rows.ts';

/** `CrmActivity.id` */
export const activityId = (object: ObjectName, id: string): string => `${object}:${id}`;

export const toActivities: ToRecords<'activity'> = async (rows) =>
  rows.map(({ object, id, updatedAt, property }) => {
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
  });
