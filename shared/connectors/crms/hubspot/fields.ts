// Values of mapped properties, to and from the texts that HubSpot stores.
import { z } from 'zod';
import type { ConnectOptions, CustomValue, CustomValues, WritableKind } from '../crm.ts';
import { CrmRejected } from '../errors.ts';
import type { HubSpotClient } from './client.ts';
import { type Row, toIso } from './rows.ts';

const fieldSchema = z.object({
  name: z.string(),
  /** `string`, `number`, `date`, `datetime`, `enumeration`, `bool` and others that are read as text. */
  type: z.string().nullish(),
  /** `checkbox` allows several options. */
  fieldType: z.string().nullish(),
  options: z.array(z.object({ label: z.string(), value: z.string() })).nullish(),
});
type Field = z.infer<typeof fieldSchema>;
const fieldsSchema = z.object({ results: z.array(fieldSchema) });

/** Between the options of a value. */
const SEPARATOR = ';';

export interface Fields {
  valuesOf(row: Row): CustomValues;
  /** Throws `CrmRejected` for a value that its property cannot have. */
  propertiesOf(values: CustomValues): Record<string, string>;
}

/** Reads the definitions of the mapped properties of a connection when they are first needed. */
export function createFields(
  client: HubSpotClient,
  customKeys: ConnectOptions['customKeys'],
): (kind: WritableKind) => Promise<Fields> {
  const loaded: Partial<Record<WritableKind, Fields>> = {};
  return async (kind) => {
    const keys = customKeys[kind];
    const path = client.paths.properties(kind === 'lead' ? 'contacts' : 'deals');
    loaded[kind] ??= fieldsOf(keys, keys.length ? (await client.get(fieldsSchema, path)).results : []);
    return loaded[kind];
  };
}

function fieldsOf(keys: readonly string[], definitions: Field[]): Fields {
  const byName = new Map(definitions.map((field) => [field.name, field]));
  return {
    valuesOf: (row) =>
      Object.fromEntries(keys.map((key) => [key, readText(byName.get(key), row.property(key))])),
    propertiesOf: (values) =>
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => [
          key,
          value === null ? '' : writeText(byName.get(key) ?? { name: key }, value),
        ]),
      ),
  };
}

function readText(field: Field | undefined, text: string | null): CustomValue {
  if (text === null || !field) return text;
  if (hasOptions(field)) {
    const labels = isList(field) ? text.split(SEPARATOR).filter(Boolean) : [text];
    const values = labels.map(
      (value) => field.options?.find((option) => option.value === value)?.label ?? value,
    );
    return isList(field) ? values : (values[0] ?? null);
  }
  if (field.type === 'bool') return text === 'true';
  if (field.type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (field.type === 'date') return toIso(text)?.slice(0, 10) ?? text;
  if (field.type === 'datetime') return toIso(text) ?? text;
  return text;
}

function writeText(field: Field, value: Exclude<CustomValue, null>): string {
  if (hasOptions(field)) {
    const labels = (Array.isArray(value) ? value : [value]).map(String);
    if (labels.length > 1 && !isList(field))
      throw new CrmRejected(`HubSpot: ${field.name} has one option only.`);
    return labels.map((label) => optionOf(field, label)).join(SEPARATOR);
  }
  if (field.type === 'number' && !Number.isFinite(Number(value)))
    throw new CrmRejected(`HubSpot: ${field.name} must be a number.`);
  return Array.isArray(value) ? value.join(SEPARATOR) : String(value);
}

function optionOf(field: Field, label: string): string {
  const option = field.options?.find((known) => known.label === label);
  if (!option) throw new CrmRejected(`HubSpot: ${field.name} has no such option.`);
  return option.value;
}

/** Options of some properties, such as owners, are kept elsewhere; their values stay as they are. */
const hasOptions = ({ type, options }: Field): boolean => type === 'enumeration' && !!options?.length;

const isList = ({ fieldType }: Field): boolean => fieldType === 'checkbox';
