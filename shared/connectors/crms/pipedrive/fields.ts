// Custom fields: labels for options, numbers for amounts, and back.
import type { ConnectOptions, CustomValue, CustomValues } from '../crm.ts';
import { type CustomFields, createCustomFields } from '../custom-fields.ts';
import type { PipedriveClient } from './client.ts';
import { paths } from './facts.ts';
import { type Field, fieldSchema } from './wire.ts';

export type Fields = CustomFields<Field>;

const NUMBERS = ['double', 'int', 'monetary'];
const RANGES = ['daterange', 'timerange'];
const WITH_DETAILS = ['address', 'time'];

export const createFields = (client: PipedriveClient, customKeys: ConnectOptions['customKeys']) =>
  createCustomFields<Field>({
    customKeys,
    read: (kind) => client.listAll(fieldSchema, paths.fields[kind]),
    ...{ toValue, fromValue },
  });

export const isMoney = (fields: Fields, key: string): boolean => fields.field(key)?.type === 'monetary';

/** `custom_fields` of a request. An amount keeps the currency that it has in `before`, else has `currency`. */
export function rawFields(
  fields: Fields,
  custom: CustomValues,
  before: Readonly<Record<string, unknown>> = {},
  currency?: string | null,
): Record<string, unknown> {
  const raws = { ...fields.fromValues(custom) };
  for (const [key, value] of Object.entries(raws)) {
    if (value === null || !isMoney(fields, key)) continue;
    const code = membersOf(before[key]).currency ?? currency;
    raws[key] = { value, ...(code != null && { currency: code }) };
  }
  return raws;
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function toValue(raw: unknown, field: Field | undefined): CustomValue {
  if (Array.isArray(raw)) return raw.map((each) => String(toValue(each, field)));
  if (typeof raw === 'object' && raw !== null) {
    const { value, until, label } = membersOf(raw);
    return until == null ? toValue(label ?? value ?? null, field) : `${value}/${until}`;
  }
  if (typeof raw === 'boolean' || typeof raw === 'number') return raw;
  const text = typeof raw === 'string' ? raw.trim() || null : null;
  return text !== null && NUMBERS.includes(field?.type ?? '') ? Number(text) : text;
}

function fromValue(value: CustomValue | number[], field: Field | undefined): unknown {
  if (value === null || !field) return value;
  // Pipedrive clears a list of options with null, and rejects an empty list.
  if (Array.isArray(value)) return field.isList ? (value.length ? value : null) : value.join(', ');
  if (NUMBERS.includes(field.type)) return Number(value);
  const [start, until] = String(value).split('/');
  if (RANGES.includes(field.type)) return { value: start, until };
  return WITH_DETAILS.includes(field.type) ? { value } : value;
}
