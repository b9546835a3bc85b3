// The kinds of records that the CLI can sync. `kinds.ts` has their rules and is loaded when a file is read.
import type { z } from 'zod';
import { parseJson, toJson } from '../../core/json.ts';

export const kindNames = ['activities', 'collaborators', 'leads', 'deals'] as const;
export type KindName = (typeof kindNames)[number];
export type RecordsKindName = Extract<KindName, 'leads' | 'deals'>;

export const isRecordsKind = (name: KindName): name is RecordsKindName =>
  name === 'leads' || name === 'deals';

/** How the cells of a member are read. A `code` has three digits. */
export type MemberType = 'text' | 'code' | 'number' | 'day' | 'time' | 'list' | 'json';

export interface Kind {
  name: KindName;
  /** Required columns. */
  required: readonly string[];
  /** All possible columns, for messages. */
  members: readonly string[];
  /** Whether a column of this name is sent. `data.city` is a member of the object `data`. */
  isMember(name: string): boolean;
  typeOf(member: string): MemberType;
  /** The variant's name of a member. */
  nameOf(canonical: string): string;
  /** The API's word for a text. */
  wordOf(member: string, text: string): string;
  /** The member with the currency of the amounts. */
  currency: string | undefined;
  /** A member that only changes set: creation ignores it. */
  changeOnly: string | undefined;
  /** Faults of an item, by field. */
  faultsOf(item: Item): Fault[];
  /** Further faults of an item whose record does not exist yet. */
  newFaultsOf(item: Item): Fault[];
  /** A field that must be unique among records, with its value. */
  uniqueOf(item: Item): { field: string; value: string } | undefined;
  /** Identifies the record of an item: the second line with the same key is a duplicate. */
  keyOf(item: Item): string;
}

/** The item to send for a line. */
export type Item = Record<string, unknown>;

export interface Fault {
  field: string;
  message: string;
  /** The start of the cell. */
  value?: string;
}

/** Parses JSON. Returns the text itself if it is invalid: the validation rejects it later. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The item as the API parses it. Its rules do not know `bigint`s. */
export const asReceived = (item: Item): Item => JSON.parse(toJson(item));

/** What a member accepts, found by trying. */
export function typeBySchema(schema: Pick<z.ZodType, 'safeParse'>): MemberType {
  const accepts = (value: unknown) => schema.safeParse(value).success;
  if (accepts('x')) return 'text';
  if (accepts(1)) return 'number';
  if (accepts('2026-01-31T00:00:00Z')) return 'time';
  if (accepts('2026-01-31')) return 'day';
  if (accepts(['x'])) return 'list';
  return accepts({}) || accepts([{}]) ? 'json' : 'text';
}
