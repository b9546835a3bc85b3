// RD Station CRM, API v2. Its fake: `local/crms/rd-station/`.
import type { CrmDefinition } from '../crm.ts';
import { BASE_URL, PACING, TOKEN_URL } from './facts.ts';

export const rdStation: CrmDefinition = {
  name: 'rd_station',
  title: 'RD Station CRM',
  addresses: { RD_STATION_URL: BASE_URL, RD_STATION_TOKEN_URL: TOKEN_URL },
  pacing: PACING,
  hasSecretInAddress: true,
  readsAtOnce: 5,
  load: async () => (await import('./adapter.ts')).rdStationCrm,
};
