// What OpenAPI says of deals, opportunities, stages and activities.
import { z } from 'zod';
import { closing, dealChange, move, newActivity, newDeal } from '../../shared/records/deals/schema.ts';
import { changed, created, describe, id, idFilter, nullable, paging, searchFilter, time } from './openapi.ts';

const status = z.enum(['open', 'won', 'lost']);
const priority = z.enum(['high', 'medium', 'low']);
const activityType = z.enum(['note', 'call', 'email', 'meeting', 'task']);

export const activity = z
  .object({
    id,
    type: activityType,
    title: nullable,
    description: nullable,
    date: time.nullable(),
    due_date: time.nullable(),
    duration_minutes: z.int().nullable(),
    deal_id: id.nullable(),
    owner_id: id.nullable(),
    created_at: time,
  })
  .meta({ id: 'Activity' });

const rest = {
  expected_close_date: z.iso.date().nullable(),
  priority,
  lead_id: id.nullable(),
  custom_fields: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  loss_reason: nullable,
  created_at: time,
  updated_at: time,
};

export const deal = z
  .object({
    id,
    name: z.string(),
    value: z.number(),
    stage: z.object({ id, name: z.string(), probability: z.int() }),
    status,
    contact_name: nullable,
    contact_email: nullable,
    company: nullable,
    owner_id: id.nullable(),
    ...rest,
  })
  .meta({ id: 'Deal' });

const opportunity = z
  .object({
    id,
    name: z.string(),
    value: z.number(),
    stage: z.string().describe('Its name.'),
    stage_id: id,
    probability: z.int(),
    status,
    contact: z.object({ name: nullable, email: nullable, company: nullable }),
    assigned_to: id.nullable(),
    ...rest,
  })
  .meta({ id: 'Opportunity', description: 'A deal as variant B names it.' });

const chosenStage = z.string().min(1).max(255).describe('Name, without case, or id.');
const contact = z.object({
  name: nullable.optional(),
  email: nullable.optional(),
  company: nullable.optional(),
});

function bodiesOf(base: string) {
  const { stage: _1, currency: _2, products: _3, ...inNew } = newDeal.shape;
  const { stage: _4, currency: _5, products: _6, ...inChange } = dealChange.shape;
  if (base === '/deals') {
    return {
      create: z.object(inNew).meta({ id: 'NewDeal' }),
      change: z.object(inChange).meta({ id: 'DealChange' }),
      close: closing,
    };
  }
  const {
    contact_name: _7,
    contact_email: _8,
    company: _9,
    owner_id: owner,
    stage_id: _10,
    ...common
  } = inNew;
  const own = { ...common, assigned_to: owner, contact: contact.nullable().optional() };
  return {
    create: z.object({ ...own, stage: chosenStage }).meta({ id: 'NewOpportunity' }),
    change: z
      .object({ ...own, stage: chosenStage })
      .partial()
      .meta({ id: 'OpportunityChange' }),
    close: z
      .object({
        status: z.enum(['won', 'lost']),
        final_value: closing.shape.final_value,
        loss_reason: closing.shape.loss_reason,
        close_notes: closing.shape.note,
      })
      .meta({ id: 'OpportunityClosing' }),
  };
}

/** Deals at one of their two addresses. */
export function dealDocs(base: '/deals' | '/opportunities') {
  const isDeal = base === '/deals';
  const [tag, what, record] = isDeal
    ? (['Deals', 'deal', deal] as const)
    : (['Opportunities', 'opportunity', opportunity] as const);
  const bodies = bodiesOf(base);
  const params = ['id'] as const;
  const filters = isDeal ? { owner_id: idFilter } : { assigned_to: idFilter, stage: chosenStage.optional() };
  const list = isDeal ? 'meta' : 'pagination';
  return {
    list: describe({
      summary: `List ${tag.toLowerCase()}`,
      tag,
      query: z.object({
        ...paging(['created_at', 'updated_at', 'name', 'value', 'expected_close_date'], isDeal ? 25 : 20),
        ...changed,
        ...filters,
        stage_id: idFilter,
        team_id: idFilter.describe("The owner's team."),
        status: status.optional(),
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
      summary: `Create a ${what}`,
      tag,
      body: bodies.create,
      status: 201,
      data: record,
      writes: true,
      failures: [422],
    }),
    get: describe({ summary: `Get a ${what}`, tag, params, data: record, failures: [404] }),
    change: describe({
      summary: `Change a ${what}`,
      tag,
      params,
      body: bodies.change,
      data: record,
      writes: true,
      failures: [404, 409, 422],
    }),
    remove: describe({ summary: `Delete a ${what}`, tag, params, writes: true, failures: [404] }),
    move: describe({
      summary: `Move a ${what} to another stage`,
      tag,
      params,
      body: isDeal ? z.object({ stage_id: id, note: move.shape.note }).meta({ id: 'Move' }) : move,
      data: record,
      writes: true,
      failures: [404, 409, 422],
    }),
    close: describe({
      summary: `Win or lose a ${what}`,
      tag,
      params,
      body: bodies.close,
      data: record,
      writes: true,
      failures: [404, 409, 422],
    }),
    listActivities: describe({
      summary: `List the activities of a ${what}`,
      tag,
      params,
      query: z.object({
        ...paging(['created_at'], isDeal ? 25 : 20),
        ...created,
        type: activityType.optional(),
      }),
      data: z.array(isDeal ? activity : loggedActivity),
      list,
      failures: [404],
    }),
    createActivity: describe({
      summary: `Log an activity of a ${what}`,
      tag,
      params,
      body: newActivity.omit({ deal_id: true }),
      status: 201,
      data: isDeal ? activity : loggedActivity,
      writes: true,
      failures: [404, 422],
    }),
  };
}

const { owner_id: loggedFor, ...logged } = activity.shape;
const loggedActivity = z.object({ ...logged, assigned_to: loggedFor }).meta({ id: 'OpportunityActivity' });

const stage = z
  .object({ id, name: z.string(), position: z.int(), probability: z.int().min(0).max(100) })
  .meta({ id: 'Stage' });

export function stageDocs(path: '/stages' | '/pipeline/stages') {
  const summary = 'List the stages of the pipeline, in order';
  if (path === '/stages') return describe({ summary, tag: 'Deals', data: z.array(stage) });
  const { position, probability, ...named } = stage.shape;
  const data = z.array(z.object({ ...named, order: position, default_probability: probability }));
  return describe({ summary, tag: 'Opportunities', data, list: 'none' });
}

export const listActivities = describe({
  summary: 'List activities',
  tag: 'Activities',
  query: z.object({
    ...paging(['created_at']),
    ...created,
    type: activityType.optional(),
    owner_id: idFilter,
    deal_id: idFilter,
  }),
  data: z.array(activity),
  list: 'meta',
});
export const createActivity = describe({
  summary: 'Log an activity',
  tag: 'Activities',
  body: newActivity.meta({ id: 'NewActivity' }),
  status: 201,
  data: activity,
  writes: true,
  failures: [422],
});
