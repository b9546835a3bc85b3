// What OpenAPI says of leads.
import { z } from 'zod';
import { conversion, leadChange, newLead } from '../../shared/records/leads/schema.ts';
import { activity, deal } from './deals.openapi.ts';
import { changed, describe, id, idFilter, nullable, paging, searchFilter, time } from './openapi.ts';

const status = z.enum(['new', 'contacted', 'qualified', 'unqualified', 'converted']);

const lead = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    phone: nullable,
    company: nullable,
    position: nullable,
    source: nullable,
    status,
    owner_id: id.nullable(),
    team_id: id.nullable(),
    custom_fields: z.record(z.string(), z.unknown()),
    tags: z.array(z.string()),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Lead' });

const leadWithHistory = lead
  .extend({ activities: z.array(activity).describe('Newest first.') })
  .meta({ id: 'LeadWithHistory' });

const tag = 'Leads';
const params = ['id'] as const;
const { score: _created, ...inNew } = newLead.shape;
const { score: _changed, ...inChange } = leadChange.shape;
const { stage: _stage, ...inConversion } = conversion.shape;

export const listLeads = describe({
  summary: 'List leads',
  tag,
  query: z.object({
    ...paging(['created_at', 'updated_at', 'name', 'email', 'status']),
    ...changed,
    status: status.optional(),
    source: z.string().optional(),
    owner_id: idFilter,
    team_id: idFilter,
    search: searchFilter.describe('In name, e-mail and company, without case and accents.'),
  }),
  data: z.array(lead),
  list: 'meta',
});
export const createLead = describe({
  summary: 'Create a lead',
  tag,
  body: z.object(inNew).meta({ id: 'NewLead' }),
  status: 201,
  data: lead,
  writes: true,
  failures: [409, 422],
});
export const getLead = describe({
  summary: 'Get a lead with its history',
  tag,
  params,
  data: leadWithHistory,
  failures: [404],
});
export const changeLead = describe({
  summary: 'Change a lead',
  tag,
  params,
  body: z.object(inChange).meta({ id: 'LeadChange' }),
  data: lead,
  writes: true,
  failures: [404, 409, 422],
});
export const deleteLead = describe({
  summary: 'Delete a lead with its history',
  tag,
  params,
  writes: true,
  failures: [404],
});
export const convertLead = describe({
  summary: 'Make a deal of a lead',
  tag,
  params,
  body: z.object(inConversion).meta({ id: 'Conversion' }),
  bodyOptional: true,
  data: z.object({ lead, deal }).meta({ id: 'Converted' }),
  writes: true,
  failures: [404, 409, 422],
});
