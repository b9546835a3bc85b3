// Values of mapped custom fields, which RD keeps by slug.
import type { ConnectOptions, CustomValue } from '../crm.ts';
import { createCustomFields } from '../custom-fields.ts';
import { CrmRejected } from '../errors.ts';
import type { RdClient } from './client.ts';
import { DATE, ENTITY, NUMBERS } from './facts.ts';
import { type CustomField, customFieldSchema } from './schemas.ts';

export const createFields = (client: RdClient, customKeys: ConnectOptions['customKeys']) =>
  createCustomFields<CustomField>({
    customKeys,
    read: (kind) => client.readAll(customFieldSchema, '/custom_fields', { filter: `entity:${ENTITY[kind]}` }),
    toValue,
    fromValue(value, field, key) {
      if (!field) throw new CrmRejected(`The field "${key}" does not exist.`);
      return value;
    },
  });

function toValue(raw: unknown, field: CustomField | undefined): CustomValue {
  if (Array.isArray(raw)) return raw.map(String);
  if (typeof raw === 'number' || typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' ? raw.trim() : '';
  if (text === '') return null;
  // The older API had the Brazilian format.
  if (field?.type === DATE) return text.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, '$3-$2-$1');
  if (field?.isList)
    return field.options.some(({ label }) => label === text)
      ? [text]
      : text.split(',').map((label) => label.trim());
  return field && NUMBERS.includes(field.type) && Number.isFinite(Number(text)) ? Number(text) : text;
}
