// OpenAPI descriptions of leads.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { merging } from '../../shared/records/leads/schema.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { batchDescription } from './batch.openapi.ts';
import type { leadEndpoints } from './leads.ts';
import { variantValues } from './naming.openapi.ts';
import { type DescriptionsOf, externalDescriptions, tagged } from './openapi.ts';
import {
  activityTypeFilter,
  created,
  dealFilter,
  externalIdFilter,
  idFilter,
  ownerFilter,
  paging,
  searchFilter,
  updated,
} from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

/** Query parameters of lists of leads. */
export function leadQuery(variant: NamingVariant) {
  const naming = variants[variant].namings.lead;
  const status = variant === 'c' ? 'stage' : 'status';
  return {
    ...paging(variant, ['created_at', 'updated_at', 'name', 'email', status]),
    ...updated,
    [status]: variantValues(naming, 'status').optional().describe(`Only leads with this ${status}.`),
    source: z.string().optional().describe('Only leads with this source.'),
    ...externalIdFilter,
    team_id: idFilter.describe('Only leads of this team.'),
    search: searchFilter.describe('Searches name, email and company, ignoring case and accents.'),
  };
}

export function leadDescriptions(schemas: Schemas): DescriptionsOf<typeof leadEndpoints> {
  const { id: variant, lead, deal, activity } = schemas;
  const { leadWithHistory } = schemas;
  const external = externalDescriptions({
    one: 'a lead',
    body: z.union([schemas.newLead, schemas.leadChange]),
    data: lead,
    shown: leadWithHistory,
  });
  return tagged('Leads', {
    listLeads: {
      summary: 'List leads',
      query: z.object({ ...leadQuery(variant), ...ownerFilter(variant) }),
      data: z.array(lead),
    },
    createLead: {
      entityTag: 'shown',
      summary: 'Create a lead',
      description: 'Returns 409 with `existing_id` if another lead in the workspace has this email address.',
      body: schemas.newLead,
      status: 201,
      data: lead,
      failures: [409, 422],
    },
    batchLeads: batchDescription({
      name: 'Lead',
      records: 'leads',
      create: schemas.newLead,
      change: schemas.leadChange,
      data: lead,
    }),
    getLeadByExternalId: external.get,
    putLead: external.put,
    getLead: {
      entityTag: 'conditional',
      summary: 'Get a lead with its history',
      data: leadWithHistory,
    },
    listLeadActivities: {
      summary: "List a lead's history",
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        type: activityTypeFilter,
        ...ownerFilter(variant),
        ...dealFilter(variant),
      }),
      data: z.array(activity),
    },
    updateLead: {
      entityTag: 'conditional',
      summary: 'Update a lead',
      description: 'Omitted members stay unchanged; null clears a member.',
      body: schemas.leadChange,
      data: lead,
      failures: [409, 422],
    },
    deleteLead: {
      entityTag: 'demanded',
      summary: 'Delete a lead and its history',
    },
    convertLead: {
      entityTag: variant === 'b' ? 'conditional' : 'demanded',
      summary: 'Convert a lead to a deal',
      description:
        'Copies owner, name, email and company to the deal. Returns 409 if the lead is already converted.',
      body: schemas.conversion,
      status: variant === 'b' ? 201 : 200,
      data: variant === 'b' ? deal : z.object({ lead, deal }).meta({ id: 'Converted' }),
      failures: [409, 422],
    },
    mergeLeads: {
      entityTag: 'conditional',
      summary: 'Merge two leads into one',
      description:
        'The lead in the path is the winner. It keeps its values, takes missing values from the loser, and gets the deals, activities, ' +
        'tags and external ids of the loser. The loser is deleted; requests for it return 404 with `merged_into`. ' +
        'The winner is converted if either lead was. ' +
        'Emits one event, `lead.merged`. A merge cannot be undone.',
      body: merging,
      data: lead,
      failures: [422],
    },
  });
}
