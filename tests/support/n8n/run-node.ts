// Runs the Placar node for items, as a workflow does.
import type { BuiltPackage, Output, RequestOptions } from './build-nodes.ts';
import { Authentication, type CredentialData, type Parameters, parametersOf } from './helpers.ts';

export interface RunOptions {
  /** Parameters that depend on the item. Default: one item. */
  items?: Parameters[];
  continueOnFail?: boolean;
  executionId?: string;
  runIndex?: number;
  /** Default: with a token of its own. */
  authentication?: Authentication;
}

export const NODE_ID = '7f0c2a7e-51c8-4a34-9d0c-0a1e6b1f2a3b';

/** What the node returns. Parameters of items replace those of the node. */
export async function runNode(
  built: BuiltPackage,
  credentials: CredentialData,
  parameters: Parameters,
  options: RunOptions = {},
): Promise<Output[]> {
  const { items = [{}], continueOnFail = false, executionId = 'execution-1', runIndex = 0 } = options;
  const { description } = built.Placar;
  const authentication = options.authentication ?? new Authentication(built, credentials);
  const given = items.map((item) => parametersOf(description, { ...parameters, ...item }));
  const functions = {
    getInputData: () => items.map((json) => ({ json })),
    getNodeParameter(name: string, index: number, fallback?: unknown) {
      const values = given[index] ?? {};
      if (!(name in values) && fallback === undefined) throw new Error(`Could not get parameter ${name}`);
      return name in values ? values[name] : fallback;
    },
    getCredentials: async (name: string) => authentication.dataOf(description, name, given[0] ?? {}),
    getNode: () => ({ id: NODE_ID, name: 'Placar', type: 'n8n-nodes-placar.placar' }),
    getExecutionId: () => executionId,
    evaluateExpression: () => runIndex,
    continueOnFail: () => continueOnFail,
    helpers: {
      httpRequestWithAuthentication: (name: string, request: RequestOptions) =>
        authentication.request(name, request),
      prepareBinaryData: async (bytes: Buffer, fileName: string, mimeType: string) => ({
        text: bytes.toString(),
        fileName,
        mimeType,
      }),
    },
  };
  const [outputs = []] = await built.Placar.execute.call(functions as never);
  return outputs;
}
