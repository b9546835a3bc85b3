// Resources of RD Station CRM. Unknown members are ignored.
import { z } from 'zod';
import * as wire from '../wire.ts';
import { ONE_OPTION, SEVERAL_OPTIONS } from './facts.ts';

/** Lists are sorted by one of these times. */
const listed = {
  id: wire.id,
  created_at: wire.optionalTime,
  updated_at: wire.time,
  completed_at: wire.optionalTime,
};
export type ListedRow = z.output<z.ZodObject<typeof listed>>;

export const contactSchema = z.object({
  ...listed,
  name: wire.text,
  job_title: wire.text,
  emails: wire.listOf(z.looseObject({ email: wire.text })),
  phones: wire.listOf(z.looseObject({ phone: wire.text })),
  organization_id: wire.optionalId,
  /** Not documented. */
  owner_id: wire.optionalId,
  custom_fields: wire.customFields,
});
export type Contact = z.infer<typeof contactSchema>;

export const dealSchema = z.object({
  ...listed,
  name: wire.text,
  total_price: wire.amount,
  one_time_price: wire.amount,
  recurrence_price: wire.amount,
  expected_close_date: wire.text,
  status: z.string(),
  closed_at: wire.optionalTime,
  pipeline_id: wire.optionalId,
  stage_id: wire.optionalId,
  owner_id: wire.optionalId,
  lost_reason_id: wire.optionalId,
  contact_ids: wire.listOf(wire.id),
  custom_fields: wire.customFields,
});
export type Deal = z.infer<typeof dealSchema>;

export const taskSchema = z.object({
  ...listed,
  type: z.string(),
  status: z.string(),
  completed_by_id: wire.optionalId,
  owner_ids: wire.listOf(wire.id),
});
export type Task = z.infer<typeof taskSchema>;

/** Pipelines and stages. */
export const orderedSchema = wire.named.extend({ order: wire.amount });
export const accountUserSchema = wire.userSchema.extend({ created_at: wire.optionalTime });
export const customFieldSchema = z
  .object({
    slug: z.string(),
    type: z.string(),
    options: wire.listOf(z.string()),
    allow_new_option: z.boolean().nullish(),
  })
  .transform(({ slug, type, options, allow_new_option }) => ({
    ...{ key: slug, name: slug, type, isList: type === SEVERAL_OPTIONS, isOpen: allow_new_option === true },
    options: [ONE_OPTION, SEVERAL_OPTIONS].includes(type)
      ? options.map((label) => ({ label, value: label }))
      : [],
  }));
export type CustomField = z.output<typeof customFieldSchema>;
export const webhookSchema = z.object({
  id: wire.id,
  url: wire.text,
  event_name: wire.text,
  event_type: wire.text,
  status: wire.text,
});
