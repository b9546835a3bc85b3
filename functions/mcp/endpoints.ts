// The operations that tools run, by the `operationId` of their OpenAPI description.
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { activityEndpoints } from '../v1/activities.ts';
import type { adminOperations } from '../v1/admin/endpoints.ts';
import { dealEndpoints } from '../v1/deals.ts';
import { gamificationEndpoints } from '../v1/gamification.ts';
import { leadEndpoints } from '../v1/leads.ts';
import { teamEndpoints } from '../v1/teams.ts';
import { userEndpoints } from '../v1/users.ts';

const records = {
  ...leadEndpoints,
  ...dealEndpoints,
  ...userEndpoints,
  ...teamEndpoints,
  ...activityEndpoints,
  ...gamificationEndpoints,
};

type RecordOperation = keyof typeof records;
type AdminOperation = `admin${Capitalize<keyof typeof adminOperations>}`;

export type OperationName = RecordOperation | AdminOperation;

const isRecordOperation = (name: OperationName): name is RecordOperation => Object.hasOwn(records, name);

/** The endpoint of an operation. Those of administration are loaded when the first one runs. */
export async function endpointOf(name: OperationName): Promise<Endpoint> {
  if (isRecordOperation(name)) return records[name];
  const { adminEndpoints } = await import('../v1/admin/endpoints.ts');
  const own = name.replace(/^admin(.)/, (_, first: string) => first.toLowerCase());
  const endpoint = adminEndpoints[own];
  if (!endpoint) throw new Error(`There is no operation ${name}.`);
  return endpoint;
}
