// Describes the side effects of a function in words.
import type { Effects, Operation } from './effects.ts';
import { code, codes, shortName } from './markdown.ts';

const OPERATIONS: Operation[] = ['inserts', 'updates', 'deletes'];
const PREPOSITIONS: Record<Operation, string> = {
  inserts: 'inserts into',
  updates: 'updates',
  deletes: 'deletes from',
};

/** For example "inserts into `jobs`; updates `players` (by `private.add_points`)". Empty without side effects. */
export function describeEffects(effects: Effects | undefined): string {
  if (!effects) return '';
  const { writes, sets, settings, dynamic, changesTables, raises } = effects;
  const parts = OPERATIONS.flatMap((operation) => {
    const tables = writes.filter((write) => write.operation === operation).map(describeTable);
    if (dynamic.includes(operation)) tables.push('a table named at run time');
    return tables.length > 0 ? [`${PREPOSITIONS[operation]} ${tables.join(', ')}`] : [];
  });
  if (sets.length > 0) parts.unshift(`sets ${codes(sets)} of the row`);
  if (settings.length > 0) parts.push(`sets ${codes(settings)} for the transaction`);
  if (changesTables) parts.push('creates or drops tables');
  if (raises) parts.push(parts.length > 0 ? 'may raise' : 'raises');
  return parts.join('; ');
}

function describeTable({ table, via }: { table: string; via: string | null }): string {
  return via === null ? code(shortName(table)) : `${code(shortName(table))} (by ${code(via)})`;
}
