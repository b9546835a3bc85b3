// Builds the item of a line from its cells.
import { DEFAULT_CURRENCY } from '../../../../../shared/records/deals/schema.ts';
import type { Columns, UsedColumn } from './columns.ts';
import type { Cell } from './files/table.ts';
import type { Fault, Item, Kind } from './kind.ts';
import { convert } from './values/convert.ts';
import type { Notations } from './values/notation.ts';
import { currencyOf } from './values/number-text.ts';

export interface Built {
  item: Item;
  /** Faults of cells that cannot be converted. */
  faults: Fault[];
}

/** Returns the function for the lines of one file. */
export function createItems(
  columns: Columns,
  notations: Notations,
  note: (text: string) => void,
): (cells: readonly Cell[]) => Built {
  const { kind, used } = columns;
  let hasPadded = false;
  return (cells) => {
    const built: Built = { item: {}, faults: unsentCurrency(cells, columns) };
    const parts: Record<string, Item> = {};
    for (const { index, member, type } of columnsOf(cells, used, kind)) {
      const converted = convert(type, cells[index] ?? '', notations.of(index));
      if ('fault' in converted) {
        built.faults.push({ field: member, message: converted.fault });
        continue;
      }
      const { value, currency, padded } = converted;
      put(parts, built.item, member, typeof value === 'string' ? kind.wordOf(member, value) : value);
      if (currency !== undefined) built.faults.push(...currencyFaults(kind, member, built.item, currency));
      if (padded && !hasPadded) {
        hasPadded = true;
        note(`Codes without their zeros are padded: ${padded}.`);
      }
    }
    for (const [object, given] of Object.entries(parts)) {
      const whole = built.item[object];
      built.item[object] = { ...(typeof whole === 'object' ? whole : {}), ...given };
    }
    return built;
  };
}

/** Empty cells are sent only for required members. The currency comes before the amounts. */
const columnsOf = (cells: readonly Cell[], used: readonly UsedColumn[], kind: Kind): UsedColumn[] =>
  used
    .filter(({ index, member }) => (cells[index] ?? '') !== '' || kind.required.includes(member))
    .sort((a, b) => Number(b.member === kind.currency) - Number(a.member === kind.currency));

/** The sign next to an amount sets the currency, unless a column has it. Without a member for it, deals are in the default currency. */
function currencyFaults(
  { name, currency: member }: Kind,
  field: string,
  item: Item,
  currency: string,
): Fault[] {
  if (member !== undefined) item[member] ??= currency;
  const expected = member === undefined ? DEFAULT_CURRENCY : item[member];
  if (expected === currency || (member === undefined && name !== 'deals')) return [];
  if (member === undefined) return [currencyDropped(field, currency)];
  return [{ field, message: `is in ${currency}, but the currency is ${expected}` }];
}

const currencyDropped = (field: string, currency: string): Fault => ({
  field,
  message: `is in ${currency}, but would become ${DEFAULT_CURRENCY}. Use --variant c, whose names include the currency`,
});

/** A fault if a column that is not sent has another currency than the default one. */
function unsentCurrency(cells: readonly Cell[], { unsentCurrency: index, used }: Columns): Fault[] {
  const cell = index === undefined ? undefined : cells[index];
  const currency = typeof cell === 'string' ? currencyOf(cell.trim().toUpperCase()) : undefined;
  if (!currency || currency === DEFAULT_CURRENCY) return [];
  return [currencyDropped(used.some(({ member }) => member === 'value') ? 'value' : '', currency)];
}

function put(parts: Record<string, Item>, item: Item, member: string, value: unknown): void {
  const [object = '', ...rest] = member.split('.');
  if (rest.length === 0) item[member] = value;
  else parts[object] = { ...parts[object], [rest.join('.')]: value };
}
