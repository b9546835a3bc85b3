// Schemas of Pipedrive's responses and events, with the members that Placar reads. Ids are numbers at Pipedrive and texts here.
import { z } from 'zod';
import {
  amount,
  customFields,
  id,
  listOf,
  named,
  optional,
  optionalId,
  optionalTime,
  text,
  userSchema,
} from '../wire.ts';

/** Version 1 has 0 and 1. */
const flag = optional(z.union([z.boolean(), z.int().transform(Boolean)]));

/** `data` of a response, and the cursor of the next page of a list. */
export const responseOf = <T>(data: z.ZodType<T>) =>
  z.object({ data, additional_data: z.object({ next_cursor: z.string().nullish() }).nullish() });

const times = { add_time: optionalTime, update_time: optionalTime };
const listed = { id, is_deleted: flag, owner_id: optionalId, ...times };

const contactDetail = z.object({ value: text, primary: flag, label: text });
export type ContactDetail = z.output<typeof contactDetail>;
const contactDetails = listOf(contactDetail).transform((all) => all.filter(({ value }) => value !== null));

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
  won_time: optionalTime,
  lost_time: optionalTime,
  close_time: optionalTime,
  lost_reason: text,
  expected_close_date: text,
  custom_fields: customFields,
});
export type Deal = z.output<typeof dealSchema>;

export const activitySchema = z.object({
  ...listed,
  type: text,
  done: flag,
  marked_as_done_time: optionalTime,
});
export type Activity = z.output<typeof activitySchema>;

/** Organizations and pipelines. */
export const namedSchema = named.extend({ is_deleted: flag });
export const stageSchema = namedSchema.extend({ pipeline_id: id, order_nr: amount });
export const pipedriveUserSchema = userSchema.extend({ active_flag: flag });
export const meSchema = z.object({ company_id: id });
export const activityTypeSchema = z.object({ key_string: z.string() });

export const fieldSchema = z
  .object({
    field_code: z.string(),
    field_name: text,
    field_type: z.string(),
    options: listOf(z.object({ id, label: z.string() })),
  })
  .transform(({ field_code: key, field_name: name, field_type: type, options }) => ({
    ...{ key, name: name ?? key, type, isList: type === 'set' },
    options: options.map((option) => ({ label: option.label, value: toNumber(option.id) })),
  }));
export type Field = z.output<typeof fieldSchema>;

export const foundSchema = z.object({ items: listOf(z.object({ item: z.object({ id }) })) });

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

/** Pipedrive rejects ids that are texts. */
export const toNumber = (id: string): number | string => (Number.isSafeInteger(Number(id)) ? Number(id) : id);
