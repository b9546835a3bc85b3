// Checks the arguments of a tool before its operation checks their values.
import { ApiError, type ErrorDetail } from '../../shared/platform/errors.ts';
import { isIdempotencyKey } from '../../shared/platform/idempotency/key.ts';
import type { Arguments, Tool } from './tool.ts';

interface InputSchema {
  properties: Readonly<Record<string, Property>>;
  required?: readonly string[];
}

interface Property {
  type?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
}

/** Throws `validation` with a detail for each argument that is unknown, missing or of the wrong type. */
export function checkArguments(
  { sends }: Pick<Tool, 'sends'>,
  { properties, required = [] }: InputSchema = { properties: {} },
  given: Arguments,
): void {
  const faults: ErrorDetail[] = [];
  for (const [field, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
    const message = property ? faultOf(field, property, value, sends) : 'is not an argument of this tool';
    if (message) faults.push({ field, message });
  }
  // The operation names missing members of its body itself.
  const mustBeSent = sends === 'body' ? required.filter((name) => name === 'idempotency_key') : required;
  for (const field of mustBeSent)
    if (given[field] === undefined) faults.push({ field, message: 'is required' });
  if (faults.length > 0) throw new ApiError('validation', 'Fix these arguments.', { details: faults });
}

function faultOf(
  field: string,
  property: Property,
  value: unknown,
  sends: Tool['sends'],
): string | undefined {
  if (field === 'idempotency_key')
    return typeof value === 'string' && isIdempotencyKey(value)
      ? undefined
      : 'must be a string of 1 to 255 characters, only visible ASCII';
  return sends === 'body' ? undefined : faultOfParameter(property, value);
}

function faultOfParameter({ type, enum: values, minimum, maximum }: Property, value: unknown) {
  if (values && !values.includes(value)) return `must be one of ${values.join(', ')}`;
  if (type === 'integer') {
    const isInRange =
      Number.isInteger(value) &&
      Number(value) >= (minimum ?? Number.MIN_SAFE_INTEGER) &&
      Number(value) <= (maximum ?? Number.MAX_SAFE_INTEGER);
    return isInRange ? undefined : `must be an integer from ${minimum} to ${maximum}`;
  }
  if (type === 'number') return Number.isFinite(value) ? undefined : 'must be a number';
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  return typeof value === 'string' ? undefined : 'must be a string';
}
