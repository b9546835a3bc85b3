// Leads and deals as lines of a file, identified by the client's own id.
import type { z } from 'zod';
import { ApiError } from '../../../../../shared/platform/errors.ts';
import { dealChange, newDeal } from '../../../../../shared/records/deals/schema.ts';
import { leadChange, newLead } from '../../../../../shared/records/leads/schema.ts';
import {
  type NamingRules,
  nameFor,
  parseBody,
  renameMembers,
  valueFor,
} from '../../../../../shared/records/naming.ts';
import { variants } from '../../../../../shared/records/variants/variants.ts';
import type { Variant } from '../../records.ts';
import { wordByAlias } from './aliases.ts';
import { asReceived, type Fault, type Item, type Kind, type RecordsKindName, typeBySchema } from './kind.ts';
import { needsStageIds, STAGE } from './stages.ts';

const sources = {
  leads: { schema: leadChange, create: newLead, resource: 'lead' },
  deals: { schema: dealChange, create: newDeal, resource: 'deal' },
} as const;

const FREE_MEMBER = 'custom_fields';

/** Further members are required if the record does not exist yet, which only the API knows. */
export function recordsKind(name: RecordsKindName, variant: Variant): Kind {
  const { schema, create, resource } = sources[name];
  const naming: NamingRules = variants[variant].namings[resource];
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const known = (canonical: string) => Object.hasOwn(shape, canonical);
  /** Canonical member names of a column. */
  const canonicalOf = (column: string): string[] =>
    Object.keys(renameMembers(naming, nested(column, null), known).body);
  const hasStageIds = needsStageIds(name, variant);
  const isKnown = (column: string) => canonicalOf(column).length > 0 || (hasStageIds && column === STAGE);
  const members = Object.keys(shape)
    .map((member) => nameFor(naming, member))
    .filter(isKnown);
  const isFree = (column: string) =>
    column.startsWith(`${FREE_MEMBER}.`) && column.length > FREE_MEMBER.length + 1;
  return {
    name,
    required: ['external_id'],
    members: [...members, `${FREE_MEMBER}.<key>`],
    isMember: (column) =>
      isFree(column) || members.includes(column) || (!column.includes('.') && isKnown(column)),
    typeOf(column) {
      if (isFree(column) || (hasStageIds && column === STAGE)) return 'text';
      const member = shape[canonicalOf(column)[0] ?? ''];
      return column === naming.spread?.member || !member ? 'json' : typeBySchema(member);
    },
    nameOf: (canonical) => nameFor(naming, canonical),
    wordOf(column, text) {
      const [member = ''] = isFree(column) ? [] : canonicalOf(column);
      const word = wordByAlias(member, text);
      return word === text ? text : valueFor(naming, member, word);
    },
    currency: canonicalOf(nameFor(naming, 'currency')).includes('currency')
      ? nameFor(naming, 'currency')
      : undefined,
    changeOnly: Object.keys(shape)
      .filter((member) => !Object.hasOwn(create.shape, member))
      .map((member) => nameFor(naming, member))[0],
    faultsOf: (item) => faultsOf(item, () => parseBody(schema, naming, asReceived(item))),
    newFaultsOf: (item) => faultsOf(item, () => parseBody(create, naming, asReceived(item), naming.required)),
    uniqueOf(item) {
      const { email } = renameMembers(naming, item, known).body;
      if (name !== 'leads' || typeof email !== 'string') return undefined;
      return { field: nameFor(naming, 'email'), value: email.trim().toLowerCase() };
    },
    keyOf: ({ external_id: id }) => String(id),
  };
}

/** Turns `contact.email` into a member of the object `contact`. */
function nested(column: string, value: unknown): Item {
  const [first = '', ...rest] = column.split('.');
  return { [first]: rest.length > 0 ? { [rest.join('.')]: value } : value };
}

function faultsOf({ external_id: id }: Item, check: () => unknown): Fault[] {
  const missing = id === '' ? [{ field: 'external_id', message: 'is required' }] : [];
  try {
    check();
    return missing;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const found = (error.details ?? []).filter(({ field }) => missing.every((one) => one.field !== field));
    return [...missing, ...found];
  }
}
