// What OpenAPI says of leads.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityResponse } from '../../shared/records/activities/schema.ts';
import { activityTypes } from '../../shared/records/activities/types.ts';
import { dealResponse } from '../../shared/records/deals/schema.ts';
import { conversion, leadChange, leadResponse, newLead } from '../../shared/records/leads/schema.ts';
import { leadStatuses } from '../../shared/records/leads/states.ts';
import type { leadEndpoints } from './leads.ts';
import { created, describe, idFilter, paging, searchFilter, updated } from './openapi.ts';

const leadWithHistory = leadResponse
  .extend({
    activities: z
      .array(activityResponse)
      .describe('The newest 100, newest first; GET /leads/{id}/activities has all.'),
  })
  .meta({ id: 'LeadWithHistory' });

const tag = 'Leads';
const params = ['id'] as const;
// Members of the other variants are left out: the document is that of variant A.
const { score: _created, ...inNew } = newLead.shape;
const { score: _changed, ...inChange } = leadChange.shape;
const { stage: _stage, ...inConversion } = conversion.shape;

export const leadOperations: OperationsOf<typeof leadEndpoints> = {
  listLeads: describe({
    summary: 'List leads',
    tag,
    query: z.object({
      ...paging(['created_at', 'updated_at', 'name', 'email', 'status']),
      ...updated,
      status: z.enum(leadStatuses).optional(),
      source: z.string().optional(),
      owner_id: idFilter,
      team_id: idFilter,
      search: searchFilter.describe('In name, e-mail and company, without case and accents.'),
    }),
    data: z.array(leadResponse),
    list: 'meta',
  }),
  createLead: describe({
    summary: 'Create a lead',
    tag,
    body: z.object(inNew).meta({ id: 'NewLead' }),
    status: 201,
    data: leadResponse,
    writes: true,
    failures: [409, 422],
  }),
  getLead: describe({
    summary: 'Get a lead with its history',
    tag,
    params,
    data: leadWithHistory,
    failures: [404],
  }),
  listLeadActivities: describe({
    summary: "List a lead's history",
    tag,
    params,
    query: z.object({
      ...paging(['created_at']),
      ...created,
      type: z.enum(activityTypes).optional(),
      owner_id: idFilter,
      deal_id: idFilter,
    }),
    data: z.array(activityResponse),
    list: 'meta',
    failures: [404],
  }),
  updateLead: describe({
    summary: 'Change a lead',
    tag,
    params,
    body: z.object(inChange).meta({ id: 'LeadChange' }),
    data: leadResponse,
    writes: true,
    failures: [404, 409, 422],
  }),
  deleteLead: describe({
    summary: 'Delete a lead with its history',
    tag,
    params,
    writes: true,
    failures: [404],
  }),
  convertLead: describe({
    summary: 'Make a deal of a lead',
    tag,
    params,
    body: z.object(inConversion).meta({ id: 'Conversion' }),
    bodyOptional: true,
    data: z.object({ lead: leadResponse, deal: dealResponse }).meta({ id: 'Converted' }),
    writes: true,
    failures: [404, 409, 422],
  }),
};
