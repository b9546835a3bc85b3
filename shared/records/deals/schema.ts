// What bodies about deals hold, in canonical names.
import { z } from 'zod';
import { email, text } from '../../platform/validation.ts';
import {
  amount,
  customFields,
  day,
  dayOrInstant,
  longText,
  name,
  reference,
  shortText,
  tags,
  uuid,
} from '../fields.ts';

const MAX_PRODUCTS = 100;
const MAX_PRODUCTS_BYTES = 64 * 1024;

const currency = z
  .string({ error: 'must be a currency code' })
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters' });

const products = z
  .array(z.record(z.string(), z.json()), { error: 'must be an array of objects' })
  .max(MAX_PRODUCTS, { error: `must have at most ${MAX_PRODUCTS} items` })
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
  value: amount.describe('In units of the currency: 1250.5 is 1250.50.'),
  stage_id: reference.describe('The first stage when absent.'),
  stage,
  contact_name: shortText,
  contact_email: email.nullable().optional(),
  company: shortText,
  owner_id: reference.describe('The user it is assigned to.'),
  expected_close_date: day.nullable().optional(),
  priority: z
    .enum(['high', 'medium', 'low'])
    .nullable()
    .optional()
    .transform((value) => (value === null ? 'medium' : value)),
  lead_id: reference.describe('The lead it comes from.'),
  currency: currency
    .nullable()
    .optional()
    .transform((value) => (value === null ? 'BRL' : value)),
  products,
  custom_fields: customFields,
  tags,
};

export const newDeal = z.object(members).meta({ id: 'NewDeal' });

export const dealChange = z
  .object(z.object(members).partial().shape)
  .meta({ id: 'DealChange', description: 'Another stage of an open deal is a move.' });

export const move = z
  .object({ stage_id: uuid.optional(), stage, note: longText })
  .refine(({ stage_id: id, stage: other }) => id !== undefined || (other !== undefined && other !== null), {
    error: 'is required',
    path: ['stage_id'],
  })
  .meta({ id: 'Move' });

export const closing = z
  .object({
    result: z.enum(['won', 'lost'], {
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be one of won, lost'),
    }),
    final_value: amount.nullable().optional().describe('For won: becomes the value.'),
    loss_reason: longText.describe('Needed for lost.'),
    note: longText,
  })
  .meta({ id: 'Closing' });

const MAX_MINUTES = 100_000;

export const newActivity = z
  .object({
    type: z.enum(['note', 'call', 'email', 'meeting', 'task'], {
      error: (issue) =>
        issue.input === undefined ? 'is required' : 'must be one of note, call, email, meeting, task',
    }),
    title: shortText,
    description: longText,
    date: dayOrInstant,
    due_date: dayOrInstant,
    duration_minutes: z
      .int({ error: 'must be an integer' })
      .min(0, { error: 'must not be negative' })
      .max(MAX_MINUTES, { error: `must be at most ${MAX_MINUTES}` })
      .nullable()
      .optional(),
    deal_id: reference,
  })
  .meta({ id: 'NewActivity' });

export type NewActivity = z.output<typeof newActivity>;
export type NewDeal = z.output<typeof newDeal>;
export type DealChange = z.output<typeof dealChange>;
export type Move = z.output<typeof move>;
export type Closing = z.output<typeof closing>;
