// How the fields of the API are named and shown in n8n.
import type { INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import { fields } from '../generated/operations.ts';
import type { Field } from './operation.ts';

export function fieldsOf(keys: readonly string[] = []): Field[] {
  return keys.flatMap((key) => fields[key] ?? []);
}

/** n8n addresses parameters by paths, so their names must not contain dots or brackets: `created[gte]` is `created_gte`. */
export const parameterName = ({ name }: Pick<Field, 'name'>): string =>
  name.replace(/\W+/g, '_').replace(/_$/, '');

const upperCase = new Set(['id', 'url', 'api', 'ip', 'mfa']);

/** `owner_id` is shown as `Owner ID`. */
export function displayName(name: string): string {
  const words = name.split(/[\W_]+/).filter(Boolean);
  return words
    .map((word) => (upperCase.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');
}

type Shown = Pick<INodeProperties, 'type' | 'typeOptions' | 'options'> & { default: NodeParameterValueType };

/** A leading `-` sorts in descending order. */
const optionName = (value: string) =>
  (displayName(value) || value) + (value.startsWith('-') ? ' (Descending)' : '');

function shown({ type, values = [] }: Field): Shown {
  const options = values.map((value) => ({ name: optionName(value), value }));
  switch (type) {
    case 'number':
      return { type, default: 0 };
    case 'boolean':
      return { type, default: false };
    case 'options':
      return { type, options, default: values[0] ?? '' };
    case 'multiOptions':
      return { type, options, default: [] };
    case 'strings':
      return { type: 'string', typeOptions: { multipleValues: true }, default: [] };
    case 'object':
      return { type: 'json', default: '{}' };
    case 'array':
      return { type: 'json', default: '[]' };
    default:
      return { type: 'string', default: '' };
  }
}

/** The parameter in which users enter a field. */
export function propertyOf(field: Field): INodeProperties {
  return {
    displayName: displayName(field.name),
    name: parameterName(field),
    ...shown(field),
    ...(field.required && { required: true }),
    ...(field.description && { description: field.description }),
  };
}
