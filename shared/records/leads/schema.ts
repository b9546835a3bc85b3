// What bodies about leads hold, in canonical names.
import { z } from 'zod';
import { email, text } from '../../platform/validation.ts';
import { amount, customFields, day, name, reference, shortText, tags } from '../fields.ts';

const score = z
  .number({ error: 'must be a number' })
  .min(-1e9, { error: 'must be at least -1000000000' })
  .max(1e9, { error: 'must be at most 1000000000' })
  .nullable()
  .optional();

const members = {
  name,
  email: email.describe('Unique in the workspace, without case.'),
  phone: shortText,
  company: shortText,
  position: shortText,
  source: shortText.describe('Where the lead comes from.'),
  owner_id: reference.describe('The user it is assigned to.'),
  team_id: reference,
  score,
  custom_fields: customFields,
  tags,
};

export const newLead = z.object(members).meta({ id: 'NewLead' });

export const leadChange = z
  .object({
    ...z.object(members).partial().shape,
    status: z
      .enum(['new', 'contacted', 'qualified', 'unqualified', 'converted'])
      .optional()
      .describe('Any but `converted`, which POST /leads/{id}/convert makes.'),
  })
  .meta({ id: 'LeadChange' });

export const conversion = z
  .object({
    deal_name: name.nullable().optional().describe("The lead's name when absent."),
    deal_value: amount.nullable().optional().describe('0 when absent.'),
    stage_id: reference.describe('The first stage when absent.'),
    stage: text({ maxLength: 255, filled: true }).nullable().optional(),
    expected_close_date: day.nullable().optional(),
  })
  .meta({ id: 'Conversion' });

export type NewLead = z.output<typeof newLead>;
export type LeadChange = z.output<typeof leadChange>;
export type Conversion = z.output<typeof conversion>;
