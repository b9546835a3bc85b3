// The type of tools, and constructors for the common kinds.
import type { Scope } from '../../shared/platform/access/scopes.ts';
import type { OperationName } from './endpoints.ts';
import { listPages } from './lists.ts';
import type { RunOperation } from './operations.ts';
import { isObject } from './protocol.ts';

export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  title: string;
  /** Any one of these scopes shows the tool. */
  scopes: readonly Scope[];
  /** The scopes of a call, if they depend on its arguments. Any one of them is sufficient. */
  scopesOf?(given: Arguments): readonly Scope[] | undefined;
  /** Whether its arguments are parameters or the members of a body, which the operation checks. */
  sends: 'query' | 'body';
  reads: boolean;
  /** Whether repeating a call has no further effect. */
  idempotent: boolean;
  /** The operations whose schemas it uses. Several if an argument chooses one of them. */
  operations: readonly (OperationName | 'createPayout')[];
  run(given: Arguments, run: RunOperation): Promise<object>;
}

export const reading = { sends: 'query', reads: true, idempotent: true } as const;
export const writing = { sends: 'body', reads: false } as const;

/** A tool for a list operation, with the same parameters. */
export const pagesOf = (operation: OperationName, title: string, scopes: readonly Scope[]): Tool => ({
  title,
  scopes,
  ...reading,
  operations: [operation],
  run: (given, run) => listPages(run, { operation, given }),
});

/** A tool that sends its arguments as the body of an operation. It returns the record, with a summary. */
export const writeBy = (
  operation: OperationName,
  title: string,
  scopes: readonly Scope[],
  { idempotent }: Pick<Tool, 'idempotent'>,
): Tool => ({
  title,
  scopes,
  ...writing,
  idempotent,
  operations: [operation],
  async run({ idempotency_key: key, ...json }, run) {
    return writtenIn(await run(operation, { json, ...(typeof key === 'string' && { key }) }));
  },
});

type Body = Readonly<Record<string, unknown>>;

/** The record of a response. */
export const recordIn = ({ data }: Body): Record<string, unknown> => (isObject(data) ? { ...data } : {});

/** The record and the summary in the response to a write of the admin API. */
export const writtenIn = (body: Body): Record<string, unknown> => ({
  ...recordIn(body),
  summary: isObject(body.meta) ? body.meta.summary : undefined,
});

/** The entry that `kind` names; undefined if there is none. */
export function chosen<T>(kinds: Readonly<Record<string, T>>, { kind }: Arguments): T | undefined {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}
