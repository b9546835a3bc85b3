// Schemas of Pipedrive's responses and events, with the members that Placar reads. Ids are numbers at Pipedrive and texts here.
import { z } from 'zod';

const id = z.union([z.int(), z.string().min(1)]).transform(String);
const optionalId = id.nullish().transform((value) => value ?? null);
/** Trimmed; empty texts are null. */
const text = z
  .string()
  .nullish()
  .transform((value) => value?.trim() || null);
/** Also of numbers that are sent as text. */
const amount = z
  .union([z.number(), z.string().regex(/^\s*-?\d+(\.\d+)?\s*$/)])
  .nullish()
  .transform((value) => (value == null ? null : Number(value)));
/** Version 1 has 0 and 1. */
const flag = z
  .union([z.boolean(), z.int()])
  .nullish()
  .transform((value) => (value == null ? null : Boolean(value)));

/** ISO 8601 in UTC with milliseconds. Times without a time zone are UTC. */
const time = z
  .string()
  .transform((value) => value.trim().replace(' ', 'T'))
  .transform((value) => new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`))
  .refine((date) => !Number.isNaN(date.getTime()))
  .transform((date) => date.toISOString())
  .nullish()
  .transform((value) => value ?? null);

const list = <T>(item: z.ZodType<T>) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** Pipedrive sends null for empty lists. */
export { list as listOf };

/** `data` of a response, and the cursor of the next page of a list. */
export const responseOf = <T>(data: z.ZodType<T>) =>
  z.object({ data, additional_data: z.object({ next_cursor: z.string().nullish() }).nullish() });

const listed = { id, is_deleted: flag, add_time: time, update_time: time, owner_id: optionalId };
const customFields = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((fields) => fields ?? {});

const contactDetail = z.object({ value: text, primary: flag, label: text });
export type ContactDetail = z.output<typeof contactDetail>;
const contactDetails = list(contactDetail).transform((details) =>
  details.filter(({ value }) => value !== null),
);

export const personSchema = z.object({
  ...listed,
  name: text,
  emails: contactDetails,
  phones: contactDetails,
  org_id: optionalId,
  job_title: text,
  custom_fields: customFields,
});
export type Person = z.output<typeof personSchema>;

export const dealSchema = z.object({
  ...listed,
  title: text,
  value: amount,
  currency: text,
  stage_id: optionalId,
  pipeline_id: optionalId,
  person_id: optionalId,
  status: text,
  won_time: time,
  lost_time: time,
  close_time: time,
  lost_reason: text,
  expected_close_date: text,
  custom_fields: customFields,
});
export type Deal = z.output<typeof dealSchema>;

export const activitySchema = z.object({ ...listed, type: text, done: flag, marked_as_done_time: time });
export type Activity = z.output<typeof activitySchema>;

/** Organizations and pipelines. */
export const namedSchema = z.object({ id, name: text, is_deleted: flag });
export const stageSchema = z.object({ id, name: text, pipeline_id: id, is_deleted: flag });
export const userSchema = z.object({ id, email: text, name: text });
export const meSchema = z.object({ company_id: id });
export const activityTypeSchema = z.object({ key_string: z.string() });

export const fieldSchema = z.object({
  field_code: z.string(),
  field_name: text,
  field_type: z.string(),
  options: list(z.object({ id, label: z.string() })),
});
export type Field = z.output<typeof fieldSchema>;

export const foundSchema = z.object({ items: list(z.object({ item: z.object({ id }) })) });

export const webhookSchema = z.object({
  id,
  subscription_url: z.string(),
  event_action: text,
  event_object: text,
  version: text,
  is_active: flag,
  remove_time: text,
  http_auth_password: text,
});
export type Webhook = z.output<typeof webhookSchema>;
export const newWebhookSchema = z.object({ id });

/** The `meta` member of webhooks in version 2.0. */
export const metaSchema = z.object({
  id: text.catch(null),
  action: z.string(),
  entity: z.string(),
  entity_id: optionalId,
  merged_to_id: optionalId,
  merged_from_id: optionalId,
});
export type Meta = z.output<typeof metaSchema>;
