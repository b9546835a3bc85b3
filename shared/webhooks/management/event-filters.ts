// What a webhook may say beside its types of which events it wants: filters on their data, and members that must have changed. Both are
// kept as they were given, and as rules in stored names, by which the trigger that makes deliveries decides (private.webhook_wants).
import { z } from 'zod';
import { jsonObject, text } from '../../platform/validation.ts';

const MAX_FILTERS = 20;
const MAX_CHANGED = 50;
const MAX_FIELD_LENGTH = 255;
const MAX_VALUE_BYTES = 4096;
const PATH = /^[^.]+(\.[^.]+)*$/;

/** Those of automations, which `private.condition_holds` knows. */
const filterOps = ['eq', 'ne', 'gt', 'lt', 'in', 'contains'] as const;

const field = text({ maxLength: MAX_FIELD_LENGTH, filled: true }).refine((path) => PATH.test(path), {
  error: 'must be a path with dots, such as stage.name',
});

/** Measured, and checked for what the database cannot keep, as a member of an object. */
const keepable = jsonObject(MAX_VALUE_BYTES);

const filter = z
  .object({
    field: field.describe('A member of `data`, or a path with dots into one.'),
    op: z.enum(filterOps, { error: `must be one of ${filterOps.join(', ')}` }),
    value: z
      .unknown()
      .refine((value) => value !== undefined, { error: 'is required' })
      .refine((value) => keepable.safeParse({ value }).success, {
        error: `must be JSON of at most ${MAX_VALUE_BYTES} bytes`,
      })
      .meta({ type: ['string', 'number', 'boolean', 'array', 'object', 'null'], items: {} }),
  })
  .superRefine(({ op, value }, ctx) => {
    const refuse = (message: string) => ctx.addIssue({ code: 'custom', path: ['value'], message });
    if (op === 'in' && !Array.isArray(value)) refuse('must be an array for in');
    if ((op === 'gt' || op === 'lt') && typeof value !== 'number' && typeof value !== 'string') {
      refuse(`must be a number or a text for ${op}`);
    }
  });

export interface EventFilter {
  field: string;
  op: (typeof filterOps)[number];
  value: unknown;
}

const orNone = <T>(list: T[] | null | undefined): T[] | null | undefined =>
  list?.length === 0 ? null : list;

/** Members of a body. */
export const eventFilterMembers = {
  filters: z
    .array(filter, { error: 'must be an array of filters' })
    .max(MAX_FILTERS, { error: `must have at most ${MAX_FILTERS} items` })
    .nullable()
    .optional()
    .transform(orNone)
    .describe(
      'All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have.',
    ),
  changed: z
    .array(text({ maxLength: MAX_FIELD_LENGTH, filled: true }), { error: 'must be an array of names' })
    .max(MAX_CHANGED, { error: `must have at most ${MAX_CHANGED} items` })
    .nullable()
    .optional()
    .transform((names) => orNone(names && [...new Set(names)]))
    .describe('One of these members must have changed. Events of what was made or deleted are sent anyway.'),
};

/** Members of an answer. */
export const eventFiltersResponse = {
  filters: z
    .array(z.object({ field: z.string(), op: z.enum(filterOps), value: z.unknown() }))
    .describe('All hold for what is sent.'),
  changed: z.array(z.string()).describe('Members of which one changed; empty for any.'),
};

/** Rules by the naming variant of the webhook (`a` where there are none), and then by what an event is about, such as `lead`. */
export type Rules<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** A name that no data has, so that its value is null: for fields that an event's data does not show. */
export const HIDDEN_FIELD = '\u2205';

/** How an interface reads the names of filters and of changed members. */
export interface EventFilterRules {
  filterRules(filters: readonly EventFilter[]): Rules<EventFilter[]>;
  changedRules(names: readonly string[]): Rules<string[]>;
}

export interface EventFilters {
  filters?: EventFilter[] | null | undefined;
  changed?: string[] | null | undefined;
}

/** Columns that hold the rules. */
export const eventFilterColumns = ['filter_rules', 'changed_rules'] as const;

/** A new webhook as it is stored, with what it is where its maker does not say. */
export const withWebhookDefaults = <
  T extends EventFilters & { ordered?: boolean | undefined; active?: boolean | undefined },
>(
  input: T,
  rules: EventFilterRules,
) => ({
  ...input,
  ...eventFiltersOf(input, rules),
  ordered: input.ordered ?? false,
  active: input.active ?? true,
});

/** The rules of what is given, for these columns. */
export const eventFiltersOf = (
  { filters, changed }: EventFilters,
  { filterRules, changedRules }: EventFilterRules,
): object => ({
  ...(filters !== undefined && { filter_rules: filters && filterRules(filters) }),
  ...(changed !== undefined && { changed_rules: changed && changedRules(changed) }),
});
