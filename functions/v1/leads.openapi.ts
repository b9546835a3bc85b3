// OpenAPI descriptions of leads.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityTypes } from '../../shared/records/activities/schema.ts';
import { merging } from '../../shared/records/leads/schema.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { batchOperation } from './batch.openapi.ts';
import type { leadEndpoints } from './leads.ts';
import { variantValues } from './naming.openapi.ts';
import {
  created,
  dealFilter,
  describeIn,
  externalIdFilter,
  externalOperations,
  idFilter,
  listOf,
  ownerFilter,
  paging,
  searchFilter,
  updated,
} from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

const tag = 'Leads';
const params = ['id'] as const;

/** Query parameters of lists of leads. */
export function leadQuery(variant: NamingVariant) {
  const naming = variants[variant].namings.lead;
  const status = variant === 'c' ? 'stage' : 'status';
  return {
    ...paging(variant, ['created_at', 'updated_at', 'name', 'email', status]),
    ...updated,
    [status]: variantValues(naming, 'status').optional(),
    source: z.string().optional(),
    ...externalIdFilter,
    team_id: idFilter,
    search: searchFilter.describe('Searches name, email and company, ignoring case and accents.'),
  };
}

export function leadOperations(schemas: Schemas): OperationsOf<typeof leadEndpoints> {
  const { id: variant, lead, deal, activity } = schemas;
  const describe = describeIn(variant);
  const list = listOf(variant);
  const { leadWithHistory } = schemas;
  const external = externalOperations(describe, {
    tag,
    one: 'a lead',
    body: z.union([schemas.newLead, schemas.leadChange]),
    data: lead,
    shown: leadWithHistory,
  });
  return {
    listLeads: describe({
      summary: 'List leads',
      tag,
      query: z.object({ ...leadQuery(variant), ...ownerFilter(variant) }),
      data: z.array(lead),
      list,
    }),
    createLead: describe({
      entityTag: 'shown',
      summary: 'Create a lead',
      description: 'Returns 409 with `existing_id` if another lead in the workspace has this email address.',
      tag,
      body: schemas.newLead,
      status: 201,
      data: lead,
      writes: true,
      failures: [409, 422],
    }),
    batchLeads: batchOperation(describe, {
      tag,
      name: 'Lead',
      records: 'leads',
      create: schemas.newLead,
      change: schemas.leadChange,
      data: lead,
    }),
    getLeadByExternalId: external.get,
    putLead: external.put,
    getLead: describe({
      entityTag: 'conditional',
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
        ...paging(variant, ['created_at']),
        ...created,
        type: z.enum(activityTypes).optional(),
        ...ownerFilter(variant),
        ...dealFilter(variant),
      }),
      data: z.array(activity),
      list,
      failures: [404],
    }),
    updateLead: describe({
      entityTag: 'conditional',
      summary: 'Update a lead',
      description: 'Omitted members stay unchanged; null clears a member.',
      tag,
      params,
      body: schemas.leadChange,
      data: lead,
      writes: true,
      failures: [404, 409, 422],
    }),
    deleteLead: describe({
      entityTag: 'demanded',
      summary: 'Delete a lead and its history',
      tag,
      params,
      writes: true,
      failures: [404],
    }),
    convertLead: describe({
      entityTag: variant === 'b' ? 'conditional' : 'demanded',
      summary: 'Convert a lead to a deal',
      description:
        'Copies owner, name, email and company to the deal. Returns 409 if the lead is already converted.',
      tag,
      params,
      body: schemas.conversion,
      bodyOptional: true,
      status: variant === 'b' ? 201 : 200,
      data: variant === 'b' ? deal : z.object({ lead, deal }).meta({ id: 'Converted' }),
      writes: true,
      failures: [404, 409, 422],
    }),
    mergeLeads: describe({
      entityTag: 'conditional',
      summary: 'Merge two leads into one',
      description:
        'The lead in the path is the winner. It keeps its values, takes missing values from the loser, and gets the deals, activities, ' +
        'tags and external ids of the loser. The loser is deleted; requests for it return 404 with `merged_into`. ' +
        'The winner is converted if either lead was. ' +
        'Emits one event, `lead.merged`. A merge cannot be undone.',
      tag,
      params,
      body: merging,
      data: lead,
      writes: true,
      failures: [404, 422],
    }),
  };
}
