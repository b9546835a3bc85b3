// Leads in requests and responses, in canonical names.
import { z } from 'zod';
import { utcTime } from '../../platform/instants.ts';
import { email, text } from '../../platform/validation.ts';
import { externalId, externalIdFor, shownExternalId } from '../external-ids.ts';
import {
  amount,
  customFields,
  id,
  name,
  optionalDay,
  pickTexts,
  reference,
  tags,
  textInputs,
  textOutputs,
  time,
  uuid,
} from '../fields.ts';
import type { LeadRecord } from './queries.ts';
import { FINAL_LEAD_STATUS, leadStatuses } from './states.ts';
import { leadTexts } from './texts.ts';

const MAX_SCORE = 1e9;

const score = z
  .number({ error: 'must be a number' })
  .min(-MAX_SCORE, { error: `must be at least ${-MAX_SCORE}` })
  .max(MAX_SCORE, { error: `must be at most ${MAX_SCORE}` })
  .nullable()
  .optional();

const members = {
  name,
  email: email.describe('Unique in the workspace, case-insensitive.'),
  ...textInputs(leadTexts),
  owner_id: reference.describe('The user that the lead is assigned to.'),
  team_id: reference,
  score,
  custom_fields: customFields,
  tags,
  external_id: externalId,
};

export const newLead = z.object(members).meta({ id: 'NewLead' });

export const leadChange = z
  .object({
    ...z.object(members).partial().shape,
    status: z
      .enum(leadStatuses)
      .optional()
      .describe(`Any status except \`${FINAL_LEAD_STATUS}\`, which only POST /leads/{id}/convert sets.`),
  })
  .meta({ id: 'LeadChange' });

export const conversion = z
  .object({
    deal_name: name.nullable().optional().describe("Defaults to the lead's name."),
    deal_value: amount.nullable().optional().describe('Defaults to 0.'),
    stage_id: reference.describe('Defaults to the first stage.'),
    stage: text({ maxLength: 255, filled: true }).nullable().optional(),
    expected_close_date: optionalDay,
  })
  .meta({ id: 'Conversion' });

export const merging = z
  .object({ loser_id: uuid.describe('The lead to merge into this one.') })
  .meta({ id: 'Merging' });

/** A lead in a response. */
export const leadResponse = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    ...textOutputs(leadTexts),
    status: z.enum(leadStatuses),
    owner_id: id.nullable(),
    team_id: id.nullable(),
    custom_fields: z.record(z.string(), z.unknown()),
    tags: z.array(z.string()),
    external_id: shownExternalId,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Lead' });

export type NewLead = z.output<typeof newLead>;
export type LeadChange = z.output<typeof leadChange>;
export type Conversion = z.output<typeof conversion>;
type LeadResponse = z.output<typeof leadResponse>;

/** Only in `lead.merged`. */
interface Merged {
  merged_id?: string;
}

/** `clientId` is the client whose external id is shown. */
export const serializeLead = (lead: LeadRecord, clientId: string | null): LeadResponse & Merged => ({
  id: lead.id,
  name: lead.name,
  email: lead.email,
  ...pickTexts(lead, leadTexts),
  status: lead.status,
  owner_id: lead.owner_id,
  team_id: lead.team_id,
  custom_fields: lead.custom_fields,
  tags: lead.tags,
  external_id: externalIdFor(lead, clientId),
  created_at: utcTime(lead.created_at),
  updated_at: utcTime(lead.updated_at),
  ...(lead.merged_id && { merged_id: lead.merged_id }),
});
