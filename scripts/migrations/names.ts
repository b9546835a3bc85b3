// Names of objects, as the rules compare them: with their schema, and functions with the types of their arguments.
import type { Node, RangeVar, TypeName } from 'libpg-query';

/** `schema.name` of a table, view or index. */
export const relationName = ({ schemaname = 'public', relname = '' }: RangeVar): string =>
  `${schemaname}.${relname}`;

export const stringsOf = (nodes: readonly Node[] = []): string[] =>
  nodes.flatMap((node) => ('String' in node ? [node.String.sval ?? ''] : []));

/** Name parts with the default schema if there is none; `parts` counts those without a schema. */
export const qualified = (names: readonly string[], parts = 1): string =>
  (names.length === parts ? ['public', ...names] : names).join('.');

/** The name of a type without its schema: `int4`, `text[]`. */
export const typeName = ({ names, arrayBounds }: TypeName): string =>
  `${stringsOf(names).at(-1) ?? ''}${arrayBounds ? '[]' : ''}`;

/** Visits a node and everything in it. */
export function walk(value: unknown, visit: (name: string, content: unknown) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, content] of Object.entries(value)) {
    visit(name, content);
    walk(content, visit);
  }
}
