// OpenAPI descriptions of deals and opportunities.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { dealStatuses } from '../../shared/records/deals/states.ts';
import { batchDescription } from './batch.openapi.ts';
import type { dealEndpoints } from './deals.ts';
import { type DescriptionsOf, externalDescriptions, tagged } from './openapi.ts';
import {
  activityTypeFilter,
  created,
  externalIdFilter,
  idFilter,
  ownerFilter,
  paging,
  searchFilter,
  updated,
} from './parameters.openapi.ts';
import { listOf } from './responses.openapi.ts';
import { type Schemas, schemasOf } from './schemas.openapi.ts';

const words = {
  Deals: { a: 'a deal', the: 'the deal', many: 'deals' },
  Opportunities: { a: 'an opportunity', the: 'the opportunity', many: 'opportunities' },
};

/** Query parameters of lists of deals. */
export const dealQuery = (variant: NamingVariant) => ({
  ...paging(variant, ['created_at', 'updated_at', 'name', 'value', 'expected_close_date']),
  ...updated,
  ...(variant !== 'a' && {
    stage: z.string().optional().describe('Stage name (case-insensitive) or id.'),
  }),
  stage_id: idFilter.describe('Only deals in this stage.'),
  ...externalIdFilter,
  status: z.enum(dealStatuses).optional().describe('Only deals with this status.'),
  min_value: z.coerce.number().optional().describe('The lowest value, inclusive.').meta({ type: 'number' }),
  max_value: z.coerce.number().optional().describe('The highest value, inclusive.').meta({ type: 'number' }),
  close_date_after: z.iso.date().optional().describe('Exclusive: expected to close after this day.'),
  close_date_before: z.iso.date().optional().describe('Exclusive: expected to close before this day.'),
  search: searchFilter.describe('Searches name and contact, ignoring case and accents.'),
});

function descriptionsAt(tag: keyof typeof words, schemas: Schemas) {
  const { id: variant, deal, activity } = schemas;
  const { a, the, many } = words[tag];
  const list = listOf(variant);
  const external = externalDescriptions({
    one: a,
    body: z.union([schemas.newDeal, schemas.dealChange]),
    data: deal,
    shown: deal,
  });
  return tagged(tag, {
    getExternal: external.get,
    putExternal: external.put,
    batch: batchDescription({
      name: tag === 'Deals' ? 'Deal' : 'Opportunity',
      records: many,
      create: schemas.newDeal,
      change: schemas.dealChange,
      data: deal,
    }),
    list: {
      summary: `List ${many}`,
      query: z.object({
        ...dealQuery(variant),
        ...ownerFilter(variant),
        team_id: idFilter.describe('Team of the owner.'),
      }),
      data: z.array(deal),
      list,
    },
    create: {
      entityTag: 'shown',
      summary: `Create ${a}`,
      body: schemas.newDeal,
      status: 201,
      data: deal,
      failures: [422],
    },
    get: {
      entityTag: 'conditional',
      summary: `Get ${a}`,
      data: deal,
    },
    update: {
      entityTag: 'conditional',
      summary: `Update ${a}`,
      description:
        'Omitted members stay unchanged; null clears a member. `status` is ignored: use the close endpoint.',
      body: schemas.dealChange,
      data: deal,
      failures: [409, 422],
    },
    delete: {
      entityTag: 'demanded',
      summary: `Delete ${a}`,
    },
    move: {
      entityTag: 'conditional',
      summary: `Move ${a} to another stage`,
      description: `The note is stored as an activity. Returns 409 if ${the} is already closed.`,
      body: schemas.move,
      data: deal,
      failures: [409, 422],
    },
    close: {
      entityTag: 'conditional',
      summary: `Close ${a} as won or lost`,
      description: `The stage stays the same. The note is stored as an activity. Returns 409 if ${the} is already closed.`,
      body: schemas.closing,
      data: deal,
      failures: [409, 422],
    },
    listActivities: {
      summary: `List the activities of ${a}`,
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        type: activityTypeFilter,
      }),
      data: z.array(activity),
      list,
    },
    createActivity: {
      summary: `Log an activity for ${a}`,
      body: schemas.newDealActivity,
      status: 201,
      data: activity,
      failures: [422],
    },
  });
}

export function dealDescriptions(schemas: Schemas): DescriptionsOf<typeof dealEndpoints> {
  const deals = descriptionsAt('Deals', schemas);
  const opportunities = descriptionsAt('Opportunities', opportunitySchemas(schemas));
  return {
    listDeals: deals.list,
    createDeal: deals.create,
    batchDeals: deals.batch,
    getDealByExternalId: deals.getExternal,
    putDeal: deals.putExternal,
    getDeal: deals.get,
    updateDeal: deals.update,
    deleteDeal: deals.delete,
    moveDeal: deals.move,
    closeDeal: deals.close,
    listDealActivities: deals.listActivities,
    createDealActivity: deals.createActivity,
    listOpportunities: opportunities.list,
    createOpportunity: opportunities.create,
    batchOpportunities: opportunities.batch,
    getOpportunityByExternalId: opportunities.getExternal,
    putOpportunity: opportunities.putExternal,
    getOpportunity: opportunities.get,
    updateOpportunity: opportunities.update,
    deleteOpportunity: opportunities.delete,
    moveOpportunity: opportunities.move,
    closeOpportunity: opportunities.close,
    listOpportunityActivities: opportunities.listActivities,
    createOpportunityActivity: opportunities.createActivity,
  };
}

const opportunitiesOfA = schemasOf('b', 'OpportunityActivity');

/** The schemas of opportunities. For clients of variant A, these paths use variant B. */
export const opportunitySchemas = (schemas: Schemas): Schemas =>
  schemas.id === 'a' ? opportunitiesOfA : schemas;
