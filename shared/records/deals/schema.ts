// Deals in requests and responses, in canonical names, and as opportunities (variants B and C).
import { z } from 'zod';
import { withExactNumbers } from '../../platform/exact-json.ts';
import { utcTime } from '../../platform/instants.ts';
import { evenIfInvalid, oneOf, optionalEmail, plainObject, text } from '../../platform/validation.ts';
import { externalId, externalIdFor, shownExternalId } from '../external-ids.ts';
import {
  amount,
  customFields,
  id,
  longText,
  name,
  nullableText,
  optionalDay,
  reference,
  shortText,
  tags,
  time,
  uuid,
} from '../fields.ts';
import type { DealRecord, DealStage } from './queries.ts';
import { DEFAULT_PRIORITY, dealPriorities, dealResults, dealStatuses } from './states.ts';

export const DEFAULT_CURRENCY = 'BRL';
const MAX_PRODUCTS = 100;
const MAX_PRODUCTS_BYTES = 64 * 1024;

const currency = z
  .string({ error: 'must be a currency code' })
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three uppercase letters' });

// Any JSON object; the total size of all products is limited instead.
const product = plainObject<Record<string, z.core.util.JSONType>>().meta({
  type: 'object',
  additionalProperties: true,
});

const products = z
  .array(product, { error: 'must be an array of objects' })
  .max(MAX_PRODUCTS, { error: `must have at most ${MAX_PRODUCTS} items` })
  .transform(withExactNumbers)
  .superRefine((value, ctx) => {
    const json = JSON.stringify(value);
    const fault =
      new TextEncoder().encode(json).byteLength > MAX_PRODUCTS_BYTES
        ? `must have at most ${MAX_PRODUCTS_BYTES} bytes as JSON`
        : /\\u0000|\\ud[89a-f]/i.test(json) && 'must not contain NUL characters or lone surrogates';
    if (fault) ctx.addIssue({ code: 'custom', message: fault });
  })
  .nullable()
  .optional()
  .transform((value) => (value === null ? [] : value));

const stage = text({ maxLength: 255, filled: true }).nullable().optional();

const members = {
  name,
  value: amount.describe('In major currency units: 1250.5 means 1250.50.'),
  stage_id: reference.describe('Defaults to the first stage.'),
  stage,
  contact_name: shortText,
  contact_email: optionalEmail,
  company: shortText,
  owner_id: reference.describe('The user that the deal is assigned to.'),
  expected_close_date: optionalDay,
  priority: z
    .enum(dealPriorities)
    .nullable()
    .optional()
    .transform((value) => (value === null ? DEFAULT_PRIORITY : value)),
  lead_id: reference.describe('The lead that the deal came from.'),
  currency: currency
    .nullable()
    .optional()
    .transform((value) => (value === null ? DEFAULT_CURRENCY : value)),
  products,
  custom_fields: customFields,
  tags,
  external_id: externalId,
};

export const newDeal = z.object(members).meta({ id: 'NewDeal' });

export const dealChange = z
  .object(z.object(members).partial().shape)
  .meta({ id: 'DealChange', description: 'Changing the stage of an open deal moves it.' });

export const move = z
  .object({ stage_id: uuid.optional(), stage, note: longText })
  .refine(
    ({ stage_id: stageId, stage: name }) => stageId !== undefined || (name !== undefined && name !== null),
    {
      error: 'is required',
      path: ['stage_id'],
      ...evenIfInvalid,
    },
  )
  .meta({ id: 'Move' });

export const closing = z
  .object({
    result: oneOf(dealResults),
    final_value: amount.nullable().optional().describe("Replaces the deal's value if `result` is `won`."),
    loss_reason: longText.describe('Required if `result` is `lost`.'),
    note: longText,
  })
  .meta({ id: 'Closing' });

const commonMembers = {
  expected_close_date: z.iso.date().nullable(),
  priority: z.enum(dealPriorities),
  lead_id: id.nullable(),
  custom_fields: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  external_id: shownExternalId,
  loss_reason: nullableText,
  created_at: time,
  updated_at: time,
};

/** A deal in a response. */
export const dealResponse = z
  .object({
    id,
    name: z.string(),
    value: z.number(),
    stage: z.object({ id, name: z.string(), probability: z.int() }),
    status: z.enum(dealStatuses),
    contact_name: nullableText,
    contact_email: nullableText,
    company: nullableText,
    owner_id: id.nullable(),
    ...commonMembers,
  })
  .meta({ id: 'Deal' });

/** A deal in a response of variant B. */
export const opportunityResponse = z
  .object({
    id,
    name: z.string(),
    value: z.number(),
    stage: z.string().describe('Name of the stage.'),
    stage_id: id,
    probability: z.int(),
    status: z.enum(dealStatuses),
    contact: z.object({ name: nullableText, email: nullableText, company: nullableText }),
    assigned_to: id.nullable(),
    ...commonMembers,
  })
  .meta({ id: 'Opportunity', description: 'A deal with the member names of variant B.' });

export type NewDeal = z.output<typeof newDeal>;
export type DealChange = z.output<typeof dealChange>;
export type Move = z.output<typeof move>;
export type Closing = z.output<typeof closing>;
type DealResponse = z.output<typeof dealResponse>;
type OpportunityResponse = z.output<typeof opportunityResponse>;

const serializeStage = (stage: DealStage): DealResponse['stage'] => ({
  id: stage.id,
  name: stage.name,
  probability: stage.probability,
});

const serializeCommonMembers = (deal: DealRecord, clientId: string | null) => ({
  expected_close_date: deal.expected_close_date,
  priority: deal.priority,
  lead_id: deal.lead_id,
  custom_fields: deal.custom_fields,
  tags: deal.tags,
  external_id: externalIdFor(deal, clientId),
  loss_reason: deal.loss_reason,
  created_at: utcTime(deal.created_at),
  updated_at: utcTime(deal.updated_at),
});

/** Only in `deal.stage_changed` and `deal.won`. */
interface WithPreviousStage<Stage> {
  previous_stage?: Stage;
}

/** `clientId` is the client whose external id is shown. */
export const serializeDeal = (
  deal: DealRecord,
  clientId: string | null,
): DealResponse & WithPreviousStage<DealResponse['stage']> => ({
  id: deal.id,
  name: deal.name,
  value: deal.value,
  stage: serializeStage(deal.stage),
  status: deal.status,
  contact_name: deal.contact_name,
  contact_email: deal.contact_email,
  company: deal.company,
  owner_id: deal.owner_id,
  ...serializeCommonMembers(deal, clientId),
  ...(deal.previous_stage && { previous_stage: serializeStage(deal.previous_stage) }),
});

export const serializeOpportunity = (
  deal: DealRecord,
  clientId: string | null,
): OpportunityResponse & WithPreviousStage<string> => ({
  id: deal.id,
  name: deal.name,
  value: deal.value,
  stage: deal.stage.name,
  stage_id: deal.stage.id,
  probability: deal.stage.probability,
  contact: { name: deal.contact_name, email: deal.contact_email, company: deal.company },
  status: deal.status,
  assigned_to: deal.owner_id,
  ...serializeCommonMembers(deal, clientId),
  ...(deal.previous_stage && { previous_stage: deal.previous_stage.name }),
});
