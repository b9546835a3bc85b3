// Serializes leads for responses and webhooks.

import { utcTime } from '../../platform/instants.ts';
import { externalIdFor } from '../external-ids.ts';
import type { LeadRecord } from './queries.ts';
import type { LeadResponse } from './schema.ts';

/** Only in `lead.merged`. */
interface Merged {
  merged_id?: string;
}

/** `clientId` is the client whose external id is shown. */
export const serializeLead = (lead: LeadRecord, clientId: string | null): LeadResponse & Merged => ({
  id: lead.id,
  name: lead.name,
  email: lead.email,
  phone: lead.phone,
  company: lead.company,
  position: lead.position,
  source: lead.source,
  status: lead.status,
  owner_id: lead.owner_id,
  team_id: lead.team_id,
  custom_fields: lead.custom_fields,
  tags: lead.tags,
  external_id: externalIdFor(lead, clientId),
  created_at: utcTime(lead.created_at),
  updated_at: utcTime(lead.updated_at),
  ...(lead.merged_id && { merged_id: lead.merged_id }),
});
