// Event filters of webhooks: conditions on the event's data, and members that must have changed. They are stored as sent, and as rules
// in stored names, which the trigger that creates deliveries evaluates (private.webhook_wants).
import { z } from 'zod';
import { isExactNumber, withExactNumbers } from '../../platform/exact-json.ts';
import { anyValue, evenIfInvalid, jsonObject, text } from '../../platform/validation.ts';

const MAX_FILTERS = 20;
const MAX_CHANGED = 50;
const MAX_FIELD_LENGTH = 255;
const MAX_VALUE_BYTES = 4096;
/** Searching for a long text takes time in proportion to its length, in the request that caused the event. */
const MAX_CONTAINED_LENGTH = 255;
const PATH = /^[^.]+(\.[^.]+)*$/;

/** The operators of automations, implemented by `private.condition_holds`. */
const filterOps = ['eq', 'ne', 'gt', 'lt', 'in', 'contains'] as const;

const field = text({ maxLength: MAX_FIELD_LENGTH, filled: true }).refine((path) => PATH.test(path), {
  error: 'must be a dot-separated path, such as stage.name',
});

/** Checks the size of a value, wrapped in an object, and that the database can store it. */
const storable = jsonObject(MAX_VALUE_BYTES);

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null && isExactNumber(value));

const plainFilter = z
  .object({
    field: field.describe('A member of `data`, or a dot-separated path.'),
    op: z.enum(filterOps, { error: `must be one of ${filterOps.join(', ')}` }),
    value: z
      .unknown()
      .refine((value) => value !== undefined, { error: 'is required' })
      .refine((value) => storable.safeParse({ value }).success, {
        error: `must be JSON of at most ${MAX_VALUE_BYTES} bytes`,
      })
      .meta(anyValue),
  })
  .superRefine(({ op, value }, ctx) => {
    const refuse = (message: string) => ctx.addIssue({ code: 'custom', path: ['value'], message });
    if (op === 'in' && !Array.isArray(value)) refuse('must be an array if op is in');
    if (Array.isArray(value) && value.some(Array.isArray)) refuse('must not contain arrays within an array');
    if (op === 'contains' && typeof value === 'string' && value.length > MAX_CONTAINED_LENGTH) {
      refuse(`must be at most ${MAX_CONTAINED_LENGTH} characters if op is contains`);
    }
    if ((op === 'gt' || op === 'lt') && !isNumber(value) && typeof value !== 'string') {
      refuse(`must be a number or text if op is ${op}`);
    }
  }, evenIfInvalid);

/** A filter whose `value` has all digits. */
const filter = z.preprocess(withExactNumbers, plainFilter);

export interface EventFilter {
  field: string;
  op: (typeof filterOps)[number];
  value: unknown;
}

const orNone = <T>(list: T[] | null | undefined): T[] | null | undefined =>
  list?.length === 0 ? null : list;

/** Members of a request body. */
export const eventFilterMembers = {
  filters: z
    .array(filter, { error: 'must be an array of filters' })
    .max(MAX_FILTERS, { error: `must have at most ${MAX_FILTERS} items` })
    .nullable()
    .optional()
    .transform(orNone)
    .describe(
      'All filters must match. They work like the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. ' +
        'Use the member names of the deliveries.',
    ),
  changed: z
    .array(text({ maxLength: MAX_FIELD_LENGTH, filled: true }), { error: 'must be an array of names' })
    .max(MAX_CHANGED, { error: `must have at most ${MAX_CHANGED} items` })
    .nullable()
    .optional()
    .transform((names) => orNone(names && [...new Set(names)]))
    .describe(
      'At least one of these members must have changed. Events about creation and deletion are always sent.',
    ),
};

/** Members of a response. */
export const eventFiltersResponse = {
  filters: z
    .array(z.object({ field: z.string(), op: z.enum(filterOps), value: z.unknown().meta(anyValue) }))
    .describe('Only events that match all filters are sent.'),
  changed: z
    .array(z.string())
    .describe('At least one of these members must have changed. If empty, any change is sent.'),
};

/** Rules by the webhook's naming variant (`a` if the interface has none) and then by the event's subject, such as `lead`. */
export type Rules<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** A name that does not occur in data, so its value is always null. Replaces fields that the event's data does not show. */
export const HIDDEN_FIELD = '\u2205';

/** How an interface converts filters and changed members to rules in stored names. */
export interface EventFilterRules {
  filterRules(filters: readonly EventFilter[]): Rules<EventFilter[]>;
  changedRules(names: readonly string[]): Rules<string[]>;
}

interface EventFilters {
  filters?: EventFilter[] | null | undefined;
  changed?: string[] | null | undefined;
}

/** Columns that contain the rules. */
export const eventFilterColumns = ['filter_rules', 'changed_rules'] as const;

/** A new webhook as stored, with defaults and rules. */
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

/** The rules for the filters in a request, by column. */
export const eventFiltersOf = (
  { filters, changed }: EventFilters,
  { filterRules, changedRules }: EventFilterRules,
): object => ({
  ...(filters !== undefined && { filter_rules: filters && filterRules(filters) }),
  ...(changed !== undefined && { changed_rules: changed && changedRules(changed) }),
});
