// A workflow that starts with the Placar Trigger node, as n8n activates it: with an address that accepts deliveries over HTTP.
import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { BuiltPackage, RequestOptions, WebhookResult } from './build-nodes.ts';
import { Authentication, type CredentialData, type Parameters, parametersOf } from './helpers.ts';

export interface ActiveWorkflow {
  /** Address of the webhook. */
  url: string;
  /** Events that ran the workflow. */
  runs: Record<string, unknown>[];
  /** Statuses of the responses to deliveries. */
  responses: number[];
  /** Stored with the workflow. */
  staticData: Record<string, unknown>;
  /** What n8n does when a workflow is activated, and when n8n starts. */
  activate(): Promise<void>;
  deactivate(): Promise<void>;
  /** A new process of n8n has the package. */
  restart(built: BuiltPackage): void;
}

/** Express' functions that the node uses. */
const responseOf = (response: ServerResponse) => ({
  status(status: number) {
    response.statusCode = status;
    return this;
  },
  send: (text: string) => response.end(text),
  end: () => response.end(),
});

export async function startWorkflow(
  built: BuiltPackage,
  credentials: CredentialData,
  given: Parameters,
): Promise<ActiveWorkflow> {
  let { PlacarTrigger: node } = built;
  const parameters = parametersOf(node.description, given);
  const authentication = new Authentication(built, credentials);
  const workflow = { runs: [], responses: [], staticData: {} } as Pick<
    ActiveWorkflow,
    'runs' | 'responses' | 'staticData'
  >;

  async function receive(rawBody: Buffer, headers: object, response: ServerResponse): Promise<void> {
    const result: WebhookResult = await node.webhook.call({
      getRequestObject: () => ({ rawBody }),
      getHeaderData: () => headers,
      getResponseObject: () => responseOf(response),
      getWorkflowStaticData: () => workflow.staticData,
    } as never);
    if (!result.noWebhookResponse) response.end();
    workflow.responses.push(response.statusCode);
    workflow.runs.push(...(result.workflowData?.flat() ?? []).map(({ json }) => json));
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await receive(Buffer.concat(chunks), request.headers, response).catch((error) =>
      response.writeHead(500).end(`${error}`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}/webhook`;

  const call = (method: 'checkExists' | 'create' | 'delete') =>
    node.webhookMethods.default[method].call({
      getNodeParameter: (name: string, fallback?: unknown) => parameters[name] ?? fallback,
      getNodeWebhookUrl: () => active.url,
      getWorkflowStaticData: () => workflow.staticData,
      getCredentials: async (name: string) => authentication.dataOf(node.description, name, parameters),
      getNode: () => ({ id: 'trigger', name: 'Placar Trigger', type: 'n8n-nodes-placar.placarTrigger' }),
      helpers: {
        httpRequestWithAuthentication: (name: string, options: RequestOptions) =>
          authentication.request(name, options),
      },
    } as never);

  const active: ActiveWorkflow = Object.assign(workflow, {
    url,
    async activate() {
      if (!(await call('checkExists'))) await call('create');
    },
    async deactivate() {
      await call('delete');
    },
    restart({ PlacarTrigger }: BuiltPackage) {
      node = PlacarTrigger;
    },
  });
  return active;
}
