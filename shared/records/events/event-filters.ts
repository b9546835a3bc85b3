// How webhooks of records name what they filter by: in the names of the variant that their deliveries have.
import { namingVariants } from '../../platform/access/context.ts';
import {
  type EventFilter,
  type EventFilterRules,
  HIDDEN_FIELD,
  type Rules,
} from '../../webhooks/management/event-filters.ts';
import { dealResponse } from '../deals/schema.ts';
import { leadResponse } from '../leads/schema.ts';
import { canonicalPath, meaningsOf, type NamingRules, nameFor } from '../naming.ts';
import { userResponse } from '../users/schema.ts';
import { variants } from '../variants/variants.ts';

/** Members of each record as it is stored that answers show, whichever variant does; what clients call it is theirs alone. */
const shown = {
  lead: [...Object.keys(leadResponse.shape), 'score'],
  deal: [...Object.keys(dealResponse.shape), 'currency', 'products', 'previous_stage'],
  user: Object.keys(userResponse.shape),
} as const;
type Subject = keyof typeof shown;

const membersOf = (subject: Subject): string[] => shown[subject].filter((name) => name !== 'external_id');

/** Events that are about no record have their members in every variant. */
const others = ['badge', 'challenge', 'ranking'];

function rulesFor<T>(make: (naming: NamingRules, subject: Subject) => T, asItIs: T): Rules<T> {
  const byVariant = namingVariants.map((id) => {
    const { namings } = variants[id];
    const records = (Object.keys(shown) as Subject[]).map(
      (subject) => [subject, make(namings[subject], subject)] as const,
    );
    return [id, Object.fromEntries([...records, ...others.map((subject) => [subject, asItIs] as const)])];
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
  // Of a word that stands for several, none is the value for `ne`, and any for the others.
  const meanings = meaningsOf(naming, path, value);
  if (op === 'in') {
    const given: unknown[] = Array.isArray(value) ? value : [];
    return [{ field: path, op, value: given.flatMap((one) => meaningsOf(naming, path, one)) }];
  }
  if (op === 'eq' && meanings.length > 1) return [{ field: path, op: 'in', value: meanings }];
  return meanings.map((meaning) => ({ field: path, op, value: meaning }));
}

/** Stored members that a name shows. */
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
