// The parameters in the OpenAPI descriptions of records: headers, ids in paths, pages and filters.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { activityTypes } from '../../shared/records/activities/schema.ts';
import { id } from '../../shared/records/fields.ts';
import { variants } from '../../shared/records/variants/variants.ts';

const conditionHeader = (name: 'If-Match' | 'If-None-Match') => ({
  [name]: z
    .string()
    .optional()
    .describe(
      name === 'If-Match'
        ? 'The `ETag` of the record. If the record has changed since then, the request fails with 412 and the current record.'
        : 'The `ETag` of the record. Returns 304 if the record has not changed.',
    ),
});
const onlyNewHeader = {
  'If-None-Match': z
    .enum(['*'])
    .optional()
    .describe('Creates the record only if it does not exist. Otherwise the request fails with 412.'),
};
const variantHeader = (variant: NamingVariant) => ({
  'X-Api-Variant': z
    .enum([variant])
    .optional()
    .describe(
      `Selects this naming variant. Not needed if it is the client's default. The other variants have their own documents.`,
    ),
});
const originHeader = {
  'X-Origin': z
    .string()
    .max(64)
    .optional()
    .describe(
      'Copied to the `origin` of the events that the request causes. Visible ASCII characters and spaces.',
    ),
  'X-Silent': z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'If true, the request causes no webhooks, points, automations or emails. The feed marks its events as `silent`. ' +
        'Requires the scope `admin`.',
    ),
};

const onBehalfOfHeader = {
  'X-On-Behalf-Of': z
    .string()
    .optional()
    .describe(
      'The person that the program acts for. The audit trail shows its first 255 characters; it is not verified.',
    ),
};

interface Accepted {
  writes: boolean;
  /** Whether the endpoint is part of the admin API, which is never silent. */
  administers: boolean;
  /** The precondition that the request accepts. */
  condition: 'If-Match' | 'If-None-Match' | undefined;
  /** Whether the request creates or updates. */
  creates: boolean;
}

/** The headers that an endpoint accepts. */
export const requestHeaders = (
  variant: NamingVariant,
  { writes, administers, condition, creates }: Accepted,
) =>
  z.object({
    ...variantHeader(variant),
    ...(writes && (administers ? { 'X-Origin': originHeader['X-Origin'] } : originHeader)),
    ...(condition && conditionHeader(condition)),
    ...(creates && !administers && onlyNewHeader),
    ...(writes && administers && onBehalfOfHeader),
  });

/** An empty value counts as absent. */
export const withEmptyValues = (query: z.ZodObject): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(query.shape).map(([name, schema]) => [
        name,
        (schema as z.ZodType).meta({ param: { allowEmptyValue: true } }),
      ]),
    ),
  );

/** Path parameters that are not UUIDs. */
const otherParams: Readonly<Record<string, z.ZodType>> = {
  delivery_id: z.string().max(64),
  external_id: z.string().min(1).max(255).describe("Your client's id for the record, percent-encoded."),
};

/** The record whose id a path parameter is: `user` for `user_id`, `lead` for `id` below `/leads`. */
const subjectOf = (name: string, folder: string): string =>
  name === 'id' ? folder.replace(/ies$/, 'y').replace(/s$/, '') : name.replace(/_id$/, '');

/** The parameters in a path: those that are listed, and ids of the records that they name. */
export const parametersIn = (
  path: string,
  listed: Readonly<Record<string, z.ZodType>> = otherParams,
  others: z.ZodType = id,
): z.ZodRawShape =>
  Object.fromEntries(
    [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, folder = '', name = '']) => {
      const schema = listed[name] ?? others;
      return [name, schema.description ? schema : schema.describe(`Id of the ${subjectOf(name, folder)}.`)];
    }),
  );

export const instantOrDaySchema = z
  .string()
  .describe("A timestamp with an offset, or a date, which means midnight in the tenant's time zone.");

/** Parameters of a list with a fixed order. */
export const pages = (variant: NamingVariant) => ({
  page: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Starts at 1.')
    .meta({ type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 }),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Entries of a page.')
    .meta({ type: 'integer', minimum: 1, maximum: 100, default: variants[variant].defaultPerPage }),
});

/** Parameters of other lists. */
export const paging = (variant: NamingVariant, sorts: string[]) => ({
  ...pages(variant),
  sort: z
    .enum(sorts.flatMap((field) => [field, `-${field}`]))
    .optional()
    .describe(`A leading \`-\` sorts in descending order. Default: \`-${sorts[0]}\`.`),
});
export const created = {
  created_after: instantOrDaySchema.optional(),
  created_before: instantOrDaySchema.optional(),
};
export const updated = { ...created, updated_after: instantOrDaySchema.optional() };
export const idFilter = id.optional();
export const searchFilter = z.string().max(200).optional().describe('Ignores case and accents.');
/** A filter whose name depends on the variant. */
export const ownerFilter = (variant: NamingVariant) => ({
  [variant === 'a' ? 'owner_id' : 'assigned_to']: idFilter.describe('Id of the user that it belongs to.'),
});
export const dealFilter = (variant: NamingVariant) => ({
  [variant === 'c' ? 'opportunity_id' : 'deal_id']: idFilter.describe('Only activities of this deal.'),
});

/** The filter by external id. */
export const externalIdFilter = {
  external_id: z.string().max(255).optional().describe("Your client's id for the record."),
};

export const activityTypeFilter = z.enum(activityTypes).optional().describe('Only activities of this type.');
