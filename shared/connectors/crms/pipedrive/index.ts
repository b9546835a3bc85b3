// Pipedrive. Its fake: `local/crms/pipedrive/`.
import type { CrmDefinition } from '../crm.ts';
import { DAY, INTERVAL_MS } from './facts.ts';

export const pipedrive: CrmDefinition = {
  name: 'pipedrive',
  title: 'Pipedrive',
  addresses: { PIPEDRIVE_URL: '' },
  pacing: { intervalMs: INTERVAL_MS, day: DAY },
  readsAtOnce: 25,
  load: async () => (await import('./adapter.ts')).pipedriveCrm,
};
