// What OpenAPI says of the webhooks of payments.
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

const params = z.object({ id: z.uuid() });
const deliveryParams = params.extend({
  delivery_id: z.string().describe('Such as `whd_` and what follows.'),
});

export const webhookOperations: OperationsOf<ReturnType<typeof webhookEndpoints>> = tagged('Webhooks', {
  createWebhook: post('Create a webhook', {
    description: 'The answer has the secret, this one time.',
    status: 201,
    gives: webhookWithSecret,
    takes: newWebhook,
    required: true,
  }),
  listWebhooks: pagesOf('List webhooks, newest first', webhookResponse, {}),
  getWebhook: get('Get a webhook', webhookResponse, { params }),
  listWebhookKeys: get('Get the keys that verify what a webhook is sent', keySetResponse, { params }),
  updateWebhook: change('Change a webhook', { gives: webhookResponse, takes: webhookChange, params }),
  deleteWebhook: remove('Delete a webhook with its log', params),
  pauseWebhook: post('Have deliveries to a webhook wait', {
    description:
      'Those of events that happen meanwhile wait as well. What waits longer than 30 days is given up.',
    status: 200,
    gives: webhookResponse,
    params,
  }),
  resumeWebhook: post('Send what waited for a paused webhook, and what comes', {
    status: 200,
    gives: webhookResponse,
    params,
  }),
  rotateWebhookSecret: post('Give a webhook a new secret', {
    description:
      'The answer has it, this one time. For 24 hours deliveries are signed with the old one as well.',
    status: 200,
    gives: webhookWithSecret,
    params,
  }),
  testWebhook: post('Send the event webhook.test to a webhook', { status: 202, gives: testResponse, params }),
  replayWebhook: post("Send a webhook's deliveries again", {
    description:
      'Those of all events since a time, or those that failed, under the same ids. A matching event without a delivery gets one.',
    status: 202,
    gives: replay,
    takes: replayRequest,
    required: true,
    params,
  }),
  getReplay: get('See how far a replay is', replay, { params: params.extend({ replay_id: z.uuid() }) }),
  listDeliveries: pagesOf(
    "List a webhook's deliveries, newest first",
    deliveryResponse,
    { status: z.enum(deliveryStatuses).optional() },
    params,
  ),
  getDelivery: get('Get a delivery', deliveryResponse, { params: deliveryParams }),
  replayDelivery: post('Send a delivery again', {
    status: 202,
    gives: replayResponse,
    params: deliveryParams,
  }),
});
