// HubSpot CRM. Its fake: `local/crms/hubspot/`.
import type { CrmDefinition } from '../crm.ts';
import { DAY_HEADERS } from './facts.ts';

export const hubspot: CrmDefinition = {
  name: 'hubspot',
  title: 'HubSpot',
  addresses: {
    HUBSPOT_URL: 'https://api.hubapi.com',
    // A part of the paths. Versions appear twice a year and are supported for 18 months.
    HUBSPOT_VERSION: '2026-09',
  },
  // 60 % of 100 requests in 10 seconds, the limit of the smallest plan. Searches have their own, in `facts.ts`.
  pacing: { intervalMs: 167, day: { headers: DAY_HEADERS } },
  readsAtOnce: 100,
  load: async () => (await import('./adapter.ts')).hubspotCrm,
};
