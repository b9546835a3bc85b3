// OpenAPI descriptions of the webhooks of payments.
import { z } from 'zod';
import {
  deliveryResponse,
  newWebhook,
  webhookChange,
  webhookResponse,
  webhookWithSecret,
} from '../../shared/payments/webhooks/schema.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import {
  keySetResponse,
  replay,
  replayRequest,
  replayResponse,
  testResponse,
} from '../../shared/webhooks/management/schema.ts';
import { deliveryStatuses } from '../../shared/webhooks/management/states.ts';
import { change, get, pagesOf, post, remove, tagged } from './openapi.ts';
import type { webhookEndpoints } from './webhooks.ts';

const params = z.object({ id: z.uuid().describe('Id of the webhook.') });
const deliveryParams = params.extend({
  delivery_id: z.string().describe('Starts with `whd_`.'),
});

export const webhookOperations: OperationsOf<ReturnType<typeof webhookEndpoints>> = tagged('Webhooks', {
  createWebhook: post('Create a webhook', {
    description: 'The secret is only returned in this response.',
    status: 201,
    gives: webhookWithSecret,
    takes: newWebhook,
    required: true,
  }),
  listWebhooks: pagesOf('List webhooks, newest first', webhookResponse, {}),
  getWebhook: get('Get a webhook', webhookResponse, { params }),
  listWebhookKeys: get('Get the public keys of a webhook', keySetResponse, { params }),
  updateWebhook: change('Update a webhook', { gives: webhookResponse, takes: webhookChange, params }),
  deleteWebhook: remove('Delete a webhook and its delivery log', params),
  pauseWebhook: post('Pause a webhook', {
    description:
      'Deliveries, including those of later events, wait until the webhook is resumed. ' +
      'A delivery that waits longer than 30 days is dropped.',
    gives: webhookResponse,
    params,
  }),
  resumeWebhook: post('Resume a webhook', { gives: webhookResponse, params }),
  rotateWebhookSecret: post('Rotate the secret of a webhook', {
    description:
      'The new secret is only returned in this response. For 24 hours, deliveries are also signed with the old one.',
    gives: webhookWithSecret,
    params,
  }),
  testWebhook: post('Send a test event to a webhook', { status: 202, gives: testResponse, params }),
  replayWebhook: post("Replay a webhook's deliveries", {
    description:
      'Replays the deliveries of all events since a given time, or only the failed ones. Deliveries keep their ids. ' +
      'Matching events that have no delivery get one.',
    status: 202,
    gives: replay,
    takes: replayRequest,
    required: true,
    params,
  }),
  getReplay: get('Get the progress of a replay', replay, {
    params: params.extend({ replay_id: z.uuid().describe('Id of the replay.') }),
  }),
  listDeliveries: pagesOf(
    "List a webhook's deliveries, newest first",
    deliveryResponse,
    { status: z.enum(deliveryStatuses).optional().describe('Only deliveries with this status.') },
    params,
  ),
  getDelivery: get('Get a delivery', deliveryResponse, { params: deliveryParams }),
  replayDelivery: post('Replay a delivery', {
    status: 202,
    gives: replayResponse,
    params: deliveryParams,
  }),
});
