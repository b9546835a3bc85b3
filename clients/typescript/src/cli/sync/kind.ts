// What the command line can sync; the rules of each kind are loaded when a file is read (`kinds.ts`).
export const kindNames = ['activities', 'collaborators', 'leads', 'deals'] as const;
export type KindName = (typeof kindNames)[number];
export type RecordsKindName = Extract<KindName, 'leads' | 'deals'>;

export const isRecordsKind = (name: KindName): name is RecordsKindName =>
  name === 'leads' || name === 'deals';

export interface Kind {
  name: KindName;
  /** Columns that a file must have. */
  required: readonly string[];
  /** All that a column can be, for people. */
  members: readonly string[];
  /** Whether a column of this name is sent; `data.city` is a member of the object `data`. */
  isMember(name: string): boolean;
  /** What a cell stands for. */
  valueOf(member: string, cell: string): unknown;
  /** What is wrong with an item, field by field. */
  faultsOf(item: Item): Fault[];
}

/** A line as it is sent. */
export type Item = Record<string, unknown>;

export interface Fault {
  field: string;
  message: string;
}

/** JSON, or the text itself, which the rules then refuse. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
