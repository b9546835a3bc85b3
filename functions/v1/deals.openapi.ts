// What OpenAPI says of deals and opportunities.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { activityResponse, newActivity } from '../../shared/records/activities/schema.ts';
import { activityTypes } from '../../shared/records/activities/types.ts';
import {
  closing,
  dealChange,
  dealResponse,
  move,
  newDeal,
  opportunityResponse,
} from '../../shared/records/deals/schema.ts';
import { dealResults, dealStatuses } from '../../shared/records/deals/states.ts';
import { id, nullableText } from '../../shared/records/fields.ts';
import type { dealEndpoints } from './deals.ts';
import { created, describe, idFilter, paging, searchFilter, updated } from './openapi.ts';

// Members of the other variants are left out: the document is that of variant A, and of B at /opportunities.
const { stage: _created, currency: _1, products: _2, ...inNew } = newDeal.shape;
const { stage: _changed, currency: _3, products: _4, ...inChange } = dealChange.shape;
const { contact_name: _5, contact_email: _6, company: _7, stage_id: _8, owner_id: owner, ...common } = inNew;

const chosenStage = z.string().min(1).max(255).describe('Name, without case, or id.');
const contact = z.object({
  name: nullableText.optional(),
  email: nullableText.optional(),
  company: nullableText.optional(),
});
const inOpportunity = {
  ...common,
  assigned_to: owner,
  contact: contact.nullable().optional(),
  stage: chosenStage,
};

const { owner_id: loggedFor, ...logged } = activityResponse.shape;
const loggedActivity = z.object({ ...logged, assigned_to: loggedFor }).meta({ id: 'OpportunityActivity' });

const atDeals = {
  tag: 'Deals',
  a: 'a deal',
  record: dealResponse,
  activity: activityResponse,
  list: 'meta',
  perPage: 25,
  filters: { owner_id: idFilter },
  create: z.object(inNew).meta({ id: 'NewDeal' }),
  update: z.object(inChange).meta({ id: 'DealChange' }),
  move: z.object({ stage_id: id, note: move.shape.note }).meta({ id: 'Move' }),
  close: closing,
} as const;

const atOpportunities = {
  tag: 'Opportunities',
  a: 'a opportunity',
  record: opportunityResponse,
  activity: loggedActivity,
  list: 'pagination',
  perPage: 20,
  filters: { assigned_to: idFilter, stage: chosenStage.optional() },
  create: z.object(inOpportunity).meta({ id: 'NewOpportunity' }),
  update: z.object(inOpportunity).partial().meta({ id: 'OpportunityChange' }),
  move,
  close: z
    .object({
      status: z.enum(dealResults),
      final_value: closing.shape.final_value,
      loss_reason: closing.shape.loss_reason,
      close_notes: closing.shape.note,
    })
    .meta({ id: 'OpportunityClosing' }),
} as const;

const params = ['id'] as const;

function operationsAt(address: typeof atDeals | typeof atOpportunities) {
  const { tag, a, record, activity, list, perPage, filters } = address;
  return {
    list: describe({
      summary: `List ${tag.toLowerCase()}`,
      tag,
      query: z.object({
        ...paging(['created_at', 'updated_at', 'name', 'value', 'expected_close_date'], perPage),
        ...updated,
        ...filters,
        stage_id: idFilter,
        team_id: idFilter.describe("The owner's team."),
        status: z.enum(dealStatuses).optional(),
        min_value: z.coerce.number().optional().meta({ type: 'number' }),
        max_value: z.coerce.number().optional().meta({ type: 'number' }),
        close_date_after: z.iso.date().optional(),
        close_date_before: z.iso.date().optional(),
        search: searchFilter.describe('In the name and the contact, without case and accents.'),
      }),
      data: z.array(record),
      list,
    }),
    create: describe({
      summary: `Create ${a}`,
      tag,
      body: address.create,
      status: 201,
      data: record,
      writes: true,
      failures: [422],
    }),
    get: describe({ summary: `Get ${a}`, tag, params, data: record, failures: [404] }),
    update: describe({
      summary: `Change ${a}`,
      tag,
      params,
      body: address.update,
      data: record,
      writes: true,
      failures: [404, 409, 422],
    }),
    delete: describe({ summary: `Delete ${a}`, tag, params, writes: true, failures: [404] }),
    move: describe({
      summary: `Move ${a} to another stage`,
      tag,
      params,
      body: address.move,
      data: record,
      writes: true,
      failures: [404, 409, 422],
    }),
    close: describe({
      summary: `Win or lose ${a}`,
      tag,
      params,
      body: address.close,
      data: record,
      writes: true,
      failures: [404, 409, 422],
    }),
    listActivities: describe({
      summary: `List the activities of ${a}`,
      tag,
      params,
      query: z.object({
        ...paging(['created_at'], perPage),
        ...created,
        type: z.enum(activityTypes).optional(),
      }),
      data: z.array(activity),
      list,
      failures: [404],
    }),
    createActivity: describe({
      summary: `Log an activity of ${a}`,
      tag,
      params,
      body: newActivity.omit({ deal_id: true }),
      status: 201,
      data: activity,
      writes: true,
      failures: [404, 422],
    }),
  };
}

const deals = operationsAt(atDeals);
const opportunities = operationsAt(atOpportunities);

export const dealOperations: OperationsOf<typeof dealEndpoints> = {
  listDeals: deals.list,
  createDeal: deals.create,
  getDeal: deals.get,
  updateDeal: deals.update,
  deleteDeal: deals.delete,
  moveDeal: deals.move,
  closeDeal: deals.close,
  listDealActivities: deals.listActivities,
  createDealActivity: deals.createActivity,
  listOpportunities: opportunities.list,
  createOpportunity: opportunities.create,
  getOpportunity: opportunities.get,
  updateOpportunity: opportunities.update,
  deleteOpportunity: opportunities.delete,
  moveOpportunity: opportunities.move,
  closeOpportunity: opportunities.close,
  listOpportunityActivities: opportunities.listActivities,
  createOpportunityActivity: opportunities.createActivity,
};
