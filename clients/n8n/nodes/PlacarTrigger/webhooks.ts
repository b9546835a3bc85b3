// The webhook of a workflow at Placar: created when the workflow is activated, deleted when it is deactivated.
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { fieldsOf } from '../../shared/fields.ts';
import { type Field, operationOf } from '../../shared/operation.ts';
import { contentOf, type Request, send } from '../../shared/request.ts';
import { readCollection } from '../../shared/values.ts';

export type Interface = 'records' | 'payments';

const interfaces = {
  records: { credential: 'oauth2', path: '/v1/webhooks', resource: 'webhooks', pageSize: 'per_page=100' },
  payments: {
    credential: 'apiKey',
    path: '/payments/webhooks',
    resource: 'paymentWebhooks',
    pageSize: 'limit=100',
  },
} as const;

/** What the node sets itself. */
const OWN = ['url', 'events', 'secret', 'active'];

/** Settings of a webhook that users can choose. */
export function settingsOf(kind: Interface): Field[] {
  const { resource } = interfaces[kind];
  return fieldsOf(operationOf(resource, 'createWebhook')?.inBody).filter(({ name }) => !OWN.includes(name));
}

/** What the node remembers about its webhook, in the static data of the workflow. */
interface Remembered {
  webhookId?: string;
  secret?: string;
}

export const remembered = (
  functions: Pick<IHookFunctions, 'getWorkflowStaticData'>,
): Remembered & IDataObject => functions.getWorkflowStaticData('node');

interface Webhook {
  id: string;
  url: string;
  active: boolean;
  secret?: string;
}

const kindOf = (functions: IHookFunctions) => functions.getNodeParameter('interface') as Interface;

function requestTo(
  functions: IHookFunctions,
  method: Request['method'],
  rest = '',
  body?: IDataObject,
): Request {
  const { credential, path } = interfaces[kindOf(functions)];
  const headers = {
    'X-Api-Variant': 'a',
    ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
  };
  return { credential, method, path: path + rest, headers, ...(body && { body }) };
}

/** Responses of records have their content in `data`. */
async function ask<Content>(
  functions: IHookFunctions,
  ...request: [Request['method'], string, IDataObject?]
): Promise<Content> {
  const answer = await send(functions, requestTo(functions, ...request));
  const content = contentOf(functions, answer) as Content | { data: Content };
  return typeof content === 'object' && content !== null && 'data' in content ? content.data : content;
}

/** Undefined if Placar has no such webhook. */
async function unlessGone<Content>(asked: Promise<Content>): Promise<Content | undefined> {
  return asked.catch((error) => {
    if (error.httpCode === '404') return undefined;
    throw error;
  });
}

const removeWebhook = (functions: IHookFunctions, id: string) =>
  unlessGone(ask(functions, 'DELETE', `/${id}`));

/** Whether Placar sends events to this workflow, signed with the secret that the node remembers. */
export async function exists(functions: IHookFunctions): Promise<boolean> {
  const { webhookId, secret } = remembered(functions);
  if (!webhookId || !secret) return false;
  const webhook = await unlessGone(ask<Webhook>(functions, 'GET', `/${webhookId}`));
  return webhook?.active === true && webhook.url === functions.getNodeWebhookUrl('default');
}

function newWebhook(functions: IHookFunctions): IDataObject {
  const kind = kindOf(functions);
  const options = functions.getNodeParameter('options', {}) as IDataObject;
  const events = functions.getNodeParameter('events') as string[];
  return {
    ...readCollection(functions, settingsOf(kind), options),
    url: functions.getNodeWebhookUrl('default'),
    ...((kind === 'records' || events.length > 0) && { events }),
    // Placar always generates the secret of a webhook of payments.
    ...(kind === 'records' && { secret: 'generate' }),
  };
}

/**
 * Creates the webhook. Removes others with its address, whose secrets the node does not know: they remain if n8n was stopped. Removes
 * the one that the node remembers: the address of n8n has changed.
 */
export async function create(functions: IHookFunctions): Promise<void> {
  const body = newWebhook(functions);
  const { pageSize } = interfaces[kindOf(functions)];
  const { webhookId } = remembered(functions);
  for (const { id, url } of await ask<Webhook[]>(functions, 'GET', `?${pageSize}`)) {
    if (url === body.url || id === webhookId) await removeWebhook(functions, id);
  }
  const { id, secret } = await ask<Webhook>(functions, 'POST', '', body);
  Object.assign(remembered(functions), { webhookId: id, secret });
}

export async function remove(functions: IHookFunctions): Promise<void> {
  const data = remembered(functions);
  if (data.webhookId) await removeWebhook(functions, data.webhookId);
  delete data.webhookId;
  delete data.secret;
  delete data.deliveries;
}
