// Describes parameters and body members as the fields that the n8n nodes show.
import { type Document, type Parameter, type Schema, schemaOf } from './openapi.ts';

/** See `Field` in clients/n8n/shared/operation.ts. */
export interface Field {
  name: string;
  type: 'string' | 'number' | 'boolean' | 'options' | 'multiOptions' | 'strings' | 'object' | 'array';
  required?: true;
  description?: string;
  values?: string[];
}

const listed = (names: string[]) => names.map((name) => `\`${name}\``).join(', ');

/** Names the members of objects, which are entered as JSON. */
function membersText(document: Document, schema: Schema, subject: string): string {
  const { properties = {}, required = [] } = schemaOf(document, schema);
  const names = Object.keys(properties);
  if (names.length === 0) return '';
  const optional = names.filter((name) => !required.includes(name));
  const parts = [
    required.length > 0 && `required ${listed(required)}`,
    optional.length > 0 && `optional ${listed(optional)}`,
  ];
  return `${subject}: ${parts.filter(Boolean).join('; ')}.`;
}

const valuesOf = ({ enum: values = [] }: Schema) => values.filter((value) => value !== null);

function typed(document: Document, schema: Schema): Pick<Field, 'type' | 'values'> & { members?: string } {
  const types = [schema.type ?? 'object'].flat();
  const values = valuesOf(schema);
  if (types.includes('array')) {
    const items = schemaOf(document, schema.items ?? {});
    if (items.enum) return { type: 'multiOptions', values: valuesOf(items) };
    if (items.type === 'string') return { type: 'strings' };
    return { type: 'array', members: membersText(document, items, 'Members of an item') };
  }
  if (types.includes('boolean')) return { type: 'boolean' };
  if (types.includes('number') || types.includes('integer')) return { type: 'number' };
  if (types.includes('string')) return schema.enum ? { type: 'options', values } : { type: 'string' };
  return { type: 'object', members: membersText(document, schema, 'Members') };
}

export function fieldOf(document: Document, name: string, schema: Schema, isRequired: boolean): Field {
  const { members, ...type } = typed(document, schema);
  const description = [schema.description, members].filter(Boolean).join(' ');
  return { name, ...type, ...(isRequired && { required: true }), ...(description && { description }) };
}

/** Only parameters of the path are required: n8n does not allow required fields in the collections that have the others. */
export function parameterField(
  document: Document,
  { name, in: place, schema, description }: Parameter,
): Field {
  return fieldOf(document, name, { ...schema, ...(description && { description }) }, place === 'path');
}
