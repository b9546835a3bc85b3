// OpenAPI descriptions of deals and opportunities.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityTypes } from '../../shared/records/activities/schema.ts';
import { dealStatuses } from '../../shared/records/deals/states.ts';
import { batchOperation } from './batch.openapi.ts';
import type { dealEndpoints } from './deals.ts';
import {
  created,
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
import { type Schemas, schemasOf } from './schemas.openapi.ts';

const params = ['id'] as const;
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
  stage_id: idFilter,
  ...externalIdFilter,
  status: z.enum(dealStatuses).optional(),
  min_value: z.coerce.number().optional().meta({ type: 'number' }),
  max_value: z.coerce.number().optional().meta({ type: 'number' }),
  close_date_after: z.iso.date().optional(),
  close_date_before: z.iso.date().optional(),
  search: searchFilter.describe('Searches name and contact, ignoring case and accents.'),
});

function operationsAt(tag: keyof typeof words, schemas: Schemas) {
  const { id: variant, deal, activity } = schemas;
  const { a, the, many } = words[tag];
  const describe = describeIn(schemas.of);
  const list = listOf(variant);
  const external = externalOperations(describe, {
    tag,
    one: a,
    body: z.union([schemas.newDeal, schemas.dealChange]),
    data: deal,
    shown: deal,
  });
  return {
    getExternal: external.get,
    putExternal: external.put,
    batch: batchOperation(describe, {
      tag,
      name: tag === 'Deals' ? 'Deal' : 'Opportunity',
      records: many,
      create: schemas.newDeal,
      change: schemas.dealChange,
      data: deal,
    }),
    list: describe({
      summary: `List ${many}`,
      tag,
      query: z.object({
        ...dealQuery(variant),
        ...ownerFilter(variant),
        team_id: idFilter.describe('Team of the owner.'),
      }),
      data: z.array(deal),
      list,
    }),
    create: describe({
      entityTag: 'shown',
      summary: `Create ${a}`,
      tag,
      body: schemas.newDeal,
      status: 201,
      data: deal,
      writes: true,
      failures: [422],
    }),
    get: describe({
      entityTag: 'conditional',
      summary: `Get ${a}`,
      tag,
      params,
      data: deal,
      failures: [404],
    }),
    update: describe({
      entityTag: 'conditional',
      summary: `Update ${a}`,
      description:
        'Omitted members stay unchanged; null clears a member. `status` is ignored: use the close endpoint.',
      tag,
      params,
      body: schemas.dealChange,
      data: deal,
      writes: true,
      failures: [404, 409, 422],
    }),
    delete: describe({
      entityTag: 'demanded',
      summary: `Delete ${a}`,
      tag,
      params,
      writes: true,
      failures: [404],
    }),
    move: describe({
      entityTag: 'conditional',
      summary: `Move ${a} to another stage`,
      description: `The note is stored as an activity. Returns 409 if ${the} is already closed.`,
      tag,
      params,
      body: schemas.move,
      data: deal,
      writes: true,
      failures: [404, 409, 422],
    }),
    close: describe({
      entityTag: 'conditional',
      summary: `Close ${a} as won or lost`,
      description: `The stage stays the same. The note is stored as an activity. Returns 409 if ${the} is already closed.`,
      tag,
      params,
      body: schemas.closing,
      data: deal,
      writes: true,
      failures: [404, 409, 422],
    }),
    listActivities: describe({
      summary: `List the activities of ${a}`,
      tag,
      params,
      query: z.object({
        ...paging(variant, ['created_at']),
        ...created,
        type: z.enum(activityTypes).optional(),
      }),
      data: z.array(activity),
      list,
      failures: [404],
    }),
    createActivity: describe({
      summary: `Log an activity for ${a}`,
      tag,
      params,
      body: schemas.newDealActivity,
      status: 201,
      data: activity,
      writes: true,
      failures: [404, 422],
    }),
  };
}

export function dealOperations(schemas: Schemas): OperationsOf<typeof dealEndpoints> {
  const deals = operationsAt('Deals', schemas);
  const opportunities = operationsAt('Opportunities', schemas.id === 'a' ? opportunitiesOfA : schemas);
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

const opportunitiesOfA = schemasOf('b', { of: 'a', activityName: 'OpportunityActivity' });

/** The schemas of opportunities. For clients of variant A, these paths use variant B. */
export const opportunitySchemas = (schemas: Schemas): Schemas =>
  schemas.id === 'a' ? opportunitiesOfA : schemas;
