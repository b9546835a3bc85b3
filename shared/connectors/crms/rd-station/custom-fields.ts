// Values of mapped custom fields, which RD keeps by slug.
import type { CustomValue, CustomValues, WritableKind } from '../crm.ts';
import { CrmRejected } from '../errors.ts';
import type { Data, RdClient } from './client.ts';
import { DATE, ENTITY, NUMBERS, ONE_OPTION, SEVERAL_OPTIONS } from './facts.ts';
import { type CustomField, customFieldSchema } from './schemas.ts';

export function createCustomFields(
  client: RdClient,
  keys: Readonly<Record<WritableKind, readonly string[]>>,
) {
  const known = new Map<WritableKind, readonly CustomField[]>();
  /** Returns how to find the definition of a key. */
  async function definitions(kind: WritableKind) {
    const query = { filter: `entity:${ENTITY[kind]}`, 'sort[slug]': 'asc' };
    const fields = known.get(kind) ?? (await client.readAll(customFieldSchema, '/custom_fields', query));
    known.set(kind, fields);
    return (key: string) => fields.find(({ slug }) => slug === key);
  }
  return {
    async read(kind: WritableKind, raw: Data): Promise<CustomValues> {
      if (keys[kind].length === 0) return {};
      const fieldOf = await definitions(kind);
      return Object.fromEntries(keys[kind].map((key) => [key, toValue(raw[key], fieldOf(key))]));
    },
    /** Throws `CrmRejected` for unknown fields and options. */
    async write(kind: WritableKind, values: CustomValues): Promise<Data> {
      const entries = Object.entries(values);
      if (entries.length === 0) return {};
      const fieldOf = await definitions(kind);
      return Object.fromEntries(entries.map(([key, value]) => [key, fromValue(key, value, fieldOf(key))]));
    },
  };
}

function toValue(raw: unknown, field: CustomField | undefined): CustomValue {
  if (Array.isArray(raw)) return raw.map(String);
  if (typeof raw === 'number' || typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' ? raw.trim() : '';
  if (text === '') return null;
  // The older API had the Brazilian format.
  if (field?.type === DATE) return text.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, '$3-$2-$1');
  if (field?.type === SEVERAL_OPTIONS)
    return field.options.includes(text) ? [text] : text.split(',').map((label) => label.trim());
  return field && NUMBERS.includes(field.type) && Number.isFinite(Number(text)) ? Number(text) : text;
}

function fromValue(key: string, value: CustomValue, field: CustomField | undefined): unknown {
  if (!field) throw new CrmRejected(`Custom field "${key}" does not exist in RD Station CRM.`);
  if (value === null || (field.type !== ONE_OPTION && field.type !== SEVERAL_OPTIONS)) return value;
  const labels = Array.isArray(value) ? value : [String(value)];
  const unknown = labels.find((label) => !field.options.includes(label));
  if (unknown !== undefined && !field.allow_new_option)
    throw new CrmRejected(`Custom field "${key}" has no option "${unknown}" in RD Station CRM.`);
  return field.type === SEVERAL_OPTIONS ? labels : value;
}
