// SQL statements as tagged templates. postgres.js is used only to write, compose and type them; `connection.ts` sends them with `pg`.
// docs/adr/0016-one-message-a-transaction.md explains why there are two libraries.

import { Buffer } from 'node:buffer';
import postgres from 'postgres';
import type { z } from 'zod';

declare const TEMPLATE: unique symbol;
declare const ROWS: unique symbol;

/** A part of a statement, or a statement whose rows are not read. */
export interface Fragment {
  readonly [TEMPLATE]: true;
}
/** A statement and the type of its rows. */
export interface Statement<R extends object = Record<string, unknown>> extends Fragment {
  readonly [ROWS]: R[];
}
/** A quoted name, or several with commas between them. */
interface Names {
  readonly [TEMPLATE]: 'names';
}
/** Values that a template accepts. Pass JSON as text. A function is called when the statement is sent. */
type Value =
  | (() => Value)
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | Fragment
  | Names
  | readonly Value[];

export interface Sql {
  <R extends object = Record<string, unknown>>(
    text: TemplateStringsArray,
    ...values: readonly Value[]
  ): Statement<R>;
  (names: string | readonly string[]): Names;
}

/** The statements of one transaction in execution order: one statement, a list, or an object with named statements. */
export type Work = Fragment | readonly Fragment[] | NamedWork;
interface NamedWork {
  readonly [name: string]: Work;
}

/** The rows of the work's statements, in the shape of the work: those of a named statement are under its name. */
export type RowsOf<W> =
  W extends Statement<infer R>
    ? R[]
    : W extends Fragment
      ? unknown[]
      : { -readonly [Name in keyof W]: RowsOf<W[Name]> };

/** The internals of a postgres.js template. `origin` is the stack of the place where it was created. */
interface Template {
  strings: readonly string[];
  args: readonly unknown[];
  origin?: string;
}

export interface CompiledStatement {
  text: string;
  /** Parameters as the protocol sends them: text or bytes. */
  values: (string | Buffer | null)[];
  origin: string;
}

/** Creates templates. The host does not exist, so that awaiting a template by mistake fails. */
const templates = postgres('postgres://templates-are-not-awaited.invalid', { max: 1 });
// Narrower than the library's own type.
export const sql = templates as unknown as Sql;

// postgres.js does not export its classes.
const Query = templates``.constructor;
const Identifier = templates('a').constructor;
const Helper = templates(['a']).constructor;
const isTemplate = (value: unknown): value is Template & Fragment => value instanceof Query;
/** `sql('name')`, whose value is already quoted. */
const isIdentifier = (value: unknown): value is { value: string } => value instanceof Identifier;
/** `sql(['name', ...])`. */
const isNames = (value: unknown): value is { first: string[] } => value instanceof Helper;

/** Compiles the statements of the work, in the order in which they are sent. */
export const compileAll = (work: Work): CompiledStatement[] => statementsOf(work).map(compile);

function statementsOf(work: unknown): Template[] {
  return isTemplate(work) ? [work] : Object.values(work as object).flatMap(statementsOf);
}

/** Returns rows in the shape of the work; `rows` has those of each statement in the order of `compileAll`. */
export function shapeRows<W extends Work>(work: W, rows: readonly unknown[][]): RowsOf<W> {
  let next = 0;
  const shape = (part: unknown): unknown => {
    if (isTemplate(part)) return rows[next++];
    if (Array.isArray(part)) return part.map((one) => shape(one));
    return Object.fromEntries(Object.entries(part as object).map(([name, inner]) => [name, shape(inner)]));
  };
  // `shape` visits the statements in the same order as `statementsOf`, which the compiler cannot infer.
  return shape(work) as RowsOf<W>;
}

/** Replaces the values of a statement by `$1`, `$2` ... */
function compile(statement: Template): CompiledStatement {
  const values: CompiledStatement['values'] = [];
  const textOf = ({ strings, args }: Template): string => {
    let text = strings[0] ?? '';
    for (let i = 0; i < args.length; i++) text += partOf(args[i]) + strings[i + 1];
    return text;
  };
  const partOf = (arg: unknown): string => {
    if (isTemplate(arg)) return textOf(arg);
    if (isIdentifier(arg)) return arg.value;
    if (isNames(arg)) return arg.first.map((name) => partOf(sql(name))).join();
    if (typeof arg === 'function') return partOf(arg());
    return `$${values.push(encode(arg))}`;
  };
  return { text: textOf(statement), values, origin: statement.origin ?? '' };
}

/** Encodes a value as text, which Postgres parses by the type of the parameter. */
function encode(value: unknown): string | Buffer | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return `{${value.map(encodeElement).join()}}`;
  throw new TypeError(`Unsupported value of type ${typeof value} in a statement. Pass JSON as text.`);
}

function encodeElement(value: unknown): string {
  const text = encode(value);
  if (Array.isArray(value)) return String(text);
  return text === null ? 'null' : `"${String(text).replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Column names of a table, equal to the members of a schema. */
export type JsonColumns = readonly string[];

export const columnsOf = (schema: z.ZodObject, ...except: string[]): JsonColumns =>
  Object.keys(schema.shape).filter((name) => !except.includes(name));

/**
 * The column names, separated by commas. This is a separate fragment because postgres.js formats a list by the preceding keyword, for
 * example as assignments after `update`.
 */
export const columnList = (sql: Sql, columns: JsonColumns): Fragment => sql`${sql(columns)}`;

/** The same columns of the row `r` that the statement reads from the JSON parameter. */
export const columnsFromJson = (sql: Sql, columns: JsonColumns): Fragment =>
  columnList(
    sql,
    columns.map((name) => `r.${name}`),
  );
