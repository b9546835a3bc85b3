import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow';
import { operationOf } from '../../shared/operation.ts';
import { needsApiKey, needsOAuth2, properties } from './properties.ts';
import { runOperation } from './run-operation.ts';

/** n8n shows errors with the item that they are about. */
function failureOf(functions: IExecuteFunctions, error: unknown, itemIndex: number) {
  const isShown = error instanceof NodeApiError || error instanceof NodeOperationError;
  const failure = isShown ? error : new NodeApiError(functions.getNode(), error as JsonObject);
  failure.context.itemIndex = itemIndex;
  return failure;
}

export class Placar implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Placar',
    name: 'placar',
    icon: { light: 'file:../../icons/placar.svg', dark: 'file:../../icons/placar.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Read and write records, sync activities and manage payments',
    defaults: { name: 'Placar' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      { name: 'placarOAuth2Api', required: true, displayOptions: needsOAuth2 },
      { name: 'placarApiKeyApi', required: true, displayOptions: needsApiKey },
    ],
    properties,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const outputs: INodeExecutionData[] = [];
    for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex++) {
      try {
        // Both are texts.
        const resource = this.getNodeParameter('resource', itemIndex) as string;
        const id = this.getNodeParameter('operation', itemIndex) as string;
        const operation = operationOf(resource, id);
        if (!operation) throw new NodeOperationError(this.getNode(), `${resource} has no operation ${id}`);
        for (const output of await runOperation(this, operation, itemIndex)) {
          outputs.push({ ...output, pairedItem: { item: itemIndex } });
        }
      } catch (error) {
        const failure = failureOf(this, error, itemIndex);
        if (!this.continueOnFail()) throw failure;
        outputs.push({ json: { error: failure.message }, error: failure, pairedItem: { item: itemIndex } });
      }
    }
    return [outputs];
  }
}
