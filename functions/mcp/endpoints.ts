// The operations that tools run, by the `operationId` of their OpenAPI description.
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { activityEndpoints } from '../v1/activities.ts';
import type { adminOperations } from '../v1/admin/endpoints.ts';
import { dealEndpoints } from '../v1/deals.ts';
import { gamificationEndpoints } from '../v1/gamification.ts';
import { leadEndpoints } from '../v1/leads.ts';
import { meEndpoints } from '../v1/me.ts';
import { teamEndpoints } from '../v1/teams.ts';
import { userEndpoints } from '../v1/users.ts';
import { payoutRequestEndpoint } from './request-payout.ts';

const loaded = {
  ...leadEndpoints,
  ...dealEndpoints,
  ...userEndpoints,
  ...teamEndpoints,
  ...activityEndpoints,
  ...gamificationEndpoints,
  ...meEndpoints,
  requestPayout: payoutRequestEndpoint,
};

type LoadedOperation = keyof typeof loaded;
type AdminOperation = `admin${Capitalize<keyof typeof adminOperations>}`;

export type OperationName = LoadedOperation | AdminOperation;

const isLoaded = (name: OperationName): name is LoadedOperation => Object.hasOwn(loaded, name);

/** The endpoint of an operation. Endpoints of the admin API are imported on first use. */
export async function endpointOf(name: OperationName): Promise<Endpoint> {
  if (isLoaded(name)) return loaded[name];
  const { adminEndpoints } = await import('../v1/admin/endpoints.ts');
  const own = name.replace(/^admin(.)/, (_, first: string) => first.toLowerCase());
  const endpoint = adminEndpoints[own];
  if (!endpoint) throw new Error(`There is no operation ${name}.`);
  return endpoint;
}
