// Reads what users entered for the fields of the API.
import { type IDataObject, NodeOperationError } from 'n8n-workflow';
import { parameterName } from './fields.ts';
import type { Field } from './operation.ts';
import type { Functions } from './request.ts';

/** @throws NodeOperationError if it is text that should be JSON, but is not */
export function readValue(
  functions: Functions,
  { name, type }: Pick<Field, 'name' | 'type'>,
  value: unknown,
  itemIndex?: number,
): unknown {
  // An expression returns objects and arrays as they are.
  if ((type !== 'object' && type !== 'array') || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    const { message: description } = error as Error;
    throw new NodeOperationError(functions.getNode(), `${name} is not valid JSON`, {
      itemIndex,
      description,
    });
  }
}

/** Values of the fields that were added to a collection, by their names in the API. */
export function readCollection(
  functions: Functions,
  fields: readonly Field[],
  given: IDataObject,
  itemIndex?: number,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[parameterName(field)];
    if (value !== undefined) values[field.name] = readValue(functions, field, value, itemIndex);
  }
  return values;
}
