/** What the fakes of CRMs share: limits, retries, controls of records, and comparison. */
import { isDeepStrictEqual } from 'node:util';
import type { DeliveryRules } from '../fakes/deliveries.ts';
import { partsOf } from '../fakes/fake.ts';

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

export interface RecordRules<Kind extends string, R extends Row & { id: string | number }> {
  rows: Record<Kind, R[]>;
  missing(kind: Kind): Error;
  /** A new record with its id, times and defaults. */
  blank(kind: Kind): R;
  /** Applies a change in place. `before` is the record before it, or what a new record is compared with. Throws a refusal. */
  apply(kind: Kind, row: R, before: Row, values: Row): void;
  emit(action: 'create' | 'change', kind: Kind, before: Row | null, after: R): void;
}

/** Creates and changes records. A change without a difference emits nothing. */
export const createRecords = <Kind extends string, R extends Row & { id: string | number }>({
  rows,
  missing,
  blank,
  apply,
  emit,
}: RecordRules<Kind, R>): Pick<Records<Kind, R>, 'create' | 'change' | 'find'> => {
  const find = (kind: Kind, id: string | number): R => rowOf(rows[kind], id, () => missing(kind));
  return {
    find,
    create(kind, values, isSilent = false) {
      const row = blank(kind);
      apply(kind, row, { ...row, stage_id: null }, values);
      rows[kind].push(row);
      if (!isSilent) emit('create', kind, null, row);
      return row;
    },
    change(kind, id, values) {
      const row = find(kind, id);
      const before = structuredClone(row);
      apply(kind, row, before, values);
      if (Object.keys(differences(row, before)).length > 0) emit('change', kind, before, row);
      return row;
    },
  };
};

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

/** Controls of an account: its data and options. */
export const accountControls = <A extends { options: object }>(of: (account: string) => { account: A }) => ({
  /** The data of an account, or only these members of it. */
  account: (id: string, ...parts: (keyof A)[]): A => partsOf(of(id).account, parts),
  setOptions: (id: string, options: Partial<A['options']>): void =>
    void Object.assign(of(id).account.options, options),
});

/** Webhooks that are registered by API. */
interface Registered {
  webhooks: { id: string | number }[];
}

/** Finds and removes webhooks of all accounts. */
export function registeredIn<W extends { id: string | number }>(accounts: Record<string, { webhooks: W[] }>) {
  const all = () => Object.values(accounts);
  return {
    find: (id: string): W | undefined =>
      all()
        .flatMap(({ webhooks }) => webhooks)
        .find((one) => String(one.id) === id),
    remove(webhook: W): void {
      for (const account of all()) account.webhooks = account.webhooks.filter((one) => one !== webhook);
    },
  };
}

/** Controls of webhooks that are registered by API. */
export const webhookControls = <A extends Registered>(of: (account: string) => { account: A }) => ({
  webhooks: (id: string): A['webhooks'] => of(id).account.webhooks,
  /** Removes registered webhooks, all by default, without notice. */
  dropWebhooks(id: string, webhook?: string | number): void {
    const { account } = of(id);
    account.webhooks = account.webhooks.filter((one) => webhook !== undefined && one.id !== webhook);
  },
});

export interface CompanyOrder {
  users?: { name: string; email: string }[];
  /** Default: one pipeline with five stages. */
  pipelines?: { name: string; stages: string[] }[];
}

/** The people and pipelines of an account that is created without. */
export const COMPANY: Required<CompanyOrder> = {
  users: [{ name: 'Administração Geral', email: 'admin@crm.example' }],
  pipelines: [
    {
      name: 'Funil de vendas',
      stages: ['Prospecção', 'Qualificação', 'Proposta enviada', 'Negociação', 'Contrato enviado'],
    },
  ],
};

/** The stage after a change: the one that is named, or the first one of a pipeline that only was named. */
export const stageAfter = <R extends Row>(stages: readonly R[], row: Row, change: Row): R | undefined =>
  'pipeline_id' in change && !('stage_id' in change)
    ? stages.find(({ pipeline_id: pipeline }) => pipeline === row.pipeline_id)
    : stages.find(({ id }) => id === row.stage_id);

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
