// Resources of RD Station CRM. Unknown members are ignored.
import { z } from 'zod';
import {
  amount,
  customFields,
  id,
  listOf,
  optionalId,
  optionalTime,
  text,
  time,
  userSchema,
} from '../wire.ts';
import { ONE_OPTION, SEVERAL_OPTIONS } from './facts.ts';

export const contactSchema = z.object({
  id,
  name: text,
  job_title: text,
  emails: listOf(z.looseObject({ email: text })),
  phones: listOf(z.looseObject({ phone: text })),
  organization_id: optionalId,
  /** Not documented. */
  owner_id: optionalId,
  custom_fields: customFields,
  created_at: optionalTime,
  updated_at: time,
});
export type Contact = z.infer<typeof contactSchema>;

export const dealSchema = z.object({
  id,
  name: text,
  total_price: amount,
  one_time_price: amount,
  recurrence_price: amount,
  expected_close_date: text,
  status: z.string(),
  closed_at: optionalTime,
  pipeline_id: optionalId,
  stage_id: optionalId,
  owner_id: optionalId,
  lost_reason_id: optionalId,
  contact_ids: listOf(id),
  custom_fields: customFields,
  updated_at: time,
});
export type Deal = z.infer<typeof dealSchema>;

export const taskSchema = z.object({
  id,
  type: z.string(),
  status: z.string(),
  completed_at: optionalTime,
  completed_by_id: optionalId,
  owner_ids: listOf(id),
  updated_at: time,
});

/** Members of every record that lists need. */
export const listedSchema = z.object({
  id,
  created_at: optionalTime,
  updated_at: time,
  completed_at: optionalTime,
});

export const accountUserSchema = userSchema.extend({ created_at: optionalTime });
export const customFieldSchema = z
  .object({
    slug: z.string(),
    type: z.string(),
    options: listOf(z.string()),
    allow_new_option: z.boolean().nullish(),
  })
  .transform(({ slug, type, options, allow_new_option }) => ({
    ...{ key: slug, name: slug, type, isList: type === SEVERAL_OPTIONS, isOpen: allow_new_option === true },
    options: [ONE_OPTION, SEVERAL_OPTIONS].includes(type)
      ? options.map((label) => ({ label, value: label }))
      : [],
  }));
export type CustomField = z.output<typeof customFieldSchema>;
export const webhookSchema = z.object({ id, url: text, event_name: text, event_type: text, status: text });
