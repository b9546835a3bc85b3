/** What the fakes of CRMs share: limits, retries, controls of records, and comparison. */
import { isDeepStrictEqual } from 'node:util';
import type { DeliveryRules } from '../fakes/deliveries.ts';

/** A record as plain data. */
export type Row = Record<string, unknown>;

/** Counts requests in sliding windows. Counters do not survive a restart. */
export function createWindows(now: () => number) {
  const counted = new Map<string, number[]>();
  return {
    /** Counts a request. If the limit is reached, counts nothing and returns the wait in ms. */
    take(key: string, limit: number, windowMs: number): number | undefined {
      const from = now() - windowMs;
      const recent = (counted.get(key) ?? []).filter((at) => at > from);
      counted.set(key, recent);
      const [oldest = now()] = recent;
      if (recent.length >= limit) return Math.max(oldest - from, 1);
      recent.push(now());
      return undefined;
    },
    /** Requests in the window that has begun. */
    used: (key: string): number => counted.get(key)?.length ?? 0,
  };
}
export type Windows = ReturnType<typeof createWindows>;

/** Rules of a vendor that repeats an event after these delays, each from the attempt before. */
export const retriedAfter = (timeoutMs: number, delaysMs: readonly number[]) =>
  ({
    timeoutMs,
    keepMs: Number.POSITIVE_INFINITY,
    isDelivered: (status) => status >= 200 && status < 300,
    failed(_, { attempts }) {
      const retryInMs = delaysMs[attempts.length - 1];
      return retryInMs === undefined ? 'drop' : { retryInMs };
    },
  }) satisfies Partial<DeliveryRules>;

/** What a person can do with the records of an account. */
export interface Records<Kind extends string, R extends Row> {
  create(kind: Kind, values: Row, isSilent?: boolean): R;
  change(kind: Kind, id: string | number, values: Row): R;
  remove(kind: Kind, id: string | number): void;
  restore(kind: Kind, id: string | number): R;
  find(kind: Kind, id: string | number): R;
}

/** Controls of records. The first argument is the account's id. */
export const recordControls = <Kind extends string, R extends Row>(
  of: (account: string) => Records<Kind, R>,
) => ({
  /** Adds a record as a person does, with webhooks. */
  add: (account: string, kind: Kind, values: Row): R => of(account).create(kind, values),
  /** Adds records without webhooks. */
  addMany: (account: string, kind: Kind, list: Row[]): R[] =>
    list.map((values) => of(account).create(kind, values, true)),
  patch: (account: string, kind: Kind, id: string | number, values: Row): R =>
    of(account).change(kind, id, values),
  remove: (account: string, kind: Kind, id: string | number): void => of(account).remove(kind, id),
  /** Takes back a deletion. */
  restore: (account: string, kind: Kind, id: string | number): R => of(account).restore(kind, id),
  record: (account: string, kind: Kind, id: string | number): R => of(account).find(kind, id),
});

/** Members that differ, with their values before. */
export const differences = (before: Row, after: Row): Row =>
  Object.fromEntries(
    Object.entries(before).filter(([name, value]) => !isDeepStrictEqual(value, after[name])),
  );

export const encodeCursor = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** Undefined if the text is not a cursor. */
export function decodeCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Order of two values of a member: numbers by size, others as text. Missing values come first. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [a, b] = [String(one ?? ''), String(other ?? '')];
  return a < b ? -1 : a > b ? 1 : 0;
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
