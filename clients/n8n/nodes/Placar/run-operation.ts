// Runs an operation for one item.
import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Operation } from '../../shared/operation.ts';
import { type Answer, contentOf, send } from '../../shared/request.ts';
import { readList } from './lists.ts';
import { requestOfItem } from './request-of-item.ts';

interface Output {
  json: IDataObject;
  binary?: IBinaryKeyData;
}

/** Responses have their content in `data`, or are the content. A list is one output for each record. */
function outputsOf(body: unknown): Output[] {
  if (typeof body !== 'object' || body === null) return [{ json: { success: true } }];
  const content = 'data' in body ? body.data : body;
  // Records are objects.
  return [content].flat().map((one) => ({ json: one as IDataObject }));
}

async function fileOutput(
  { helpers }: IExecuteFunctions,
  { path }: Operation,
  { text, headers }: Answer,
): Promise<Output> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [type] = String(headers['content-type'] ?? 'text/plain').split(';');
  return { json: {}, binary: { data: await helpers.prepareBinaryData(Buffer.from(text), name, type) } };
}

/**
 * @throws NodeApiError if the API rejects the request or cannot be reached
 * @throws NodeOperationError if a parameter is invalid
 */
export async function runOperation(
  functions: IExecuteFunctions,
  operation: Operation,
  itemIndex: number,
): Promise<Output[]> {
  const request = requestOfItem(functions, operation, itemIndex);
  if (operation.list) {
    // n8n converts the values of expressions to the types of the parameters.
    const returnAll = functions.getNodeParameter('returnAll', itemIndex, false) as boolean;
    const limit = returnAll
      ? Number.POSITIVE_INFINITY
      : (functions.getNodeParameter('limit', itemIndex, 50) as number);
    return (await readList(functions, operation, request, limit)).map((json) => ({ json }));
  }
  const answer = await send(functions, request);
  const isFile = operation.isFile && answer.status < 400;
  return isFile
    ? [await fileOutput(functions, operation, answer)]
    : outputsOf(contentOf(functions, answer, itemIndex));
}
