// Lists records by the time of their last change.
import type { Changes } from '../changes.ts';
import type { HubSpotClient } from './client.ts';
import { OBJECTS, type ObjectName, TASK_DONE } from './facts.ts';
import { type Row, type Search, searchRows } from './rows.ts';

/** The objects are listed one after the other. */
export const rowChanges = (
  client: HubSpotClient,
  objects: readonly ObjectName[],
  properties: readonly string[],
): Changes<Row, ObjectName> => ({
  groups: objects.map((object) => [object]),
  resolutionMs: 1,
  changedAt: ({ updatedAt }) => updatedAt,
  async read(object, since, cursor) {
    const { modifiedAt } = OBJECTS[object];
    const filters: Search['filters'] = [];
    const value = String(since && Date.parse(since));
    if (since) filters.push({ propertyName: modifiedAt, operator: 'GTE', value });
    if (object === 'tasks')
      filters.push({ propertyName: 'hs_task_status', operator: 'EQ', value: TASK_DONE });
    const isOfOneTime = cursor !== undefined;
    // HubSpot sorts by one property only.
    if (isOfOneTime)
      filters.push(
        { propertyName: modifiedAt, operator: 'LTE', value },
        { propertyName: 'hs_object_id', operator: 'GT', value: cursor || '0' },
      );
    const sortBy = isOfOneTime ? 'hs_object_id' : modifiedAt;
    const { rows, isLast } = await searchRows(client, object, { filters, sortBy, properties });
    return { items: rows, next: isLast ? null : (rows.at(-1)?.id ?? null) };
  },
});
