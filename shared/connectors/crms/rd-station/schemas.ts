// Resources of RD Station CRM. Unknown members are ignored.
import { z } from 'zod';

const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);
const listOf = <S extends z.ZodType>(item: S) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);

export const id = z.union([z.string().min(1), z.number()]).transform(String);
const optionalId = optional(id);

/** Trimmed; null if empty. */
const text = z.string().nullish();
const optionalText = text.transform((value) => value?.trim() || null);

/** ISO 8601 in UTC with milliseconds. */
const time = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)))
  .transform((value) => new Date(value).toISOString());
const optionalTime = optional(time);

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const amount = optional(z.union([z.number(), decimal.transform(Number)]));
const customFields = optional(z.record(z.string(), z.unknown())).transform((value) => value ?? {});

export const contactSchema = z.object({
  id,
  name: optionalText,
  job_title: optionalText,
  emails: listOf(z.looseObject({ email: optionalText })),
  phones: listOf(z.looseObject({ phone: optionalText })),
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
  name: optionalText,
  total_price: amount,
  one_time_price: amount,
  recurrence_price: amount,
  expected_close_date: optionalText,
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

export const namedSchema = z.object({ id, name: optionalText });
export const userSchema = namedSchema.extend({ email: optionalText, created_at: optionalTime });
export const customFieldSchema = z.object({
  slug: z.string(),
  type: z.string(),
  options: listOf(z.string()),
  allow_new_option: z.boolean().nullish(),
});
export type CustomField = z.infer<typeof customFieldSchema>;
export const webhookSchema = z.object({ id, url: text, event_name: text, event_type: text, status: text });
