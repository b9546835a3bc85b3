// A lead as answers and webhooks show it.
import { utcTime } from '../utc-time.ts';
import type { LeadRecord } from './queries.ts';
import type { LeadResponse } from './schema.ts';

export const serializeLead = (lead: LeadRecord): LeadResponse => ({
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
  created_at: utcTime(lead.created_at),
  updated_at: utcTime(lead.updated_at),
});
