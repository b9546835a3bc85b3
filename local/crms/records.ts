/** Records of an account at a CRM's fake: what people and the API do with them, by the rules of the vendor. */
import { isDeepStrictEqual } from 'node:util';
import type { FakeKit } from '../fakes/fake.ts';

/** Plain data. */
export type Row = Record<string, unknown>;
/** `mergedInto` is the record that is read instead of a merged one. */
export type CrmRecord = Row & { id: string | number; custom_fields?: Row; mergedInto?: string };

export interface Webhook {
  id: string;
  /** As registered. */
  order: Record<string, string>;
  status: string;
  createdAt: string;
}

/** What an account has at each CRM. */
export interface CrmAccount<Kind extends string, R extends CrmRecord, Options extends object> {
  id: string;
  /** `daily` is the limit of a day, if the vendor has one. */
  options: Options & { daily?: number };
  /** Of the daily limit. */
  used: { day: string; amount: number };
  rows: Record<Kind, R[]>;
  /** Deleted records. */
  bin: Record<Kind, R[]>;
  webhooks: Webhook[];
}

/** An account in use. */
export interface Desk<A> {
  kit: FakeKit<A>;
  account: A;
}

/** The time at the vendor, ISO 8601. */
export const now = ({ kit }: { kit: { clock: { now(): number } } }): string =>
  new Date(kit.clock.now()).toISOString();

export type Action = 'create' | 'change' | 'delete' | 'restore';

export interface Rules<A, Kind extends string, R extends CrmRecord> {
  missing(kind: Kind): Error;
  invalid(what: string): Error;
  /** Members with ids of other records. */
  references: Record<string, Kind>;
  /** Whether a custom field exists and can have this value. */
  isCustom?(account: A, kind: Kind, key: string, value: unknown): boolean;
  /** A new record with its id, times and defaults. */
  blank(desk: Desk<A>, kind: Kind): R;
  /** Completes the draft of a record, or refuses it. `before` is the record before the change; of a new one, without values. */
  settle(desk: Desk<A>, kind: Kind, draft: R, before: R, change: Row): void;
  /** Members with the time of the last change. */
  touched(desk: Desk<A>, kind: Kind): Row;
  emit(desk: Desk<A>, action: Action, kind: Kind, row: R, before: R): void;
}

/** What a person can do with records. */
export interface Records<Kind extends string, R extends CrmRecord> {
  /** A record that is not deleted. */
  lookup(kind: Kind, id: string | number): R | undefined;
  /** Like `lookup`. Throws a refusal. */
  find(kind: Kind, id: string | number): R;
  /** @param isSilent without webhooks */
  create(kind: Kind, values: Row, isSilent?: boolean): R;
  /** A change without a difference emits nothing. */
  change(kind: Kind, id: string | number, values: Row): R;
  remove(kind: Kind, id: string | number): void;
  restore(kind: Kind, id: string | number): R;
  /** The winner gets what it lacks and what referred to the loser, which is gone. Emits nothing. */
  merge(kind: Kind, winner: string | number, loser: string | number, reference: string): R;
}

/** The record with this id. Throws what `missing` returns. */
export function rowOf<R extends { id: string | number }>(
  rows: readonly R[],
  id: unknown,
  missing: () => Error,
): R {
  const found = rows.find((row) => String(row.id) === String(id));
  if (found === undefined) throw missing();
  return found;
}

/** Text that sorts like a value: numbers by size, others as they are, and none first. */
export const sortable = (value: unknown): string =>
  /^\d+$/.test(String(value)) ? String(value).padStart(15, '0') : String(value ?? '');
/** Text by which records sort by a member, then by id. */
export const sortKey = (row: CrmRecord, member = 'id'): string =>
  `${sortable(row[member])} ${sortable(row.id)}`;
export function sorted<R extends CrmRecord>(rows: readonly R[], member?: string): R[] {
  const keyed = rows.map((row) => ({ row, key: sortKey(row, member) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ row }) => row);
}

/** Members that differ, with their values in the first one. */
export const differences = (one: Row, other: Row): Row =>
  Object.fromEntries(Object.entries(one).filter(([name, value]) => !isDeepStrictEqual(value, other[name])));

const gained = (own: unknown, value: unknown): unknown =>
  Array.isArray(own) && Array.isArray(value) ? [...new Set([...own, ...value])] : (own ?? value);

export function createRecords<
  A extends CrmAccount<Kind, R, object>,
  Kind extends string,
  R extends CrmRecord,
>(rules: Rules<A, Kind, R>): (desk: Desk<A>) => Records<Kind, R> {
  return (desk) => {
    const { rows, bin } = desk.account;
    const withId = (list: readonly R[], id: string | number) =>
      list.find((row) => String(row.id) === String(id));
    const lookup = (kind: Kind, id: string | number): R | undefined => {
      const merged = withId(bin[kind], id)?.mergedInto;
      return merged === undefined ? withId(rows[kind], id) : lookup(kind, merged);
    };
    const find = (kind: Kind, id: string | number): R => {
      const found = lookup(kind, id);
      if (found === undefined) throw rules.missing(kind);
      return found;
    };
    const move = (kind: Kind, row: R, from: typeof rows, to: typeof rows): R => {
      from[kind] = from[kind].filter((one) => one !== row);
      to[kind].push(row);
      return Object.assign(row, rules.touched(desk, kind));
    };
    const settle = (kind: Kind, draft: R, before: R, change: Row): void => {
      for (const [member, of] of Object.entries(rules.references))
        for (const id of [change[member] ?? []].flat())
          rowOf(rows[of], id, () => rules.invalid(`${member} does not exist`));
      const values = Object.entries(draft.custom_fields ?? {});
      const wrong = values.find(([key, value]) => !rules.isCustom?.(desk.account, kind, key, value));
      if (wrong) throw rules.invalid(`custom_fields.${wrong[0]} is not valid`);
      if (before.custom_fields) draft.custom_fields = { ...before.custom_fields, ...draft.custom_fields };
      rules.settle(desk, kind, draft, before, change);
    };
    /** Replaces the values of a record in place. Returns it as it was. */
    const replace = (kind: Kind, row: R, values: Row, change: Row): R => {
      const before = structuredClone(row);
      const draft = { ...row, ...values };
      settle(kind, draft, before, change);
      if (!isDeepStrictEqual(draft, before)) Object.assign(row, draft, rules.touched(desk, kind));
      return before;
    };
    return {
      ...{ lookup, find },
      create(kind, values, isSilent = false) {
        const before = rules.blank(desk, kind);
        const row = { ...before, ...values };
        settle(kind, row, before, values);
        rows[kind].push(row);
        if (!isSilent) rules.emit(desk, 'create', kind, row, before);
        return row;
      },
      change(kind, id, values) {
        const row = find(kind, id);
        const before = replace(kind, row, values, values);
        if (!isDeepStrictEqual(row, before)) rules.emit(desk, 'change', kind, row, before);
        return row;
      },
      remove(kind, id) {
        const row = move(kind, find(kind, id), rows, bin);
        rules.emit(desk, 'delete', kind, row, row);
      },
      restore(kind, id) {
        const row = move(
          kind,
          rowOf(bin[kind], id, () => rules.missing(kind)),
          bin,
          rows,
        );
        rules.emit(desk, 'restore', kind, row, row);
        return row;
      },
      merge(kind, winnerId, loserId, reference) {
        const winner = find(kind, winnerId);
        const loser = move(kind, find(kind, loserId), rows, bin);
        const members = Object.entries(loser).map(([name, value]) => [name, gained(winner[name], value)]);
        replace(kind, winner, Object.fromEntries(members), {});
        Object.assign(winner, rules.touched(desk, kind));
        const moved = (id: unknown) => (id === loser.id ? winner.id : id);
        for (const row of Object.values<R[]>(rows).flat()) {
          const value = row[reference];
          const ids = Array.isArray(value) ? [...new Set(value.map(moved))] : moved(value);
          if (reference in row) Object.assign(row, { [reference]: ids });
        }
        return winner;
      },
    };
  };
}

/** Controls of records. The first argument is the account's id. `shown` is how tests see a record. */
export const recordControls = <Kind extends string, R extends CrmRecord, S>(
  of: (account: string) => Records<Kind, R>,
  shown: (row: R, kind: Kind) => S,
) => ({
  /** Adds a record as a person does, with webhooks. */
  add: (account: string, kind: Kind, values: Row): S => shown(of(account).create(kind, values), kind),
  /** Adds records without webhooks. */
  addMany: (account: string, kind: Kind, list: Row[]): S[] =>
    list.map((values) => shown(of(account).create(kind, values, true), kind)),
  patch: (account: string, kind: Kind, id: string | number, values: Row): S =>
    shown(of(account).change(kind, id, values), kind),
  remove: (account: string, kind: Kind, id: string | number): void => of(account).remove(kind, id),
  /** Takes back a deletion. */
  restore: (account: string, kind: Kind, id: string | number): S =>
    shown(of(account).restore(kind, id), kind),
  record: (account: string, kind: Kind, id: string | number): S => shown(of(account).find(kind, id), kind),
});
