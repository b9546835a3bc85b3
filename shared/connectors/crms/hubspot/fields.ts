// Values of mapped properties, to and from the texts that HubSpot stores.
import { z } from 'zod';
import type { ConnectOptions, CustomValue } from '../crm.ts';
import { type CustomFields, createCustomFields } from '../custom-fields.ts';
import { CrmRejected } from '../errors.ts';
import { listOf } from '../wire.ts';
import type { HubSpotClient } from './client.ts';
import { toIso } from './rows.ts';

const fieldSchema = z
  .object({
    name: z.string(),
    /** `string`, `number`, `date`, `datetime`, `enumeration`, `bool` and others that are read as text. */
    type: z.string().nullish(),
    /** `checkbox` allows several options. */
    fieldType: z.string().nullish(),
    /** Options of some properties, such as owners, are kept elsewhere; their values stay as they are. */
    options: listOf(z.object({ label: z.string(), value: z.string() })),
  })
  .transform(({ name, type, fieldType, options }) => ({
    ...{ key: name, name, type, options: type === 'enumeration' ? options : [] },
    isList: type === 'enumeration' && fieldType === 'checkbox' && options.length > 0,
  }));
type Field = z.output<typeof fieldSchema>;
const fieldsSchema = z.object({ results: z.array(fieldSchema) });

/** Between the options of a value. */
const SEPARATOR = ';';

export type Fields = CustomFields<Field>;

export const createFields = (client: HubSpotClient, customKeys: ConnectOptions['customKeys']) =>
  createCustomFields<Field>({
    customKeys,
    read: async (kind) => (await client.find(fieldsSchema, client.paths.properties[kind]))?.results ?? [],
    toValue,
    /** An empty text clears a property. */
    fromValue(value, field) {
      if (field?.type === 'number' && !Number.isFinite(Number(value)))
        throw new CrmRejected(`The field "${field.name}" must be a number.`);
      return Array.isArray(value) ? value.join(SEPARATOR) : String(value ?? '');
    },
  });

function toValue(raw: unknown, field: Field | undefined): CustomValue {
  const text = typeof raw === 'string' ? raw.trim() || null : null;
  if (text === null || !field) return text;
  if (field.isList) return text.split(SEPARATOR).filter(Boolean);
  if (field.type === 'bool') return text === 'true';
  if (field.type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (field.type === 'date') return toIso(text)?.slice(0, 10) ?? text;
  if (field.type === 'datetime') return toIso(text) ?? text;
  return text;
}
