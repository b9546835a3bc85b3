// Builds the request of an item from the parameters of the node.
import { type IDataObject, type IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import { fieldsOf, parameterName } from '../../shared/fields.ts';
import type { Field, Operation } from '../../shared/operation.ts';
import type { Request } from '../../shared/request.ts';
import { readCollection, readValue } from '../../shared/values.ts';

/** Fields that were added to a collection of the node. */
function added(
  functions: IExecuteFunctions,
  collection: string,
  fields: readonly Field[],
  itemIndex: number,
) {
  // A collection is an object.
  const given = functions.getNodeParameter(collection, itemIndex, {}) as IDataObject;
  return readCollection(functions, fields, given, itemIndex);
}

function bodyOf(functions: IExecuteFunctions, fields: readonly Field[], itemIndex: number): unknown {
  if (fields.length > 0 && functions.getNodeParameter('specifyBody', itemIndex, 'fields') === 'json') {
    const json = functions.getNodeParameter('jsonBody', itemIndex);
    return readValue(functions, { name: 'JSON Body', type: 'object' }, json, itemIndex);
  }
  const body: Record<string, unknown> = {};
  for (const field of fields.filter(({ required }) => required)) {
    const value = functions.getNodeParameter(parameterName(field), itemIndex);
    body[field.name] = readValue(functions, field, value, itemIndex);
  }
  const optional = fields.filter(({ required }) => !required);
  return { ...body, ...added(functions, 'body', optional, itemIndex) };
}

function pathOf(functions: IExecuteFunctions, { path, inPath }: Operation, itemIndex: number): string {
  return fieldsOf(inPath).reduce((filled, field) => {
    const value = String(functions.getNodeParameter(parameterName(field), itemIndex) ?? '');
    // Dots would lead to another path.
    if (/^\.{0,2}$/.test(value)) {
      const message = value === '' ? 'is required' : 'is not valid';
      throw new NodeOperationError(functions.getNode(), `${field.name} ${message}`, { itemIndex });
    }
    return filled.replace(`{${field.name}}`, encodeURIComponent(value));
  }, path);
}

/** The same for each attempt of an item, so that a repeated request does nothing twice. In a loop, each run has its own. */
function idempotencyKey(functions: IExecuteFunctions, itemIndex: number): string {
  const run = Number(functions.evaluateExpression('{{ $runIndex }}', itemIndex));
  // Without an execution, nothing is repeated.
  const parts = [functions.getExecutionId() || crypto.randomUUID(), functions.getNode().id, itemIndex];
  return [...parts, ...(run > 0 ? [run] : [])].join('-');
}

/** @throws NodeOperationError if a parameter is missing or is not valid JSON */
export function requestOfItem(
  functions: IExecuteFunctions,
  operation: Operation,
  itemIndex: number,
): Request {
  const { credential, method, inQuery, inHeaders, inBody } = operation;
  const headers = {
    // The node has the names of this variant, which may not be the client's default.
    ...(operation.path.startsWith('/v1/') && { 'X-Api-Variant': 'a' }),
    ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey(functions, itemIndex) }),
    ...added(functions, 'headers', fieldsOf(inHeaders), itemIndex),
  };
  return {
    credential,
    method,
    path: pathOf(functions, operation, itemIndex),
    query: added(functions, 'query', fieldsOf(inQuery), itemIndex),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(inBody && { body: bodyOf(functions, fieldsOf(inBody), itemIndex) }),
    itemIndex,
  };
}
