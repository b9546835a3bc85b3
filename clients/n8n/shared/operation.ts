// What the nodes know about an operation of the API. `generated/operations.ts` has one for each operation.
import { operations } from '../generated/operations.ts';

export interface Field {
  /** As in the API. */
  name: string;
  /** `strings` is a list of texts. Objects and arrays are entered as JSON. */
  type: 'string' | 'number' | 'boolean' | 'options' | 'multiOptions' | 'strings' | 'object' | 'array';
  required?: true;
  description?: string;
  values?: string[];
}

export interface Operation {
  /** Unique within its resource. */
  id: string;
  resource: string;
  name: string;
  description?: string;
  credential: 'oauth2' | 'apiKey';
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/functions/v1`, with the names of its parameters in braces. */
  path: string;
  /** How to get the next page: by its number, after the last record's id, or after `next_cursor`. */
  list?: 'pages' | 'ids' | 'cursor';
  /** The response is a file instead of JSON. */
  isFile?: true;
  /** Keys of `fields`. */
  inPath?: string[];
  inQuery?: string[];
  inHeaders?: string[];
  /** Absent if the operation has no body. */
  inBody?: string[];
}

export function operationOf(resource: string, id: string): Operation | undefined {
  return operations.find((one) => one.resource === resource && one.id === id);
}

export interface EventTypes {
  records: string[];
  payments: string[];
}
