// Translates webhook filters from the names of the webhook's variant to stored names.
import { namingVariants } from '../../platform/access/context.ts';
import {
  type EventFilter,
  type EventFilterRules,
  HIDDEN_FIELD,
  type Rules,
} from '../../webhooks/management/event-filters.ts';
import { dealResponse } from '../deals/schema.ts';
import { leadResponse } from '../leads/schema.ts';
import { canonicalPath, canonicalValuesOf, type NamingRules, nameFor } from '../naming.ts';
import { userResponse } from '../users/schema.ts';
import { variants } from '../variants/variants.ts';

/** Stored members of each record that at least one variant shows. External ids are excluded: they are private to each client. */
const shown = {
  lead: [...Object.keys(leadResponse.shape), 'score'],
  deal: [...Object.keys(dealResponse.shape), 'currency', 'products', 'previous_stage'],
  user: Object.keys(userResponse.shape),
} as const;
type Subject = keyof typeof shown;

const membersOf = (subject: Subject): string[] => shown[subject].filter((name) => name !== 'external_id');

/** Subjects of events without a record. Their members have the same names in every variant. */
const subjectsWithoutRecord = ['badge', 'challenge', 'ranking'];

function rulesFor<T>(make: (naming: NamingRules, subject: Subject) => T, unchanged: T): Rules<T> {
  const byVariant = namingVariants.map((id) => {
    const { namings } = variants[id];
    const records = (Object.keys(shown) as Subject[]).map(
      (subject) => [subject, make(namings[subject], subject)] as const,
    );
    return [
      id,
      Object.fromEntries([
        ...records,
        ...subjectsWithoutRecord.map((subject) => [subject, unchanged] as const),
      ]),
    ];
  });
  return Object.fromEntries(byVariant);
}

function storedFilters(
  naming: NamingRules,
  subject: Subject,
  { field, op, value }: EventFilter,
): EventFilter[] {
  const path = canonicalPath(naming, field);
  const [first = ''] = path?.split('.') ?? [];
  if (!path || !membersOf(subject).includes(first)) return [{ field: HIDDEN_FIELD, op, value }];
  // One word of a variant can stand for several stored values: `ne` must match none of them, other operators any of them.
  const meanings = canonicalValuesOf(naming, path, value);
  if (op === 'in') {
    const values: unknown[] = Array.isArray(value) ? value : [];
    return [{ field: path, op, value: values.flatMap((item) => canonicalValuesOf(naming, path, item)) }];
  }
  if (op === 'eq' && meanings.length > 1) return [{ field: path, op: 'in', value: meanings }];
  return meanings.map((meaning) => ({ field: path, op, value: meaning }));
}

/** Stored members that a variant shows under this name. */
const storedMembers = (naming: NamingRules, subject: Subject, name: string): string[] =>
  membersOf(subject).filter((member) =>
    (naming.shownAs?.[member] ?? [nameFor(naming, member).split('.')[0]]).includes(name),
  );

export const recordsEventFilters: EventFilterRules = {
  filterRules: (filters) =>
    rulesFor(
      (naming, subject) => filters.flatMap((filter) => storedFilters(naming, subject, filter)),
      [...filters],
    ),
  changedRules: (names) =>
    rulesFor(
      (naming, subject) => [...new Set(names.flatMap((name) => storedMembers(naming, subject, name)))],
      [...names],
    ),
};
