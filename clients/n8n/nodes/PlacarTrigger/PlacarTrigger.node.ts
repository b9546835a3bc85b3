import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { isAuthentic } from '../../shared/signature.ts';
import { remember } from './deliveries.ts';
import { properties } from './properties.ts';
import { create, exists, remembered, remove } from './webhooks.ts';

export class PlacarTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Placar Trigger',
    name: 'placarTrigger',
    icon: { light: 'file:../../icons/placar.svg', dark: 'file:../../icons/placar.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when Placar sends an event',
    defaults: { name: 'Placar Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      { name: 'placarOAuth2Api', required: true, displayOptions: { show: { interface: ['records'] } } },
      { name: 'placarApiKeyApi', required: true, displayOptions: { show: { interface: ['payments'] } } },
    ],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties,
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return exists(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await create(this);
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await remove(this);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    // n8n adds the bytes of the body to the request of Express.
    const { rawBody } = this.getRequestObject() as { rawBody?: Buffer };
    const headers = this.getHeaderData();
    const staticData = remembered(this);
    const delivery = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
      body: rawBody ?? Buffer.alloc(0),
    };
    const response = this.getResponseObject();
    if (!(await isAuthentic(delivery, staticData.secret ?? ''))) {
      response.status(401).send('The signature is not valid.');
      return { noWebhookResponse: true };
    }
    const isNew = remember(staticData, delivery.id);
    response.status(200).end();
    // n8n stores the static data of a response that the node has sent; of a response after the run has started, it may not.
    if (!isNew) return { noWebhookResponse: true };
    // Placar has signed it.
    const event = JSON.parse(delivery.body.toString()) as IDataObject;
    return { noWebhookResponse: true, workflowData: [[{ json: event }]] };
  }
}
