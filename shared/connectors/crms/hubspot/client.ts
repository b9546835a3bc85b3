// Requests to HubSpot.
import { parseRetryAfter } from '../../../platform/waits.ts';
import { createCrmClient } from '../client.ts';
import type { ConnectOptions } from '../crm.ts';
import { CrmBusy } from '../errors.ts';
import { BUSY_SECONDS, BUSY_STATUSES, pathsOf } from './facts.ts';

export type HubSpotClient = ReturnType<typeof createHubSpotClient>;

export function createHubSpotClient({ credentials, addresses, http }: ConnectOptions) {
  const secret = credentials.service_key ?? credentials.access_token ?? '';
  const client = createCrmClient({
    ...{ title: 'HubSpot', baseUrl: addresses.HUBSPOT_URL, secret },
    async send(request) {
      const response = await http({ ...request, headers: { Authorization: `Bearer ${secret}` } });
      const { status, headers } = response;
      if (!BUSY_STATUSES.includes(status)) return response;
      const retryAfter = parseRetryAfter(headers.get('retry-after'), Date.now());
      throw new CrmBusy(`HubSpot: status ${status}`, retryAfter ?? BUSY_SECONDS);
    },
  });
  return { ...client, paths: pathsOf(addresses.HUBSPOT_VERSION ?? '') };
}
